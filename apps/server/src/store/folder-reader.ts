import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Low } from 'lowdb';
import { damaged, eachLine } from './disk.ts';
import {
  contentOf,
  END,
  firstLine,
  journalName,
  journalsIn,
  LINE_FEED,
  type NotedLength,
  readNotedLength,
} from './journal.ts';
import type { Memory } from './memory.ts';
import { applyRecords } from './records.ts';
import { type Data, Snapshot } from './snapshot.ts';

/** A folder whose files were read into a memory. */
export interface Folder {
  readonly path: string;
  readonly snapshot: Snapshot;
  readonly db: Low<Data>;
  /** The journal to which a store appends. Undefined in a new folder. */
  readonly lastJournal: JournalContent | undefined;
}

/** What was read of a journal. */
interface JournalContent {
  readonly number: number;
  /** The bytes of the whole lines. */
  readonly bytes: number;
  readonly hasRecords: boolean;
  /** Whether its last line says that another journal follows. */
  readonly isEnded: boolean;
}

/**
 * Reads a folder into an empty memory: the snapshot, then the journals that follow it. Changes
 * nothing on the disk.
 */
export async function readFolder(path: string, memory: Memory): Promise<Folder> {
  // Before the journals, which may grow meanwhile.
  const noted = await readNotedLength(path);
  const snapshot = new Snapshot(join(path, 'store.json'), memory);
  const db = new Low<Data>(snapshot, { memory, journal: 1 });
  await db.read();
  const isNew = snapshot.bytes === 0;
  if (isNew) await checkNew(path, snapshot, noted);
  const lastJournal = isNew ? undefined : await readJournals(path, db.data);
  if (noted && lastJournal) checkLength(path, noted, lastJournal);
  // Those that the start forgot were forgotten before.
  memory.keys.forgotten = 0;
  return { path, snapshot, db, lastJournal };
}

/**
 * A folder without a snapshot is new. An interrupted start may have left it a first journal without
 * records.
 */
async function checkNew(
  folder: string,
  snapshot: Snapshot,
  noted: NotedLength | undefined,
): Promise<void> {
  for (const number of await journalsIn(folder)) {
    const { hasRecords } = await readJournal(folder, number);
    if (hasRecords || number > 1) throw damaged(snapshot.path, 'it is missing');
  }
  if (noted) throw damaged(snapshot.path, 'it is missing');
}

/** Reads the snapshot's journal and those after it. Returns the last one that was written. */
async function readJournals(
  folder: string,
  { journal: first, memory }: Data,
): Promise<JournalContent> {
  const highest = (await journalsIn(folder)).at(-1) ?? first;
  let last = await readJournal(folder, first, memory);
  for (let number = first + 1; number <= highest; number++) {
    const next = await readJournal(folder, number, memory);
    // The next journal is made before this one ends, and written after that.
    if (last.isEnded) last = next;
    else if (next.hasRecords) throw damaged(pathOf(folder, last.number), 'its end is missing');
  }
  if (last.isEnded) throw damaged(pathOf(folder, last.number + 1), 'it is missing');
  return last;
}

/** Only the last journal is compared with its noted length: the end of any other has been read. */
function checkLength(folder: string, noted: NotedLength, last: JournalContent): void {
  const path = pathOf(folder, noted.number);
  if (noted.number > last.number) throw damaged(path, 'it is missing');
  if (noted.number === last.number && noted.bytes > last.bytes)
    throw damaged(path, `it has ${last.bytes} bytes, and had ${noted.bytes}`);
}

/**
 * Reads a journal, and applies its records to a memory. Throws if it is damaged, but for an
 * unfinished last line.
 */
async function readJournal(
  folder: string,
  number: number,
  memory?: Memory,
): Promise<JournalContent> {
  const path = pathOf(folder, number);
  if (!existsSync(path)) throw damaged(path, 'it is missing');
  const reader = new JournalReader(path, number, memory);
  await eachLine(path, (line, count) => reader.take(line, count));
  if (reader.bytes === 0) throw damaged(path, 'it is empty');
  return reader;
}

function pathOf(folder: string, number: number): string {
  return join(folder, journalName(number));
}

class JournalReader implements JournalContent {
  readonly number: number;
  bytes = 0;
  hasRecords = false;
  isEnded = false;
  #isUnfinished = false;
  readonly #path: string;
  readonly #memory: Memory | undefined;

  constructor(path: string, number: number, memory: Memory | undefined) {
    this.#path = path;
    this.number = number;
    this.#memory = memory;
  }

  /** Takes a line of the file, of which `count` is the number. */
  take(line: Buffer, count: number): void {
    if (count === 1) {
      this.#takeFirst(line);
      return;
    }
    // Nothing follows the end of a journal, or a line that was not finished.
    if (this.isEnded || this.#isUnfinished) throw this.#damagedLine(count);
    const content = contentOf(line, this.number);
    if (content !== undefined) this.#takeContent(content, line.length);
    else if (isUnfinished(line, this.number)) this.#isUnfinished = true;
    else throw this.#damagedLine(count);
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
      if (this.#memory) applyRecords(this.#memory, content);
    }
  }

  #damagedLine(count: number): Error {
    return damaged(this.#path, `line ${count} is damaged`);
  }
}

/**
 * Whether a line without a valid checksum was never finished: its end is missing, or the disk still
 * has zeros for a part of it.
 */
function isUnfinished(line: Buffer, number: number): boolean {
  if (line.includes(0)) return true;
  if (line.at(-1) === LINE_FEED) return false;
  // If only the line feed differs, the line was finished, and is damaged.
  const withLineFeed = Buffer.concat([line.subarray(0, -1), Buffer.of(LINE_FEED)]);
  return contentOf(withLineFeed, number) === undefined;
}
