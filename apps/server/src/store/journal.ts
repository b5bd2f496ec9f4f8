import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { exactJson, parseExact } from '@petstore/types';
import { nothingDone } from './batch.ts';
import { messageOf, StoreError, UnknownOutcomeError } from './store.ts';
import type { Change } from './writes.ts';

const FORMAT = 'petstore journal 1';

export const journalName = (number: number) => `journal-${number}.jsonl`;

/**
 * The file to which every commit appends a line: a checksum of the rest in hexadecimal, and a JSON array of its changes. The
 * first line names the format, the number of the journal, and the length of the journal before it.
 */
export class Journal {
  readonly number: number;
  readonly #file: FileHandle;
  /** The bytes of its whole lines. */
  bytes: number;
  /** Whether there may be something behind the whole lines. */
  #isUnfinished: boolean;

  private constructor(number: number, file: FileHandle, bytes: number, isUnfinished: boolean) {
    this.number = number;
    this.#file = file;
    this.bytes = bytes;
    this.#isUnfinished = isUnfinished;
  }

  /** Creates a journal that survives a power cut. Replaces one that was begun, but never used. */
  static async begin(folder: string, number: number, previousBytes: number): Promise<Journal> {
    const file = await open(join(folder, journalName(number)), 'w', 0o600);
    try {
      const line = lineOf(JSON.stringify({ format: FORMAT, journal: number, previousBytes }));
      await writeAll(file, line, 0);
      await file.sync();
      await syncFolder(folder);
      return new Journal(number, file, line.length, false);
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Opens a journal that was read. What follows its whole lines is cut before the first write. */
  static async open(folder: string, number: number, bytes: number): Promise<Journal> {
    const file = await open(join(folder, journalName(number)), 'r+');
    return new Journal(number, file, bytes, (await file.stat()).size > bytes);
  }

  /** Resolves when the changes are on the disk. */
  async append(changes: readonly Change[]): Promise<void> {
    await this.finish();
    const line = lineOf(`[${changes.map(textOf).join(',')}]`);
    try {
      this.#isUnfinished = true;
      await writeAll(this.#file, line, this.bytes);
      await this.#file.datasync();
      this.bytes += line.length;
      this.#isUnfinished = false;
    } catch (error) {
      await this.finish().catch((second: unknown) => {
        const reason = `${messageOf(error)}; then ${messageOf(second)}`;
        throw new UnknownOutcomeError(`The disk failed, and whether it has the write is unknown (${reason}).`, {
          cause: error,
        });
      });
      throw nothingDone(error);
    }
  }

  /** Cuts what follows the whole lines. */
  async finish(): Promise<void> {
    if (!this.#isUnfinished) return;
    try {
      await this.#file.truncate(this.bytes);
      await this.#file.datasync();
    } catch (error) {
      throw nothingDone(error);
    }
    this.#isUnfinished = false;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

/**
 * Reads a journal, and returns the bytes of its whole lines. Throws if it is damaged, but for an unfinished last line of the last
 * journal, and if the journal before it does not have its length.
 */
export async function readJournal(
  folder: string,
  number: number,
  previousBytes: number | undefined,
  isLast: boolean,
  apply: (change: Change) => void,
): Promise<number> {
  const path = join(folder, journalName(number));
  let [bytes, lines] = [0, 0];
  let unfinished: string | undefined;
  for await (const piece of linesOf(path)) {
    for (const line of piece) {
      if (unfinished !== undefined) throw damaged(path, unfinished);
      const text = contentOf(line);
      if (text === undefined) {
        unfinished = `line ${lines + 1} is damaged`;
        if (!isLast || !isUnfinished(line)) throw damaged(path, unfinished);
        continue;
      }
      if (lines++ > 0) for (const change of parseExact(text) as unknown[][]) apply(changeOf(change));
      else checkHead(path, JSON.parse(text), number, previousBytes);
      bytes += line.length;
    }
  }
  if (lines === 0 && !isLast) throw damaged(path, 'its first line is missing');
  return bytes;
}

function checkHead(path: string, head: Record<string, unknown>, number: number, previousBytes?: number): void {
  if (head.format !== FORMAT) throw damaged(path, `its format is not '${FORMAT}'`);
  if (head.journal !== number) throw damaged(path, `it is journal ${head.journal}`);
  if (previousBytes !== undefined && head.previousBytes !== previousBytes)
    throw damaged(path, `the journal before it has ${previousBytes} of ${head.previousBytes} bytes`);
}

function lineOf(content: string): Buffer {
  return Buffer.from(`${checksum(content)} ${content}\n`);
}

/** The content of a line; undefined if it is damaged or unfinished. */
function contentOf(line: Buffer): string | undefined {
  if (line.at(-1) !== 10 || line.at(8) !== 32) return undefined;
  const content = line.subarray(9, -1);
  return line.toString('latin1', 0, 8) === checksum(content) ? content.toString() : undefined;
}

/** Whether a damaged last line was never finished: its end is missing, or a part that the disk still has as zeros. */
function isUnfinished(line: Buffer): boolean {
  if (line.includes(0)) return true;
  const isWhole = contentOf(Buffer.concat([line.subarray(0, -1), Buffer.from('\n')])) !== undefined;
  return line.at(-1) !== 10 && !isWhole;
}

function checksum(content: string | Buffer): string {
  return crc32(content).toString(16).padStart(8, '0');
}

function textOf({ collection, id, json, key }: Change): string {
  const change = `${JSON.stringify(collection)},${id},${json}`;
  if (!key) return `[${change}]`;
  // The result is the document, unless it was removed.
  return `[${change},${JSON.stringify([key.id, key.fingerprint, key.made])}${json === null ? `,${key.json}` : ''}]`;
}

function changeOf([collection, id, document, key, removed]: unknown[]): Change {
  const json = document === null ? null : exactJson(document);
  const change = { collection: String(collection), id: Number(id), json };
  if (!Array.isArray(key)) return change;
  const [keyId, fingerprint, made] = key;
  return { ...change, key: { id: keyId, fingerprint, made, json: json ?? exactJson(removed) } };
}

/** The lines of a file with their line feeds, about a megabyte of them at a time. Only the last line may lack its line feed. */
export async function* linesOf(path: string): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 2 ** 20 })) {
    const piece: Buffer = Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      lines.push(piece.subarray(start, end + 1));
      start = end + 1;
    }
    rest = piece.subarray(start);
    yield lines;
  }
  if (rest.length > 0) yield [rest];
}

/** Writes all bytes at a position. A full disk may take a part first. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

/** Makes new, renamed and removed files of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

export function damaged(path: string, what: string): StoreError {
  return new StoreError(
    `${path}: ${what}. Nothing was changed; move the folder away and import your last export into a new one.`,
  );
}
