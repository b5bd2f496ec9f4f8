import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { exactJson, parseExact } from '@petstore/types';
import { nothingDone } from './batch.ts';
import { damaged, linesOf, piecesOf, syncFolder, writeAll } from './files.ts';
import { messageOf, UnknownOutcomeError } from './store.ts';
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

  /** Creates a journal that survives a power cut. */
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
    try {
      await this.finish();
    } catch (error) {
      throw nothingDone(error);
    }
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
    await this.#file.truncate(this.bytes);
    await this.#file.datasync();
    this.#isUnfinished = false;
  }

  close(): Promise<void> {
    return this.#file.close();
  }
}

interface Reading {
  readonly number: number;
  /** The length of the journal before it, if that was read. */
  readonly previousBytes: number | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

/** Reads a journal, and returns the bytes of its whole lines. Throws if anything but an unfinished last line is damaged. */
export async function readJournal(
  folder: string,
  { number, previousBytes, isFirst, isLast }: Reading,
  apply: (change: Change) => void,
): Promise<number> {
  const path = join(folder, journalName(number));
  let [bytes, lines] = [0, 0];
  let unfinished: string | undefined;
  for await (const piece of piecesOf(path)) {
    for (const line of linesOf(piece)) {
      if (unfinished !== undefined) throw damaged(path, unfinished);
      const text = contentOf(line);
      if (text === undefined) {
        unfinished = `line ${lines + 1} is damaged`;
        if (!isLast || !isUnfinished(line)) throw damaged(path, unfinished);
        continue;
      }
      if (lines++ === 0) checkHead(path, text, number, previousBytes);
      else for (const change of parseExact(text) as unknown[][]) apply(changeOf(change));
      bytes += line.length;
    }
  }
  // A journal has its first line before anything refers to it.
  if (lines === 0 && (isFirst || !isLast)) throw damaged(path, 'its first line is missing');
  return bytes;
}

function checkHead(path: string, text: string, number: number, previousBytes: number | undefined): void {
  const head: Record<string, unknown> = JSON.parse(text);
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

export function checksum(content: string | Buffer, before = 0): string {
  return crc32(content, before).toString(16).padStart(8, '0');
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
