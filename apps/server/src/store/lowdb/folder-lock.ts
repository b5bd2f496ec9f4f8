import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, makeFolder } from '../../files/files.ts';
import { LockedError, lockFile, shareLock } from '../../files/lock.ts';
import { StoreFolderError, StoreLockedError } from '../errors.ts';

const lockOf = (folder: string) => join(folder, 'lock');

/**
 * Locks a folder, and calls `work`. The lock lasts until `unlock` is called, even beyond `work`. If `work` fails, the folder is
 * unlocked. System errors become StoreFolderErrors.
 */
export async function withFolder<T>(
  folder: string,
  lock: (folder: string) => Promise<() => void>,
  work: (unlock: () => void) => Promise<T>,
): Promise<T> {
  let unlock = () => {};
  try {
    unlock = await lock(folder);
    return await work(unlock);
  } catch (error) {
    unlock();
    if (error instanceof LockedError) throw new StoreLockedError(lockOf(folder));
    throw folderError(folder, error);
  }
}

/** Converts a system error to a StoreFolderError with the error's file, or else with the folder. Returns any other error as it is. */
export function folderError(folder: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : folder;
  return new StoreFolderError(path, error);
}

/** Locks a folder, which is created if it is missing. */
export async function lockForWriting(folder: string): Promise<() => void> {
  await makeFolder(folder);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  return lockFile(lockOf(folder));
}

/** Locks a folder against servers, without creating a file, also on a read-only disk. Without a lock file, no server has used the folder. */
export async function lockForReading(folder: string): Promise<() => void> {
  try {
    return await shareLock(lockOf(folder));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return () => {};
    throw error;
  }
}
