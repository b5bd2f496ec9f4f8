import { constants } from 'node:fs';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { parseExact } from '@petstore/types';
import type { Change } from './create-store.ts';
import { damaged, eachLine, hexOf, syncFolder, writeAll } from './disk.ts';
import { entryOf } from './memory.ts';
import { messageOf, nothingDone, UnknownOutcomeError } from './store.ts';

export const journalName = (number: number) => `journal-${number}.jsonl`;

export type Journal = Awaited<ReturnType<typeof openJournal>>;

/**
 * Opens the file to which every commit appends a line: a checksum of the rest in hexadecimal, and a JSON array of its changes. A
 * journal that was followed by another one ends with an empty array. Of an existing file, so many bytes are whole lines.
 */
export async function openJournal(folder: string, number: number, bytes = 0) {
  const file = await open(
    join(folder, journalName(number)),
    constants.O_RDWR | constants.O_CREAT,
    0o600,
  );
  await syncFolder(folder).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  /** Whether there may be something behind the whole lines. */
  let isUnfinished = true;
  /** Cuts what follows the whole lines. */
  const finish = async (): Promise<void> => {
    if (!isUnfinished) return;
    await file.truncate(bytes);
    await file.datasync();
    isUnfinished = false;
  };
  return {
    number,
    /** The bytes of the whole lines. */
    size: () => bytes,
    /** Resolves when the changes are on the disk. */
    append: async (changes: readonly Change[]): Promise<void> => {
      await finish().catch(nothingDone);
      const content = `[${changes.map(entryOf).join(',')}]`;
      const line = Buffer.from(`${checksumOf(content, number)} ${content}\n`);
      try {
        isUnfinished = true;
        await writeAll(file, line, bytes);
        await file.datasync();
        bytes += line.length;
        isUnfinished = false;
      } catch (error) {
        await finish().catch((second: unknown) => {
          const reasons = `${messageOf(error)}; then ${messageOf(second)}`;
          const message = `The disk failed, and whether it has the write is unknown (${reasons}).`;
          throw new UnknownOutcomeError(message, { cause: error });
        });
        nothingDone(error);
      }
    },
    close: () => file.close(),
  };
}

/** The numbers of the journals in a folder, in order. */
export async function journalsIn(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).map((name) =>
    Number(/^journal-([1-9]\d*)\.jsonl$/.exec(name)?.[1] ?? 0),
  );
  return numbers.filter((number) => number > 0).sort((a, b) => a - b);
}

/**
 * Reads a journal, and returns the bytes of its whole lines, and whether another one followed it. Throws if it is damaged, but for
 * an unfinished last line.
 */
export async function readJournal(path: string, number: number, apply: (entry: unknown) => void) {
  let bytes = 0;
  let content: string | undefined = '';
  await eachLine(path, (line, count) => {
    const isBehind = content === undefined || content === '[]';
    content = contentOf(line, number);
    if (isBehind || (content === undefined && !isUnfinished(line, number)))
      throw damaged(path, `line ${count} is damaged`);
    if (content === undefined) return;
    for (const entry of parseExact(content) as unknown[]) apply(entry);
    bytes += line.length;
  });
  return [bytes, content === '[]'] as const;
}

/** Depends on the number of the journal, so that a line of another one is noticed. */
function checksumOf(content: string | Buffer, number: number): string {
  return hexOf(crc32(content, number));
}

/** The content of a line; undefined if it is damaged or unfinished. */
function contentOf(line: Buffer, number: number): string | undefined {
  if (line.at(-1) !== 10 || line.at(8) !== 32) return undefined;
  const content = line.subarray(9, -1);
  return line.toString('latin1', 0, 8) === checksumOf(content, number)
    ? content.toString()
    : undefined;
}

/** Whether a damaged last line was never finished: its end is missing, or a part that the disk still has as zeros. */
function isUnfinished(line: Buffer, number: number): boolean {
  if (line.includes(0)) return true;
  // A whole line of which only the line feed differs is damaged.
  const mended = Buffer.concat([line.subarray(0, -1), Buffer.from('\n')]);
  return line.at(-1) !== 10 && contentOf(mended, number) === undefined;
}
