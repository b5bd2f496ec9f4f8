import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { errorCode, StoreFolderError } from '../errors.ts';
import type { Store } from '../store.ts';
import { begin } from './beginning.ts';
import { type Commit, Commits } from './commits.ts';
import { keepFolder } from './disk.ts';
import { Growth } from './growth.ts';
import { keptOn, petsOf } from './kept.ts';
import { lockFolder } from './lock.ts';
import { Mark } from './mark.ts';
import { clear, recover } from './recovery.ts';
import { Sealing } from './sealing.ts';
import { Shelves } from './shelves.ts';

export interface LowdbOptions {
  /** Told of every commit: how many animals it brought, and how long they were written and synced. Must not throw. */
  onCommit?(commit: Commit): void;
  /** Told what an operator should know though the store goes on, in one line. */
  onWarning?(line: string): void;
}

/**
 * The store in a folder of its own, made when it is not there. Rejects with a StoreLockedError, StoreDamagedError or
 * StoreFolderError, and has changed nothing then.
 */
export async function openLowdbStore(folder: string, options: LowdbOptions = {}): Promise<Store> {
  const unlock = await usable(folder, async () => {
    await keepFolder(folder);
    return lockFolder(folder);
  });
  try {
    return await usable(folder, () => openLocked(folder, unlock, options));
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(folder: string, unlock: () => void, options: LowdbOptions): Promise<Store> {
  const { onCommit = () => {}, onWarning = (line) => process.emitWarning(line) } = options;
  const mark = await Mark.read(folder);
  const pets = await begin(folder, mark);
  await access(pets, constants.R_OK | constants.W_OK | constants.X_OK);
  const recovered = await recover(pets, mark);
  const { segment } = recovered.open;
  await segment.resume();
  await clear(pets, recovered);
  if (segment.tail > 0) {
    onWarning(
      `${segment.file}: its last ${segment.tail} bytes are an unfinished commit; they are set aside, not read.`,
    );
  }

  const shelves = new Shelves();
  for (const shelf of recovered.shelves) shelves.put(shelf);
  const sealing = new Sealing((error) =>
    commits.refuse(`Sealing a segment failed (${error}): restart the server.`, error),
  );
  const growth = new Growth(pets, shelves, sealing, recovered.open);
  const commits = new Commits(growth, (commit) => {
    mark.follow(growth.next);
    onCommit(commit);
  });
  mark.follow(growth.next);
  for (const full of recovered.full) sealing.add(full);

  let closed: Promise<void> | undefined;
  const close = async () => {
    await commits.end();
    await sealing.settled();
    await growth.close();
    await mark.end(growth.next);
    unlock();
  };
  return {
    create: (pet) => commits.create(pet),
    get: async (id) => petsOf(shelves.find(id))[0],
    list: async (page) => shelves.page(page).flatMap(petsOf),
    kept: keptOn(shelves),
    ready: async () => !commits.refusing,
    close: () => (closed ??= close()),
  };
}

/** What the system says of a file, as an error of the store. */
async function usable<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (errorCode(error) === undefined || error instanceof StoreFolderError) throw error;
    const file = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : folder;
    throw new StoreFolderError(file, error);
  }
}
