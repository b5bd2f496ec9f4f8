import { crc32 } from 'node:zlib';
import { hexOf } from './disk.ts';

const LINE_FEED = 10;
const SPACE = 32;

/**
 * A line of a journal: a checksum of its content in hexadecimal, a space, and the content. The checksum depends on the number of
 * the journal, so that a line of another one is noticed.
 */
export function checkedLine(content: string, number: number): Buffer {
  return Buffer.from(`${hexOf(crc32(content, number))} ${content}\n`);
}

/** The content of a line; undefined if the line is damaged or unfinished. */
export function contentOf(line: Buffer, number: number): string | undefined {
  if (line.at(-1) !== LINE_FEED || line.at(8) !== SPACE) return undefined;
  const content = line.subarray(9, -1);
  const isWhole = line.toString('latin1', 0, 8) === hexOf(crc32(content, number));
  return isWhole ? content.toString() : undefined;
}

/** Whether a damaged last line was never finished: its end is missing, or a part that the disk still has as zeros. */
export function isUnfinished(line: Buffer, number: number): boolean {
  if (line.includes(0)) return true;
  if (line.at(-1) === LINE_FEED) return false;
  // A whole line of which only the line feed differs is damaged.
  const mended = Buffer.concat([line.subarray(0, -1), Buffer.from('\n')]);
  return contentOf(mended, number) === undefined;
}
