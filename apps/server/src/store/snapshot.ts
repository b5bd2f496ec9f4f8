import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { exactJson, parseExact } from '@petstore/types';
import type { Adapter } from 'lowdb';
import { damaged, hasCode, linesOf, piecesOf, syncFolder, writeAll } from './files.ts';
import { Contents } from './memory.ts';
import { type Declaration, StoreError } from './store.ts';

/** The data that lowdb holds. */
export interface Data {
  contents: Contents;
  /** The number of the journal that follows the snapshot. */
  journal: number;
}

const FORMAT = 'petstore store 1';
const otherFormat = `its format is not '${FORMAT}'`;

/** About how many characters are written at once. */
const PIECE = 2 ** 16;

/** lowdb's adapter: a JSON file with a document in each line, which is read and written in pieces while the data changes. */
export class Snapshot implements Adapter<Data> {
  readonly path: string;
  readonly #declarations: readonly Declaration[];
  readonly #maxSize: number;
  readonly #stop = new AbortController();
  bytes = 0;

  constructor(path: string, declarations: readonly Declaration[], maxSize: number) {
    this.path = path;
    this.#declarations = declarations;
    this.#maxSize = maxSize;
  }

  /** Ends a write that is under way. */
  stop(): void {
    this.#stop.abort(new Error('the store is closed'));
  }

  /** Null if there is no file. */
  async read(): Promise<Data | null> {
    try {
      this.bytes = (await stat(this.path)).size;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      throw error;
    }
    const reader = new Reader(this.path, new Contents(this.#declarations, this.#maxSize));
    for await (const piece of piecesOf(this.path)) reader.read(piece);
    return reader.end();
  }

  /** Replaces the file. Until the new one is complete and synced, the old one stays. */
  async write(data: Data): Promise<void> {
    const temporary = `${this.path}.tmp`;
    try {
      const file = await open(temporary, 'w', 0o600);
      let bytes = 0;
      try {
        let checksum = 0;
        const write = async (text: string) => {
          this.#stop.signal.throwIfAborted();
          const buffer = Buffer.from(text);
          checksum = crc32(buffer, checksum);
          await writeAll(file, buffer, bytes);
          bytes += buffer.length;
        };
        for (const text of textsOf(data)) await write(text);
        await write(`${JSON.stringify({ checksum }).replace('{', ',')}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.path);
      await syncFolder(dirname(this.path));
      this.bytes = bytes;
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

/** The lines of the file but the last one, in pieces. */
function* textsOf({ contents, journal }: Data): Generator<string> {
  yield `{"format":${JSON.stringify(FORMAT)},"journal":${journal}\n`;
  for (const [name, documents] of contents.documents) {
    yield `,${JSON.stringify(name)}:{"nextId":${documents.nextId},"documents":[\n`;
    let separator = '';
    for (let least = 0; ; ) {
      const slice = documents.slice(least, PIECE);
      const [last] = slice.at(-1) ?? [];
      if (last === undefined) break;
      yield `${separator}${slice.map(([, json]) => json).join('\n,')}\n`;
      separator = ',';
      least = last + 1;
    }
    yield ']}\n';
  }
  yield ',"requestKeys":[\n';
  let [piece, separator] = ['', ''];
  for (const { id, fingerprint, made, json } of contents.keys.values()) {
    piece += `${separator}${JSON.stringify([id, fingerprint, made]).slice(0, -1)},${json}]\n`;
    separator = ',';
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]\n`;
}

/** Reads the lines of the file. */
class Reader {
  readonly #path: string;
  readonly #contents: Contents;
  #journal = 0;
  /** Each function reads a line of its part of the file, and returns the function for the next line. */
  #part: Part = (line) => this.#head(line);
  #lines = 0;
  #checksum = 0;
  #last: Buffer = Buffer.alloc(0);

  constructor(path: string, contents: Contents) {
    this.#path = path;
    this.#contents = contents;
  }

  read(piece: Buffer): void {
    // The checksum is of all lines but the last one.
    const lastLine = piece.lastIndexOf(10, -2) + 1;
    this.#checksum = crc32(piece.subarray(0, lastLine), crc32(this.#last, this.#checksum));
    this.#last = piece.subarray(lastLine);
    for (const line of linesOf(piece)) {
      this.#lines++;
      try {
        this.#part = this.#part(line.toString('utf8', line[0] === COMMA ? 1 : 0));
      } catch (error) {
        if (error instanceof StoreError) throw error;
        throw damaged(this.#path, this.#lines === 1 ? otherFormat : `line ${this.#lines} is damaged`);
      }
    }
  }

  end(): Data {
    if (this.#last.toString() !== `,"checksum":${this.#checksum}}\n`)
      throw damaged(this.#path, 'its checksum is wrong or missing');
    return { contents: this.#contents, journal: this.#journal };
  }

  #head(line: string): Part {
    const { format, journal } = JSON.parse(`${line}}`);
    if (format !== FORMAT) throw damaged(this.#path, otherFormat);
    this.#journal = journal;
    return (next) => this.#section(next);
  }

  #section(line: string): Part {
    if (line === '"requestKeys":[\n') return (next) => this.#key(next);
    const [[name, { nextId }] = ['', { nextId: 1 }]] = Object.entries<{ nextId: number }>(JSON.parse(`{${line}]}}`));
    const documents = this.#contents.documents.get(name);
    if (!documents) throw damaged(this.#path, `it has a collection '${name}', which this server does not know`);
    const part: Part = (json) => {
      if (json === ']}\n') {
        documents.nextId = nextId;
        return (next) => this.#section(next);
      }
      const document = parseExact(json) as Record<string, unknown>;
      documents.put(Number(document[documents.declaration.id]), json.slice(0, -1), document);
      return part;
    };
    return part;
  }

  #key(line: string): Part {
    if (line === ']\n') return () => () => unexpected();
    const [id, fingerprint, made, document] = parseExact(line) as [string, string, number, object];
    this.#contents.keys.add({ id, fingerprint, made, json: exactJson(document) });
    return (next) => this.#key(next);
  }
}

type Part = (line: string) => Part;

function unexpected(): never {
  throw new Error('The file is longer than it should be.');
}

const COMMA = 44;
