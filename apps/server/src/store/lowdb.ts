import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { createStore } from './create-store.ts';
import { lock, makeFolder } from './disk.ts';
import { readFolder } from './folder-reader.ts';
import { FolderWriter } from './folder-writer.ts';
import { journalsIn } from './journal.ts';
import { Memory, type MemoryOptions, memoryBackend } from './memory.ts';
import { type Declaration, messageOf, type Store, StoreError } from './store.ts';

export interface LowdbOptions extends MemoryOptions {
  /** A journal with fewer bytes is not folded into the snapshot. */
  readonly fold?: number;
}

/** Opens the store in a folder, which is created if it is missing. */
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
    const writer = await FolderWriter.open(await readFolder(path, memory), fold);
    const backend = memoryBackend(memory, writer);
    const close = () => backend.close().finally(unlock);
    return createStore(declarations, { ...backend, close });
  } catch (error) {
    unlock();
    throw unusable(path, error);
  }
}

/** The present contents of a folder, for an export while a server may use it. */
export async function readLowdbFolder(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store> {
  const path = resolve(folder);
  try {
    return await readBetweenFolds(path, declarations);
  } catch {
    // A fold that has just begun can look like damage. Real damage is still there at the second look.
    return await readBetweenFolds(path, declarations).catch((error: unknown) => {
      throw unusable(path, error);
    });
  }
}

async function readBetweenFolds(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store> {
  let store: Store | undefined;
  while (!store) store = await tryToRead(folder, declarations);
  return store;
}

/**
 * Returns undefined if a fold replaced files while they were read, whether they could be read or
 * not.
 */
async function tryToRead(
  folder: string,
  declarations: readonly Declaration[],
): Promise<Store | undefined> {
  const before = await versionOf(folder);
  const isReplaced = async () => (await versionOf(folder)) !== before;
  const memory = new Memory(declarations);
  try {
    await readFolder(folder, memory);
  } catch (error) {
    if (await isReplaced()) return undefined;
    throw error;
  }
  if (await isReplaced()) return undefined;
  return createStore(declarations, memoryBackend(memory));
}

/** Differs after each fold. */
async function versionOf(folder: string): Promise<string> {
  const { ino } = await stat(join(folder, 'store.json'), { bigint: true });
  const journals = await journalsIn(folder);
  return [ino, ...journals].join(' ');
}

/** Two thirds of the heap at most, even if each character needs two bytes. */
function maxSize(): number {
  return Math.min(2 ** 31, getHeapStatistics().heap_size_limit / 3);
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
