import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Low } from 'lowdb';
import { createStore } from './create-store.ts';
import { damaged, LockedError, lock, makeFolder } from './disk.ts';
import { type Folder, FolderWriter, type NotedLength, readNotedLength } from './folder-writer.ts';
import { JournalContent, journalPath, journalsIn } from './journal.ts';
import { Memory, type MemoryOptions } from './memory.ts';
import { applyRecords } from './records.ts';
import { type Data, Snapshot } from './snapshot.ts';
import { type Declaration, messageOf, type Store, StoreError } from './store.ts';

export interface LowdbOptions extends MemoryOptions {
  /** A journal with fewer bytes is not folded into the snapshot. */
  readonly fold?: number;
}

/** Opens the store in a folder. Creates the folder if it is missing. */
export async function openLowdbStore(
  folder: string,
  declarations: readonly Declaration[],
  options: LowdbOptions = {},
): Promise<Store> {
  const { fold = 2 ** 23, size = maxSize(), clock } = options;
  const path = resolve(folder);
  let unlock = () => {};
  try {
    await makeFolder(path);
    unlock = lock(join(path, 'lock'));
    const memory = new Memory(declarations, { size, clock });
    memory.log = await FolderWriter.open(await readFolder(path, memory), fold);
    const store = createStore(declarations, memory);
    return { ...store, close: () => store.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw unusable(path, error);
  }
}

/** Reads the present contents of a folder for an export. A server may use the folder meanwhile. */
export async function readLowdbFolder(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store> {
  const path = resolve(folder);
  try {
    return await readBetweenFolds(path, declarations);
  } catch {
    // A fold that has just begun can look like damage. Only real damage is still there the second
    // time.
    return await readBetweenFolds(path, declarations).catch((error: unknown) => {
      throw unusable(path, error);
    });
  }
}

/** Reads a folder, and again if a fold has replaced files meanwhile. */
async function readBetweenFolds(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store> {
  for (;;) {
    const before = await foldVersion(folder);
    const memory = new Memory(declarations);
    const [reading] = await Promise.allSettled([readFolder(folder, memory)]);
    // The files that a fold replaces meanwhile can look damaged.
    if ((await foldVersion(folder)) !== before) continue;
    if (reading.status === 'rejected') throw reading.reason;
    return createStore(declarations, memory);
  }
}

/** A text that differs after each fold. */
async function foldVersion(folder: string): Promise<string> {
  const { ino } = await stat(join(folder, 'store.json'), { bigint: true });
  const journals = await journalsIn(folder);
  return [ino, ...journals].join(' ');
}

/**
 * Reads a folder into an empty memory: the snapshot, then the journals that follow it. Changes
 * nothing on the disk.
 */
async function readFolder(path: string, memory: Memory): Promise<Folder> {
  // This is read first, because the journals may grow meanwhile.
  const noted = await readNotedLength(path);
  const snapshot = new Snapshot(join(path, 'store.json'), memory);
  const db = new Low<Data>(snapshot, { memory, journal: 1 });
  await db.read();
  const isNew = snapshot.bytes === 0;
  if (isNew && (noted || (await hasWrites(path)))) throw damaged(snapshot.path, 'it is missing');
  const lastJournal = isNew ? undefined : await readJournals(path, db.data);
  if (noted && lastJournal) checkLength(path, noted, lastJournal);
  // The keys that this start has forgotten were already forgotten, and counted.
  memory.keys.forgotten = 0;
  return { path, snapshot, db, lastJournal };
}

/**
 * Whether journals have more than an interrupted first start leaves: one journal, without records.
 */
async function hasWrites(folder: string): Promise<boolean> {
  for (const number of await journalsIn(folder)) {
    const { hasRecords } = await JournalContent.read(folder, number, () => {});
    if (hasRecords || number > 1) return true;
  }
  return false;
}

/** Reads the snapshot's journal and those after it. Returns the last one that was written. */
async function readJournals(
  folder: string,
  { journal: first, memory }: Data,
): Promise<JournalContent> {
  const apply = (records: string) => applyRecords(memory, records);
  const highest = (await journalsIn(folder)).at(-1) ?? first;
  let last = await JournalContent.read(folder, first, apply);
  for (let number = first + 1; number <= highest; number++) {
    const next = await JournalContent.read(folder, number, apply);
    // A store makes the next journal before it ends this one, and writes to it after that.
    if (last.isEnded) last = next;
    else if (next.hasRecords) throw damaged(journalPath(folder, last.number), 'its end is missing');
  }
  if (last.isEnded) throw damaged(journalPath(folder, last.number + 1), 'it is missing');
  return last;
}

/** Only the last journal is compared with its noted length: the end of any other has been read. */
function checkLength(folder: string, noted: NotedLength, last: JournalContent): void {
  const path = journalPath(folder, noted.number);
  if (noted.number > last.number) throw damaged(path, 'it is missing');
  if (noted.number === last.number && noted.bytes > last.bytes)
    throw damaged(path, `it has ${last.bytes} bytes, and had ${noted.bytes}`);
}

/** Two thirds of the heap at most, even if each character needs two bytes. */
function maxSize(): number {
  return Math.min(2 ** 31, getHeapStatistics().heap_size_limit / 3);
}

function unusable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  if (error instanceof LockedError)
    return new StoreError(
      `${folder}: another process uses it; stop that, or set PETSTORE_DATA_DIR to another folder.`,
    );
  const message = `${folder}: cannot be used (${messageOf(error)}). Check its path, permissions and free space.`;
  return new StoreError(message, { cause: error });
}
