import { existsSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Adapter } from 'lowdb';
import type { MemoryCollection, Slice } from './collection.ts';
import { damaged, eachLine, hexOf, replaceFile } from './disk.ts';
import type { Memory } from './memory.ts';
import { applyRecord, recordOf } from './records.ts';
import { StoreError } from './store.ts';

/** The data that lowdb holds. */
export interface Data {
  memory: Memory;
  /** The number of the journal that follows the snapshot. */
  journal: number;
}

/** The content of the first line. */
interface Head {
  readonly format: string;
  readonly journal: number;
  readonly nextIds: Readonly<Record<string, number>>;
}

const FORMAT = 'petstore store 2';
const EARLIER_FORMAT = 'petstore store 1';

/** The beginning of the last line. No other line begins like this. */
const QUOTE = 34;

/** About the number of characters that are written at once. */
const PIECE = 2 ** 16;

/**
 * lowdb's adapter: a JSON file with a record in each line, which is read and written in pieces
 * while the data changes. The last line has a checksum of all lines before it.
 */
export class Snapshot implements Adapter<Data> {
  readonly path: string;
  /** The length of the file; 0 if there is none. */
  bytes = 0;
  /** Set to end a running write. */
  isStopped = false;
  readonly #memory: Memory;

  /** The memory into which the file is read. It has to be empty. */
  constructor(path: string, memory: Memory) {
    this.path = path;
    this.#memory = memory;
  }

  /** Null if there is no file. */
  async read(): Promise<Data | null> {
    if (!existsSync(this.path)) return null;
    let journal = 0;
    let checksum = 0;
    let isWhole = false;
    await eachLine(this.path, (line, number) => {
      if (isWhole) throw damaged(this.path, `line ${number} is damaged`);
      if (number === 1) journal = this.#readHead(line);
      else if (line[0] === QUOTE && line.equals(endOf(checksum))) isWhole = true;
      else this.#readRecord(line, number);
      checksum = crc32(line, checksum);
      this.bytes += line.length;
    });
    if (!isWhole) throw damaged(this.path, 'its checksum is wrong or missing');
    return { memory: this.#memory, journal };
  }

  /** Replaces the file. Until the new one is complete and synced, the old one stays. */
  async write(data: Data): Promise<void> {
    this.bytes = await replaceFile(this.path, this.#piecesOf(data));
  }

  #readHead(line: Buffer): number {
    const head = headIn(line);
    if (head?.format === EARLIER_FORMAT) throw earlierFormat(this.path);
    if (head?.format !== FORMAT) throw damaged(this.path, `its format is not '${FORMAT}'`);
    const { journal, nextIds } = head;
    if (journal === undefined || nextIds === undefined)
      throw damaged(this.path, 'its first line is damaged');
    for (const [name, nextId] of Object.entries(nextIds)) {
      const collection = this.#memory.collections.get(name);
      if (!collection)
        throw damaged(this.path, `it has a collection '${name}', which this server does not know`);
      collection.nextId = nextId;
    }
    return journal;
  }

  #readRecord(line: Buffer, number: number): void {
    try {
      // A line ends with a comma and a line feed.
      applyRecord(this.#memory, line.toString().slice(0, -2));
    } catch {
      // The line is no JSON, or no record. Its number tells a person where to look.
      throw damaged(this.path, `line ${number} is damaged`);
    }
  }

  /** The file in pieces. The last one has the checksum. */
  *#piecesOf(data: Data): Generator<Buffer> {
    let checksum = 0;
    for (const piece of joined(linesOf(data))) {
      if (this.isStopped) throw new Error('the store is closed');
      const bytes = Buffer.from(piece);
      checksum = crc32(bytes, checksum);
      yield bytes;
    }
    yield endOf(checksum);
  }
}

/** Joins texts to pieces of about PIECE characters. */
function* joined(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

function headIn(line: Buffer): Partial<Head> | undefined {
  try {
    // The line opens the object and the array of the file.
    return JSON.parse(`${line}]}`);
  } catch {
    // A line that is no JSON is no head.
    return undefined;
  }
}

/** The lines of the file, without the last one. */
function* linesOf({ memory, journal }: Data): Generator<string> {
  const nextIds: Record<string, number> = {};
  for (const [name, { nextId }] of memory.collections) nextIds[name] = nextId;
  const head: Head = { format: FORMAT, journal, nextIds };
  yield `${JSON.stringify(head).slice(0, -1)},"records":[\n`;
  for (const [name, collection] of memory.collections) yield* documentLines(name, collection);
  // They include the keys that are added meanwhile.
  for (const change of memory.keys.all()) yield `${recordOf(change)},\n`;
}

/**
 * The lines of a collection that may change meanwhile, in pieces. Printing each line alone would
 * block the event loop far longer.
 */
function* documentLines(name: string, collection: MemoryCollection): Generator<string> {
  const begin = `[${JSON.stringify(name)},`;
  const end = '],\n';
  let least: number | undefined = 1;
  while (least !== undefined) {
    const slice: Slice = collection.slice(least, PIECE);
    if (slice.texts.length > 0) yield `${begin}${slice.texts.join(end + begin)}${end}`;
    least = slice.next === undefined ? undefined : slice.next + 1;
  }
}

function endOf(checksum: number): Buffer {
  return Buffer.from(`"${hexOf(checksum)}"]}\n`);
}

function earlierFormat(path: string): StoreError {
  return new StoreError(
    `${path}: it was written by an earlier format. Nothing was changed; export the folder with the earlier version, and import that into a new folder.`,
  );
}
