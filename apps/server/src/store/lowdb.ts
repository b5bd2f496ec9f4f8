import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { Low } from 'lowdb';
import type { Source } from '../transfer.ts';
import { Batch, nothingDone } from './batch.ts';
import { damaged, Journal, journalName, readJournal, syncFolder } from './journal.ts';
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
  let unlock: (() => void) | undefined;
  try {
    await makeFolder(path);
    unlock = lock(join(path, 'lock'));
    const files = await load(path, declarations, limits.size);
    const journal = await openJournal(path, files);
    return new LowdbStore(path, files, journal, unlock, limits.fold ?? 2 ** 23);
  } catch (error) {
    unlock?.();
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
      const loaded = await load(path, declarations, Number.POSITIVE_INFINITY).catch((error: unknown) => ({ error }));
      if ((await state()) !== before) continue;
      if ('error' in loaded) throw loaded.error;
      return loaded.db.data.contents;
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
  /** The bytes of the journals that follow the snapshot. */
  readonly journals: number[];
}

/** Reads the snapshot, and repeats the journals that follow it. Changes nothing. */
async function load(folder: string, declarations: readonly Declaration[], size = maxSize()): Promise<Files> {
  const snapshot = new Snapshot(join(folder, 'store.json'), declarations, size);
  const db = new Low<Data>(snapshot, { contents: new Contents(declarations, size), journal: 1 });
  await db.read();
  const { contents, journal: first } = db.data;
  const isNew = snapshot.bytes === 0;
  const numbers = (await journalsIn(folder)).filter((number) => number >= first);
  const journals: number[] = [];
  for (const number of numbers) {
    if (number !== first + journals.length) break;
    const bytes = await readJournal(folder, number, journals.at(-1), number === numbers.at(-1), (change) => {
      if (isNew) throw damaged(snapshot.path, 'it is missing');
      contents.apply(change);
    });
    journals.push(bytes);
  }
  // The first journal of a new store is begun before its snapshot is written.
  const isMissing = journals.length < numbers.length || (!isNew && (journals[0] ?? 0) === 0);
  if (isMissing) throw damaged(join(folder, journalName(first + Math.max(0, journals.length - 1))), 'it is missing');
  contents.keys.forgotten = 0;
  return { db, snapshot, isNew, journals };
}

/** Opens the last journal for writing, and removes what an interrupted fold left behind. */
async function openJournal(folder: string, { db, isNew, journals }: Files): Promise<Journal> {
  const { journal: first } = db.data;
  if (isNew) {
    const journal = await Journal.begin(folder, first, 0);
    await db.write();
    return journal;
  }
  await rm(join(folder, 'store.json.tmp'), { force: true });
  await removeBefore(folder, first);
  const number = first + journals.length - 1;
  const bytes = journals.pop() ?? 0;
  return bytes > 0 ? Journal.open(folder, number, bytes) : Journal.begin(folder, number, journals.at(-1) ?? 0);
}

class LowdbStore implements Store {
  readonly #folder: string;
  readonly #db: Low<Data>;
  readonly #snapshot: Snapshot;
  readonly #unlock: () => void;
  readonly #batch = new Batch((writes) => this.#commit(writes));
  readonly #foldFloor: number;
  readonly #stopForgetting: () => void;
  #journal: Journal;
  #folding: Promise<void> | undefined;

  constructor(folder: string, { db, snapshot }: Files, journal: Journal, unlock: () => void, fold: number) {
    this.#folder = folder;
    this.#db = db;
    this.#snapshot = snapshot;
    this.#journal = journal;
    this.#unlock = unlock;
    this.#foldFloor = fold;
    this.#stopForgetting = this.#contents.forgetKeys();
  }

  get #contents(): Contents {
    return this.#db.data.contents;
  }

  collection: Store['collection'] = (name, key) => {
    return this.#contents.writable(name, (write) => this.#batch.add(write), key);
  };

  nextId(collection: string): number {
    return this.#contents.nextId(collection);
  }

  restore: Store['restore'] = async (collection, documents, nextId) => {
    const { declaration } = this.#contents.collection(collection);
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
    this.#snapshot.isStopped = true;
    this.#stopForgetting();
    await this.#folding;
    await this.#journal.close();
    this.#unlock();
  }

  async #commit(writes: Write[]) {
    const isLong = this.#journal.bytes > Math.max(this.#foldFloor, this.#snapshot.bytes);
    if (isLong && !this.#folding) await this.#beginFold();
    const { changes, outcomes } = plan(writes, this.#contents);
    if (changes.length > 0) await this.#journal.append(changes);
    for (const change of changes) this.#contents.apply(change);
    return outcomes;
  }

  /** Begins the next journal, and then writes the snapshot that it follows while writes go on. */
  async #beginFold(): Promise<void> {
    const previous = this.#journal;
    await previous.finish();
    try {
      // Until the next journal is there, nothing is written: one that was begun in part has to follow this one.
      this.#journal = await Journal.begin(this.#folder, previous.number + 1, previous.bytes);
    } catch (error) {
      throw nothingDone(error);
    }
    // If this fails, the next attempt follows when the next journal is as long.
    this.#folding = this.#fold(previous)
      .catch((error: unknown) => {
        const message = 'The journal could not be folded into store.json, and grows until that succeeds';
        if (!this.#batch.isClosed) process.emitWarning(`${message}: ${messageOf(error)}`);
      })
      .finally(() => {
        this.#folding = undefined;
      });
  }

  async #fold(previous: Journal): Promise<void> {
    await previous.close();
    this.#db.data.journal = this.#journal.number;
    await this.#db.write();
    await removeBefore(this.#folder, this.#journal.number);
  }
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

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  // Each new folder is an entry of the folder above it.
  for (let at = folder; made && at.length >= made.length; at = dirname(at)) await syncFolder(dirname(at));
}

function unusable(folder: string, error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error);
  if (reason === 'database is locked')
    return new StoreError(`${folder}: another process uses it; stop that, or choose another folder.`);
  const advice = reason.startsWith('ENOSPC') ? 'Free some space' : 'Check the path, its permissions and the disk';
  return new StoreError(`${folder}: cannot be used (${reason}). ${advice}.`, { cause: error });
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
