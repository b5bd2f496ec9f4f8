import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { exactJson, parseExact } from '@petstore/types';
import type { Adapter } from 'lowdb';
import type { Documents } from './collection.ts';
import { damaged, linesOf, syncFolder, writeAll } from './journal.ts';
import { Contents } from './memory.ts';
import { type Declaration, StoreError } from './store.ts';

/** The data that lowdb holds. */
export interface Data {
  contents: Contents;
  /** The number of the journal that follows the snapshot. */
  journal: number;
}

const FORMAT = 'petstore store 1';

/** About how many characters are written at once. */
const PIECE = 2 ** 16;

/** lowdb's adapter: a JSON file with a document in each line, which is read and written in pieces while the data changes. */
export class Snapshot implements Adapter<Data> {
  readonly path: string;
  readonly #declarations: readonly Declaration[];
  readonly #maxSize: number;
  /** Ends a write that is under way. */
  isStopped = false;
  bytes = 0;

  constructor(path: string, declarations: readonly Declaration[], maxSize: number) {
    this.path = path;
    this.#declarations = declarations;
    this.#maxSize = maxSize;
  }

  /** Null if there is no file. */
  async read(): Promise<Data | null> {
    if (!existsSync(this.path)) return null;
    const contents = new Contents(this.#declarations, this.#maxSize);
    let [journal, number, checksum] = [0, 0, 0];
    let part = 'between' as Documents | 'keys' | 'between' | 'end';
    const read = (line: string) => {
      if (number === 1) {
        const head = JSON.parse(`${line}}`);
        if (head.format !== FORMAT) throw new Error('It has another format.');
        journal = head.journal;
      } else if (part === 'between' && line === `"checksum":${checksum}}\n`) {
        part = 'end';
      } else if (part === 'between') {
        part = line === '"requestKeys":[\n' ? 'keys' : this.#begun(contents, line);
      } else if (part === 'keys' ? line === ']\n' : line === ']}\n') {
        part = 'between';
      } else if (part === 'keys') {
        const [id, fingerprint, made, document] = parseExact(line) as [string, string, number, object];
        contents.keys.add({ id, fingerprint, made, json: exactJson(document) });
      } else {
        if (part === 'end') throw new Error('It goes on.');
        const document = parseExact(line) as Record<string, unknown>;
        part.put(Number(document[part.declaration.id]), line.slice(0, -1), document);
      }
    };
    let lastLine: Buffer = Buffer.alloc(0);
    for await (const lines of linesOf(this.path)) {
      // The checksum is of all lines but the last one. The lines of a group follow each other in memory.
      const { buffer, byteOffset } = lines[0] ?? lastLine;
      checksum = crc32(lastLine, checksum);
      lastLine = lines.at(-1) ?? Buffer.alloc(0);
      if (lines.length > 1)
        checksum = crc32(Buffer.from(buffer, byteOffset, lastLine.byteOffset - byteOffset), checksum);
      for (const line of lines) {
        number++;
        try {
          read(line.toString('utf8', line[0] === COMMA ? 1 : 0));
        } catch (error) {
          if (error instanceof StoreError) throw error;
          throw damaged(this.path, number === 1 ? OTHER_FORMAT : `line ${number} is damaged`);
        }
        this.bytes += line.length;
      }
    }
    if (number === 0) throw damaged(this.path, OTHER_FORMAT);
    if (part !== 'end') throw damaged(this.path, 'its checksum is wrong or missing');
    return { contents, journal };
  }

  /** The collection that a line begins. */
  #begun(contents: Contents, line: string): Documents {
    const [entry] = Object.entries<{ nextId: number }>(JSON.parse(`{${line}]}}`));
    const [name = '', { nextId } = { nextId: 1 }] = entry ?? [];
    const documents = contents.documents.get(name);
    if (!documents) throw damaged(this.path, `it has a collection '${name}', which this server does not know`);
    documents.nextId = nextId;
    return documents;
  }

  /** Replaces the file. Until the new one is complete and synced, the old one stays. */
  async write(data: Data): Promise<void> {
    const temporary = `${this.path}.tmp`;
    try {
      const file = await open(temporary, 'w', 0o600);
      let [bytes, checksum, piece] = [0, 0, ''];
      const flush = async () => {
        if (this.isStopped) throw new Error('the store is closed');
        const buffer = Buffer.from(piece);
        piece = '';
        checksum = crc32(buffer, checksum);
        await writeAll(file, buffer, bytes);
        bytes += buffer.length;
      };
      try {
        for (const text of textsOf(data)) {
          piece += text;
          if (piece.length >= PIECE) await flush();
        }
        await flush();
        piece = `,"checksum":${checksum}}\n`;
        await flush();
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

/** The file but its last line. */
function* textsOf({ contents, journal }: Data): Generator<string> {
  yield `{"format":${JSON.stringify(FORMAT)},"journal":${journal}\n`;
  for (const [name, documents] of contents.documents) {
    yield `,${JSON.stringify(name)}:{"nextId":${documents.nextId},"documents":[\n`;
    for (let [least, separator, isDone] = [0, '', false]; !isDone; separator = ',') {
      const { texts, last, hasMore } = documents.slice(least, PIECE);
      if (texts.length > 0) yield `${separator}${texts.join('\n,')}\n`;
      least = last + 1;
      isDone = !hasMore;
    }
    yield ']}\n';
  }
  yield ',"requestKeys":[\n';
  let separator = '';
  for (const { id, fingerprint, made, json } of contents.keys.values()) {
    yield `${separator}${JSON.stringify([id, fingerprint, made]).slice(0, -1)},${json}]\n`;
    separator = ',';
  }
  yield ']\n';
}

const OTHER_FORMAT = `its format is not '${FORMAT}'`;
const COMMA = 44;
