import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Low } from 'lowdb';
import type { Source } from '../transfer.ts';
import { Batch, nothingDone } from './batch.ts';
import { damaged, hasCode, syncFolder } from './files.ts';
import { Journal, journalName, readJournal } from './journal.ts';
import { Contents } from './memory.ts';
import { type Data, Snapshot } from './snapshot.ts';
import { type Declaration, messageOf, type Store, StoreError, UnavailableError } from './store.ts';
import { plan, restoring, type Write } from './writes.ts';

/** Limits that tests lower. */
export interface Limits {
  /** A journal with fewer bytes is not folded into the snapshot. */
  readonly fold?: number;
  /** About how much memory documents may need. */
  readonly size?: number;
}

/** Opens the store in a folder, which is created if it is missing. */
export async function openLowdbStore(
  folder: string,
  declarations: readonly Declaration[],
  limits: Limits = {},
): Promise<Store> {
  const path = resolve(folder);
  const unlock = await makeAndLock(path);
  try {
    const files = await load(path, declarations, limits.size);
    const journal = await openJournal(path, files);
    return new LowdbStore(path, files, journal, unlock, limits.fold ?? 2 ** 23);
  } catch (error) {
    unlock();
    throw unusable(path, error);
  }
}

/** Reads the store in a folder for an export while a server may use it. Begins again if a fold replaced what was read. */
export async function readLowdbFolder(folder: string, declarations: readonly Declaration[]): Promise<Source> {
  const path = resolve(folder);
  const state = async () => {
    const { ino } = await stat(join(path, 'store.json'), { bigint: true });
    return [ino, ...(await journalsIn(path))].join(' ');
  };
  try {
    for (;;) {
      const before = await state();
      try {
        const { db } = await load(path, declarations, Number.POSITIVE_INFINITY);
        const { contents } = db.data;
        const source = {
          collection: (name: string) => contents.of(name),
          nextId: (name: string) => contents.nextId(name),
        };
        if ((await state()) === before) return source;
      } catch (error) {
        if ((await state()) === before) throw error;
      }
    }
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Two thirds of the heap at most, even if each character needs two bytes. */
const maxSize = () => Math.min(2 ** 31, getHeapStatistics().heap_size_limit / 3);

interface Files {
  readonly db: Low<Data>;
  readonly snapshot: Snapshot;
  readonly isNew: boolean;
  /** The numbers and lengths of the journals that follow the snapshot. */
  readonly journals: { number: number; bytes: number }[];
}

/** Reads the snapshot, and repeats the journals that follow it. Changes nothing. */
async function load(folder: string, declarations: readonly Declaration[], size = maxSize()): Promise<Files> {
  const snapshot = new Snapshot(join(folder, 'store.json'), declarations, size);
  const db = new Low<Data>(snapshot, { contents: new Contents(declarations, size), journal: 0 });
  await db.read();
  const { contents, journal: first } = db.data;
  const isNew = first === 0;
  const numbers = (await journalsIn(folder)).filter((number) => number >= first);
  // The first journal of a new store is begun before its snapshot is written.
  if (isNew && numbers.some((number) => number > 1)) throw damaged(snapshot.path, 'it is missing');
  if (!isNew && !numbers.includes(first)) throw damaged(join(folder, journalName(first)), 'it is missing');

  const journals: Files['journals'] = [];
  for (const number of numbers) {
    const previousBytes = journals.at(-1)?.bytes;
    const isFirst = number === first;
    const reading = { number, previousBytes, isFirst, isLast: number === numbers.at(-1) };
    if (!isNew && number !== first + journals.length)
      throw damaged(join(folder, journalName(first + journals.length)), 'it is missing');
    const bytes = await readJournal(folder, reading, (change) => {
      if (isNew) throw damaged(snapshot.path, 'it is missing');
      contents.apply(change);
    });
    journals.push({ number, bytes });
  }
  contents.keys.forgotten = 0;
  return { db, snapshot, isNew, journals };
}

/** Opens the last journal for writing, and removes what an interrupted fold left behind. */
async function openJournal(folder: string, { db, isNew, journals }: Files): Promise<Journal> {
  if (isNew) {
    const journal = await Journal.begin(folder, 1, 0);
    db.data.journal = 1;
    await db.write();
    journals.splice(0, 1, journal);
    return journal;
  }
  await rm(join(folder, 'store.json.tmp'), { force: true });
  await removeBefore(folder, db.data.journal);
  const { number, bytes } = journals.at(-1) ?? { number: db.data.journal, bytes: 0 };
  if (bytes > 0) return Journal.open(folder, number, bytes);
  return Journal.begin(folder, number, journals.at(-2)?.bytes ?? 0);
}

class LowdbStore implements Store {
  readonly #folder: string;
  readonly #db: Low<Data>;
  readonly #snapshot: Snapshot;
  readonly #unlock: () => void;
  readonly #batch = new Batch((writes) => this.#commit(writes));
  readonly #foldFloor: number;
  #journal: Journal;
  /** The bytes of the journals that follow the snapshot, but the current one. */
  #before: number;
  #foldAt: number;
  #hasLeftover = false;
  #folding: Promise<void> | undefined;

  constructor(folder: string, { db, snapshot, journals }: Files, journal: Journal, unlock: () => void, fold: number) {
    this.#folder = folder;
    this.#db = db;
    this.#snapshot = snapshot;
    this.#journal = journal;
    this.#unlock = unlock;
    this.#foldFloor = fold;
    this.#before = journals.slice(0, -1).reduce((sum, { bytes }) => sum + bytes, 0);
    this.#foldAt = this.#allowance();
  }

  get #contents(): Contents {
    return this.#db.data.contents;
  }

  collection: Store['collection'] = (name, key) => {
    return this.#contents.collection(name, (write) => this.#batch.add(write), key);
  };

  nextId(collection: string): number {
    return this.#contents.nextId(collection);
  }

  restore: Store['restore'] = async (collection, documents, nextId) => {
    const { declaration } = this.#contents.of(collection);
    await Promise.all(restoring(declaration, documents, nextId).map((write) => this.#batch.add(write)));
  };

  async check(): Promise<void> {
    if (this.#batch.isClosed) throw new UnavailableError('The store is closed.');
  }

  forgottenKeys(): number {
    return this.#contents.keys.forgotten;
  }

  async close(): Promise<void> {
    await this.#batch.close();
    this.#snapshot.stop();
    await this.#folding;
    await this.#journal.close();
    this.#unlock();
  }

  async #commit(writes: Write[]) {
    if (!this.#folding && this.#before + this.#journal.bytes > this.#foldAt) await this.#beginFold();
    if (this.#hasLeftover) await this.#removeLeftover();
    const { changes, outcomes } = plan(writes, this.#contents);
    if (changes.length > 0) await this.#journal.append(changes);
    for (const change of changes) this.#contents.apply(change);
    return outcomes;
  }

  /** How large the journals may become before the next fold. */
  #allowance(): number {
    return Math.max(this.#foldFloor, this.#snapshot.bytes);
  }

  /** Begins the next journal, and then writes the snapshot that it follows while writes go on. */
  async #beginFold(): Promise<void> {
    const { bytes } = this.#journal;
    // If this fails, the next attempt follows when the journal has grown as much again.
    this.#foldAt = this.#before + bytes + this.#allowance();
    let next: Journal;
    try {
      await this.#journal.finish();
      this.#hasLeftover = true;
      next = await Journal.begin(this.#folder, this.#journal.number + 1, bytes);
      this.#hasLeftover = false;
    } catch (error) {
      return warn(error);
    }
    const previous = this.#journal;
    this.#journal = next;
    this.#before += bytes;
    this.#folding = this.#fold(previous)
      .catch((error: unknown) => {
        if (!this.#batch.isClosed) warn(error);
      })
      .finally(() => {
        this.#folding = undefined;
      });
  }

  /** Removes a next journal that could not be begun: this journal must not grow while it is there. */
  async #removeLeftover(): Promise<void> {
    try {
      await rm(join(this.#folder, journalName(this.#journal.number + 1)), { force: true });
      await syncFolder(this.#folder);
      this.#hasLeftover = false;
    } catch (error) {
      throw nothingDone(error);
    }
  }

  async #fold(previous: Journal): Promise<void> {
    await previous.close();
    const folded = this.#before;
    this.#db.data.journal = this.#journal.number;
    await this.#db.write();
    this.#before -= folded;
    this.#foldAt = this.#allowance();
    await removeBefore(this.#folder, this.#journal.number);
  }
}

function warn(error: unknown): void {
  process.emitWarning(
    `The journal could not be folded into store.json, and grows until that succeeds: ${messageOf(error)}`,
  );
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await journalsIn(folder)) if (number < first) await rm(join(folder, journalName(number)));
  await syncFolder(folder);
}

/** The numbers of the journals in a folder, in order. */
async function journalsIn(folder: string): Promise<number[]> {
  const numbers = (await readdir(folder)).map((name) => Number(/^journal-([1-9]\d*)\.jsonl$/.exec(name)?.[1] ?? 0));
  return numbers.filter((number) => number > 0).sort((a, b) => a - b);
}

async function makeAndLock(folder: string): Promise<() => void> {
  const file = join(folder, 'lock');
  try {
    const made = await mkdir(folder, { recursive: true, mode: 0o700 });
    // Each new folder is an entry of the folder above it.
    for (let at = folder; made && at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
    return lock(file);
  } catch (error) {
    if (hasCode(error, 'ERR_SQLITE_ERROR') && /locked/.test(messageOf(error)))
      throw new StoreError(`${folder}: another process uses it; stop that, or choose another folder.`);
    throw unusable(folder, error);
  }
}

function unusable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const advice = hasCode(error, 'ENOSPC') ? 'Free some space' : 'Check the path, its permissions and the disk';
  return new StoreError(`${folder}: cannot be used (${messageOf(error)}). ${advice}.`, { cause: error });
}

/** Locks a file until the returned function is called, or the process ends in any way. */
function lock(file: string): () => void {
  // Node 22 warns that SQLite is experimental, which is nothing that users can act on.
  const { emitWarning } = process;
  process.emitWarning = () => {};
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  process.emitWarning = emitWarning;
  const database = new DatabaseSync(file);
  try {
    // No journal on the disk, so that a full disk does not prevent the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}
