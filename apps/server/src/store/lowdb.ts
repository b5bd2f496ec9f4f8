import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Low } from 'lowdb';
import { type Change, createStore } from './create-store.ts';
import { damaged, lock, makeFolder, syncFolder } from './disk.ts';
import { type Journal, journalName, journalsIn, openJournal, readJournal } from './journal.ts';
import { applyEntry, Memory } from './memory.ts';
import { type Data, snapshotIn } from './snapshot.ts';
import { type Declaration, messageOf, nothingDone, type Store, StoreError } from './store.ts';

/** Limits that tests lower. */
export interface Limits {
  /** A journal with fewer bytes is not folded into the snapshot. */
  readonly fold?: number;
  /** About how much memory documents may need. */
  readonly size?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/** Opens the store in a folder, which is created if it is missing. */
export async function openLowdbStore(
  folder: string,
  declarations: readonly Declaration[],
  limits: Limits = {},
) {
  const { fold = 2 ** 23, size = maxSize(), clock = Date.now } = limits;
  const path = resolve(folder);
  let unlock = () => {};
  try {
    await makeFolder(path);
    unlock = lock(join(path, 'lock'));
    const files = await load(path, new Memory(declarations, size, clock));
    const { save, close, journalBytes } = saving(files, await prepare(files), fold);
    const { memory } = files.db.data;
    return createStore(
      declarations,
      Object.assign(memory, { save, journalBytes, close: () => close().finally(unlock) }),
    );
  } catch (error) {
    unlock();
    throw unusable(path, error);
  }
}

/** The present contents of a folder, for an export while a server may use it. Begins again if a fold replaced what was read. */
export async function readLowdbFolder(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store> {
  const path = resolve(folder);
  const state = async () => {
    const { ino } = await stat(join(path, 'store.json'), { bigint: true });
    return [ino, ...(await journalsIn(path))].join(' ');
  };
  try {
    for (;;) {
      const before = await state();
      const memory = new Memory(declarations);
      const [loading] = await Promise.allSettled([load(path, memory)]);
      if ((await state()) !== before) continue;
      if (loading.status === 'rejected') throw loading.reason;
      return createStore(declarations, memory);
    }
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Two thirds of the heap at most, even if each character needs two bytes. */
const maxSize = () => Math.min(2 ** 31, getHeapStatistics().heap_size_limit / 3);

type Files = Awaited<ReturnType<typeof load>>;

/** Reads the snapshot into an empty memory, and repeats the journals that follow it. Changes nothing on the disk. */
async function load(folder: string, memory: Memory) {
  const snapshot = snapshotIn(join(folder, 'store.json'), memory);
  const db = new Low<Data>(snapshot, { memory, journal: 1 });
  await db.read();
  // A new store has its empty journal before its snapshot.
  const isNew = snapshot.bytes === 0;
  const numbers = (await journalsIn(folder)).filter((number) => number >= db.data.journal);
  let [number, bytes, isEnded] = [db.data.journal, 0, true];
  for (let i = 0; i < Math.max(numbers.length, isNew ? 0 : 1); i++) {
    const path = join(folder, journalName(db.data.journal + i));
    if (numbers[i] !== db.data.journal + i) throw damaged(path, 'it is missing');
    const [size, isFollowed] = await readJournal(path, db.data.journal + i, (entry) => {
      if (isNew) throw damaged(snapshot.path, 'it is missing');
      applyEntry(memory, entry);
    });
    // Before a journal ends, the next one is made.
    if (!isEnded && size > 0)
      throw damaged(join(folder, journalName(number)), 'its end is missing');
    if (isEnded) [number, bytes, isEnded] = [db.data.journal + i, size, isFollowed];
  }
  if (isEnded && !isNew) throw damaged(join(folder, journalName(number + 1)), 'it is missing');
  memory.keys.forgotten = 0;
  return { folder, db, snapshot, isNew, number, bytes };
}

/** Opens the last journal for writing, and removes what an interrupted fold left behind. */
async function prepare({ folder, db, isNew, number, bytes }: Files): Promise<Journal> {
  await rm(join(folder, 'store.json.tmp'), { force: true });
  await removeBefore(folder, db.data.journal);
  if (isNew) {
    await (await openJournal(folder, number, bytes)).close();
    await db.write();
  }
  return openJournal(folder, number, bytes);
}

/** Writes changes to the journal, and folds a long journal into the snapshot. */
function saving({ folder, db, snapshot }: Files, last: Journal, foldFloor: number) {
  let journal = last;
  let folding: Promise<void> | undefined;
  const follow = async ({ append, number }: Journal): Promise<Journal> => {
    const next = await openJournal(folder, number + 1);
    await append([]);
    return next;
  };
  /** Writes the snapshot that the new journal follows while writes go on. If this fails, it is tried when that is as long. */
  const fold = async (previous: Journal): Promise<void> => {
    try {
      await previous.close();
      db.data.journal = journal.number;
      await db.write();
      await removeBefore(folder, journal.number);
    } catch (error) {
      const message =
        'The journal could not be folded into store.json, and grows until that succeeds';
      if (!snapshot.isStopped) process.emitWarning(`${message}: ${messageOf(error)}`);
    }
    folding = undefined;
  };
  return {
    save: async (changes: readonly Change[]): Promise<void> => {
      const previous = journal;
      if (!folding && previous.size() > Math.max(foldFloor, snapshot.bytes)) {
        journal = await follow(previous).catch(nothingDone);
        folding = fold(previous);
      }
      await journal.append(changes);
    },
    journalBytes: () => journal.size(),
    close: async (): Promise<void> => {
      snapshot.isStopped = true;
      await folding;
      await journal.close();
    },
  };
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await journalsIn(folder))
    if (number < first) await rm(join(folder, journalName(number)));
  await syncFolder(folder);
}

function unusable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error);
  if (reason === 'database is locked')
    return new StoreError(
      `${folder}: another process uses it; stop that, or set PETSTORE_DATA_DIR to another folder.`,
    );
  const message = `${folder}: cannot be used (${reason}). Check its path, permissions and free space.`;
  return new StoreError(message, { cause: error });
}
