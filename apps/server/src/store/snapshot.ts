import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseExact } from '@petstore/types';
import { damaged, eachLine, hexOf, syncFolder, writeAll } from './disk.ts';
import { applyEntry, entryOf, type Memory } from './memory.ts';
import { StoreError } from './store.ts';

/** The data that lowdb holds. */
export interface Data {
  memory: Memory;
  /** The number of the journal that follows the snapshot. */
  journal: number;
}

const FORMAT = 'petstore store 1';
const OTHER_FORMAT = `its format is not '${FORMAT}'`;

/** About how many characters are written at once. */
const PIECE = 2 ** 16;

/**
 * lowdb's adapter: a JSON file with an entry in each line, which is read and written in pieces while the data changes. Behind the
 * entries is a checksum of all lines before. The file is read into an empty memory.
 */
export function snapshotIn(path: string, memory: Memory) {
  /** Null if there is no file. */
  const read = async (): Promise<Data | null> => {
    if (!existsSync(path)) return null;
    const data: Data = { memory, journal: 0 };
    let [checksum, isWhole] = [0, false];
    await eachLine(path, (line, number) => {
      try {
        if (isWhole) throw new Error('It goes on.');
        const text = line.toString();
        if (number === 1) readHead(text, data);
        else if (text === endOf(checksum)) isWhole = true;
        else readEntry(text, memory);
      } catch (error) {
        if (error instanceof StoreError) throw damaged(path, error.message);
        throw damaged(path, number === 1 ? OTHER_FORMAT : `line ${number} is damaged`);
      }
      checksum = crc32(line, checksum);
      snapshot.bytes += line.length;
    });
    if (!isWhole) throw damaged(path, 'its checksum is wrong or missing');
    return data;
  };

  const writeTo = async (temporary: string, data: Data): Promise<number> => {
    await using file = await open(temporary, 'w', 0o600);
    let [bytes, checksum, piece] = [0, 0, ''];
    const flush = async () => {
      if (snapshot.isStopped) throw new Error('the store is closed');
      const buffer = Buffer.from(piece);
      piece = '';
      checksum = crc32(buffer, checksum);
      await writeAll(file, buffer, bytes);
      bytes += buffer.length;
    };
    for (const text of textsOf(data)) {
      piece += text;
      if (piece.length >= PIECE) await flush();
    }
    await flush();
    piece = endOf(checksum);
    await flush();
    await file.sync();
    return bytes;
  };

  /** Replaces the file. Until the new one is complete and synced, the old one stays. */
  const write = async (data: Data): Promise<void> => {
    const temporary = `${path}.tmp`;
    try {
      const bytes = await writeTo(temporary, data);
      await rename(temporary, path);
      await syncFolder(dirname(path));
      snapshot.bytes = bytes;
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  };

  /** `isStopped` ends a write that is under way. */
  const snapshot = { path, read, write, bytes: 0, isStopped: false };
  return snapshot;
}

function readHead(text: string, data: Data): void {
  const head = JSON.parse(`${text}]}`);
  if (head.format !== FORMAT) throw new Error('It has another format.');
  data.journal = head.journal;
  for (const [name, nextId] of Object.entries(head.nextIds))
    data.memory.collection(name).nextId = Number(nextId);
}

function readEntry(text: string, memory: Memory): void {
  const entry = parseExact(text.slice(0, -2)) as unknown[];
  // The text of a document is kept as it is.
  applyEntry(memory, entry, entry.length === 2 ? text.slice(text.indexOf('{'), -3) : undefined);
}

/** The file but its last line. */
function* textsOf({ memory, journal }: Data): Generator<string> {
  const nextIds = Object.fromEntries(
    Array.from(memory.documents, ([name, { nextId }]) => [name, nextId]),
  );
  yield `${JSON.stringify({ format: FORMAT, journal, nextIds }).slice(0, -1)},"entries":[\n`;
  for (const [name, documents] of memory.documents) {
    const begin = `[${JSON.stringify(name)},`;
    for (let [least, hasMore] = [0, true]; hasMore; ) {
      const slice = documents.all.slice(least, Number.POSITIVE_INFINITY, PIECE);
      if (slice.texts.length > 0) yield `${begin}${slice.texts.join(`],\n${begin}`)}],\n`;
      least = slice.last + 1;
      hasMore = slice.hasMore;
    }
  }
  // Records that are added meanwhile follow.
  for (const key of memory.keys.records.values())
    yield `${entryOf({ collection: null, id: 0, json: key.json, key })},\n`;
}

const endOf = (checksum: number) => `"${hexOf(checksum)}"]}\n`;
