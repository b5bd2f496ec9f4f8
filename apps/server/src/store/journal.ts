import { existsSync } from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Change } from './commit-plan.ts';
import { damaged, eachLine, hexOf, replaceFile, writeAll } from './disk.ts';
import { recordOf } from './records.ts';
import { messageOf, nothingDone, UnavailableError, UnknownOutcomeError } from './store.ts';

const FORMAT = 'petstore journal 2';
/** The last line of a journal that is followed by another one. */
const END = '[]';

const LINE_FEED = 10;
const SPACE = 32;

const journalName = (number: number) => `journal-${number}.jsonl`;

export function journalPath(folder: string, number: number): string {
  return join(folder, journalName(number));
}

/** The numbers of the journals in a folder, in order. */
export async function journalsIn(folder: string): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of await readdir(folder)) {
    const number = Number(name.replace('journal-', '').replace('.jsonl', ''));
    if (number > 0 && name === journalName(number)) numbers.push(number);
  }
  return numbers.sort((a, b) => a - b);
}

/**
 * A file to which every commit appends a line with its changes. Its first line says its format and
 * its number.
 */
export class Journal {
  readonly number: number;
  /**
   * Whether a sync has failed. The disk may have lost any line then, so nothing is appended again.
   */
  isBroken = false;
  readonly #file: FileHandle;
  /** The bytes of the whole lines. */
  #bytes: number;
  /** Whether a part of a line may follow the whole lines. An earlier process may have left one. */
  #hasTail = true;

  private constructor(file: FileHandle, number: number, bytes: number) {
    this.#file = file;
    this.number = number;
    this.#bytes = bytes;
  }

  /** Makes a journal. After a power cut, it has its first line, or it does not exist. */
  static async create(folder: string, number: number): Promise<Journal> {
    const bytes = await replaceFile(journalPath(folder, number), [firstLine(number)]);
    return Journal.open(folder, number, bytes);
  }

  /** Opens a journal whose whole lines have this number of bytes. */
  static async open(folder: string, number: number, bytes: number): Promise<Journal> {
    return new Journal(await open(journalPath(folder, number), 'r+'), number, bytes);
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Resolves when the changes are on the disk. */
  async append(changes: readonly Change[]): Promise<void> {
    await this.#appendLine(`[${changes.map(recordOf).join(',')}]`);
  }

  /** Ends the journal, which another one follows. */
  async end(): Promise<void> {
    await this.#appendLine(END);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  async #appendLine(content: string): Promise<void> {
    if (this.isBroken) throw new UnavailableError('Nothing was done (the disk failed before).');
    await this.#cutTail().catch(nothingDone);
    const line = checkedLine(content, this.number);
    await this.#write(line);
    try {
      await this.#sync();
    } catch (error) {
      throw unknownOutcome(messageOf(error), error);
    }
    this.#bytes += line.length;
    this.#hasTail = false;
  }

  /** Writes a line after the whole lines. If this fails, it cuts the part that was written. */
  async #write(line: Buffer): Promise<void> {
    this.#hasTail = true;
    try {
      await writeAll(this.#file, line, this.#bytes);
    } catch (error) {
      await this.#cutAfter(error);
      nothingDone(error);
    }
  }

  /**
   * Cuts the tail after a failed write. If the cut fails, too, the next start may find the line.
   */
  async #cutAfter(failure: unknown): Promise<void> {
    try {
      await this.#cutTail();
    } catch (error) {
      this.isBroken = true;
      throw unknownOutcome(`${messageOf(failure)}; then ${messageOf(error)}`, failure);
    }
  }

  /** Cuts the part of a line that may follow the whole lines. */
  async #cutTail(): Promise<void> {
    if (!this.#hasTail) return;
    await this.#file.truncate(this.#bytes);
    await this.#sync();
    this.#hasTail = false;
  }

  async #sync(): Promise<void> {
    try {
      await this.#file.datasync();
    } catch (error) {
      this.isBroken = true;
      throw error;
    }
  }
}

/** Reads a journal, and keeps where its whole lines end. */
export class JournalContent {
  readonly number: number;
  /** The bytes of the whole lines. */
  bytes = 0;
  hasRecords = false;
  /** Whether its last line says that another journal follows. */
  isEnded = false;
  #hasTail = false;
  readonly #path: string;
  readonly #apply: (records: string) => void;

  private constructor(path: string, number: number, apply: (records: string) => void) {
    this.#path = path;
    this.number = number;
    this.#apply = apply;
  }

  /**
   * Reads a journal, and gives the records of each line to `apply`. Throws if it is damaged, but
   * for an unfinished last line.
   */
  static async read(
    folder: string,
    number: number,
    apply: (records: string) => void,
  ): Promise<JournalContent> {
    const path = journalPath(folder, number);
    if (!existsSync(path)) throw damaged(path, 'it is missing');
    const content = new JournalContent(path, number, apply);
    await eachLine(path, (line, count) => content.#take(line, count));
    if (content.bytes === 0) throw damaged(path, 'it is empty');
    return content;
  }

  /** Takes the line with this number, `count`. */
  #take(line: Buffer, count: number): void {
    if (count === 1) {
      this.#takeFirst(line);
      return;
    }
    const content = lineContent(line, this.number);
    // Nothing can follow the end of a journal, or an unfinished line.
    const isLast = this.isEnded || this.#hasTail;
    if (isLast || (content === undefined && !isUnfinished(line, this.number)))
      throw damaged(this.#path, `line ${count} is damaged`);
    if (content === undefined) this.#hasTail = true;
    else this.#takeContent(content, line.length);
  }

  #takeFirst(line: Buffer): void {
    if (!line.equals(firstLine(this.number)))
      throw damaged(this.#path, `its first line is not that of journal ${this.number}`);
    this.bytes = line.length;
  }

  #takeContent(content: string, bytes: number): void {
    this.bytes += bytes;
    if (content === END) {
      this.isEnded = true;
    } else {
      this.hasRecords = true;
      this.#apply(content);
    }
  }
}

/**
 * Whether a line without a valid checksum was never finished: its end is missing, or the disk still
 * has zeros for a part of it.
 */
function isUnfinished(line: Buffer, number: number): boolean {
  if (line.includes(0)) return true;
  if (line.at(-1) === LINE_FEED) return false;
  // If only the line feed differs, the line was finished, and was damaged later.
  const withLineFeed = Buffer.concat([line.subarray(0, -1), Buffer.of(LINE_FEED)]);
  return lineContent(withLineFeed, number) === undefined;
}

function firstLine(number: number): Buffer {
  return checkedLine(JSON.stringify({ format: FORMAT, number }), number);
}

/**
 * A line of a journal: a checksum of its content in hexadecimal, a space, and the content. The
 * checksum depends on the number of the journal, so that a line of another one is noticed.
 */
export function checkedLine(content: string, number: number): Buffer {
  return Buffer.from(`${hexOf(crc32(content, number))} ${content}\n`);
}

/** The content of a line; undefined if the line is damaged or unfinished. */
export function lineContent(line: Buffer, number: number): string | undefined {
  if (line.at(-1) !== LINE_FEED || line.at(8) !== SPACE) return undefined;
  const content = line.subarray(9, -1);
  const isWhole = line.toString('latin1', 0, 8) === hexOf(crc32(content, number));
  return isWhole ? content.toString() : undefined;
}

function unknownOutcome(reasons: string, cause: unknown): UnknownOutcomeError {
  const message = `The disk failed, and whether it has the write is unknown (${reasons}).`;
  return new UnknownOutcomeError(message, { cause });
}
