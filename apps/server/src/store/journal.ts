import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedLine, contentOf, isUnfinished } from './checked-line.ts';
import type { Change } from './commit-plan.ts';
import { damaged, eachLine, replaceFile, writeAll } from './disk.ts';
import { parseRecord, recordOf } from './records.ts';
import { messageOf, nothingDone, UnavailableError, UnknownOutcomeError } from './store.ts';

const FORMAT = 'petstore journal 2';
/** The last line of a journal that was followed by another one. */
const END = '[]';

export const journalName = (number: number) => `journal-${number}.jsonl`;

/** The numbers of the journals in a folder, in order. */
export async function journalsIn(folder: string): Promise<number[]> {
  const numbers: number[] = [];
  for (const name of await readdir(folder)) {
    const number = Number(name.replace('journal-', '').replace('.jsonl', ''));
    if (number > 0 && name === journalName(number)) numbers.push(number);
  }
  return numbers.sort((a, b) => a - b);
}

/** A file to which every commit appends a line with its changes. Its first line says its format and its number. */
export class Journal {
  readonly number: number;
  /** Whether a sync has failed. The disk may have lost any line then, so nothing is appended again. */
  isBroken = false;
  readonly #file: FileHandle;
  /** The bytes of the whole lines. */
  #bytes: number;
  /** Whether there may be something behind the whole lines. */
  #hasTail = true;

  private constructor(file: FileHandle, number: number, bytes: number) {
    this.#file = file;
    this.number = number;
    this.#bytes = bytes;
  }

  /** Makes a journal, which a power cut leaves with its head or not at all. */
  static async create(folder: string, number: number): Promise<Journal> {
    const head = headOf(number);
    const path = join(folder, journalName(number));
    const { file } = await replaceFile(path, (made) => writeAll(made, head, 0));
    const journal = new Journal(file, number, head.length);
    journal.#hasTail = false;
    return journal;
  }

  /** Opens a journal that has so many bytes of whole lines. */
  static async open(folder: string, number: number, bytes: number): Promise<Journal> {
    return new Journal(await open(join(folder, journalName(number)), 'r+'), number, bytes);
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
    this.#hasTail = true;
    try {
      await writeAll(this.#file, line, this.#bytes);
    } catch (error) {
      await this.#cutTail().catch((second: unknown) => {
        this.isBroken = true;
        throw unknownOutcome(`${messageOf(error)}; then ${messageOf(second)}`, error);
      });
      nothingDone(error);
    }
    await this.#sync().catch((error: unknown) => {
      throw unknownOutcome(messageOf(error), error);
    });
    this.#bytes += line.length;
    this.#hasTail = false;
  }

  /** Cuts what is behind the whole lines. */
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

/** What a journal has. */
export interface JournalContent {
  readonly number: number;
  /** The bytes of the whole lines. */
  readonly bytes: number;
  readonly hasRecords: boolean;
  /** Whether another journal follows. */
  readonly isEnded: boolean;
}

/** Reads a journal, and applies its records. Throws if it is damaged, but for an unfinished last line. */
export async function readJournal(
  path: string,
  number: number,
  apply: (record: readonly unknown[]) => void,
): Promise<JournalContent> {
  const reader = new JournalReader(path, number, apply);
  await eachLine(path, (line, count) => reader.take(line, count));
  if (reader.bytes === 0) throw damaged(path, 'it is empty');
  return reader;
}

class JournalReader implements JournalContent {
  readonly number: number;
  bytes = 0;
  hasRecords = false;
  isEnded = false;
  /** Whether the last line was unfinished. */
  #isCut = false;
  readonly #path: string;
  readonly #apply: (record: readonly unknown[]) => void;

  constructor(path: string, number: number, apply: (record: readonly unknown[]) => void) {
    this.#path = path;
    this.number = number;
    this.#apply = apply;
  }

  /** Takes a line of the file, of which `count` is the number. */
  take(line: Buffer, count: number): void {
    if (count === 1) {
      this.#takeHead(line);
      return;
    }
    const content = contentOf(line, this.number);
    const isBehind = this.isEnded || this.#isCut;
    const isDamaged = content === undefined && !isUnfinished(line, this.number);
    if (isBehind || isDamaged) throw damaged(this.#path, `line ${count} is damaged`);
    if (content === undefined) this.#isCut = true;
    else this.#takeRecords(content, line.length);
  }

  #takeHead(line: Buffer): void {
    if (!line.equals(headOf(this.number)))
      throw damaged(this.#path, `its first line is not that of journal ${this.number}`);
    this.bytes = line.length;
  }

  #takeRecords(content: string, bytes: number): void {
    for (const record of parseRecord(content)) {
      this.#apply(record as readonly unknown[]);
      this.hasRecords = true;
    }
    this.isEnded = content === END;
    this.bytes += bytes;
  }
}

function headOf(number: number): Buffer {
  return checkedLine(JSON.stringify({ format: FORMAT, number }), number);
}

function unknownOutcome(reasons: string, cause: unknown): UnknownOutcomeError {
  const message = `The disk failed, and whether it has the write is unknown (${reasons}).`;
  return new UnknownOutcomeError(message, { cause });
}
