import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Low } from 'lowdb';
import { type Change, createStore } from './create-store.ts';
import { damaged, lock, makeFolder, syncFolder } from './disk.ts';
import { Journal, journalName, journalsIn, readJournal } from './journal.ts';
import { backendOf, Contents, memoryStore } from './memory.ts';
import { type Data, Snapshot } from './snapshot.ts';
import { type Declaration, messageOf, nothingDone, type Store, StoreError } from './store.ts';

/** Opens the store in a folder, which is created if it is missing. Tests lower the bytes of a journal that is folded, and of all. */
export async function openLowdbStore(
  folder: string,
  declarations: readonly Declaration[],
  limits: { readonly fold?: number; readonly size?: number } = {},
): Promise<Store> {
  const path = resolve(folder);
  let unlock: (() => void) | undefined;
  try {
    await makeFolder(path);
    unlock = lock(join(path, 'lock'));
    const files = await load(path, declarations, limits.size);
    const writer = new Writer(files, await openJournal(files), limits.fold ?? 2 ** 23);
    return createStore(declarations, {
      ...backendOf(files.db.data.contents, (changes) => writer.save(changes)),
      close: () => writer.close().then(unlock),
    });
  } catch (error) {
    unlock?.();
    throw unusable(path, error);
  }
}

/** The present contents of a folder, for an export while a server may use it. Begins again if a fold replaced what was read. */
export async function readLowdbFolder(folder: string, declarations: readonly Declaration[]): Promise<Store> {
  const path = resolve(folder);
  const state = async () => {
    const { ino } = await stat(join(path, 'store.json'), { bigint: true });
    return [ino, ...(await journalsIn(path))].join(' ');
  };
  try {
    for (;;) {
      const before = await state();
      const loaded = await load(path, declarations, Number.POSITIVE_INFINITY).catch((error: Error) => error);
      if ((await state()) !== before) continue;
      if (loaded instanceof Error) throw loaded;
      return memoryStore(declarations, loaded.db.data.contents);
    }
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Two thirds of the heap at most, even if each character needs two bytes. */
const maxSize = () => Math.min(2 ** 31, getHeapStatistics().heap_size_limit / 3);

interface Files {
  readonly folder: string;
  readonly db: Low<Data>;
  readonly snapshot: Snapshot;
  readonly isNew: boolean;
  /** The last journal, and the bytes of its whole lines. */
  readonly number: number;
  readonly bytes: number;
}

/** Reads the snapshot, and repeats the journals that follow it. Changes nothing. */
async function load(folder: string, declarations: readonly Declaration[], size = maxSize()): Promise<Files> {
  const empty = () => new Contents(declarations, size);
  const snapshot = new Snapshot(join(folder, 'store.json'), empty);
  const db = new Low<Data>(snapshot, { contents: empty(), journal: 1 });
  await db.read();
  const { contents, journal: first } = db.data;
  // A new store has its empty journal before its snapshot.
  const isNew = snapshot.bytes === 0;
  const numbers = (await journalsIn(folder)).filter((number) => number >= first);
  let [number, bytes] = [first, 0];
  for (let i = 0; i < Math.max(numbers.length, isNew ? 0 : 1); i++) {
    number = first + i;
    if (numbers[i] !== number) throw damaged(join(folder, journalName(number)), 'it is missing');
    bytes = await readJournal(folder, number, number === numbers.at(-1), (entry) => {
      if (isNew) throw damaged(snapshot.path, 'it is missing');
      contents.applyEntry(entry);
    });
  }
  contents.keys.forgotten = 0;
  return { folder, db, snapshot, isNew, number, bytes };
}

/** Opens the last journal for writing, and removes what an interrupted fold left behind. */
async function openJournal({ folder, db, isNew, number, bytes }: Files): Promise<Journal> {
  await rm(join(folder, 'store.json.tmp'), { force: true });
  await removeBefore(folder, db.data.journal);
  if (isNew) {
    await (await Journal.open(folder, number, bytes)).close();
    await db.write();
  }
  return Journal.open(folder, number, bytes);
}

/** Writes commits to the journal, and folds a long journal into the snapshot. */
class Writer {
  readonly #files: Files;
  readonly #foldFloor: number;
  #journal: Journal;
  #folding: Promise<void> | undefined;

  constructor(files: Files, journal: Journal, foldFloor: number) {
    this.#files = files;
    this.#journal = journal;
    this.#foldFloor = foldFloor;
  }

  async save(changes: Change[]): Promise<void> {
    const isLong = this.#journal.bytes > Math.max(this.#foldFloor, this.#files.snapshot.bytes);
    if (isLong && !this.#folding) await this.#beginFold();
    await this.#journal.append(changes);
  }

  async close(): Promise<void> {
    this.#files.snapshot.isStopped = true;
    await this.#folding;
    await this.#journal.close();
  }

  /** Begins the next journal, and then writes the snapshot that it follows while writes go on. */
  async #beginFold(): Promise<void> {
    const previous = this.#journal;
    try {
      await previous.append([]);
      this.#journal = await Journal.open(this.#files.folder, previous.number + 1, 0);
    } catch (error) {
      throw nothingDone(error);
    }
    this.#folding = this.#fold(previous);
  }

  /** If this fails, the next attempt follows when the next journal is as long. */
  async #fold(previous: Journal): Promise<void> {
    const { folder, db, snapshot } = this.#files;
    try {
      await previous.close();
      db.data.journal = this.#journal.number;
      await db.write();
      await removeBefore(folder, this.#journal.number);
    } catch (error) {
      const message = 'The journal could not be folded into store.json, and grows until that succeeds';
      if (!snapshot.isStopped) process.emitWarning(`${message}: ${messageOf(error)}`);
    }
    this.#folding = undefined;
  }
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await journalsIn(folder)) if (number < first) await rm(join(folder, journalName(number)));
  await syncFolder(folder);
}

function unusable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error);
  if (reason === 'database is locked')
    return new StoreError(`${folder}: another process uses it; stop that, or choose another folder.`);
  const advice = reason.startsWith('ENOSPC') ? 'Free some space' : 'Check the path, its permissions and the disk';
  return new StoreError(`${folder}: cannot be used (${reason}). ${advice}.`, { cause: error });
}
