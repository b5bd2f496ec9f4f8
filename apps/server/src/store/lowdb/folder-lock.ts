import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, makeFolder } from '../../files/files.ts';
import { LockedError, lockFile } from '../../files/lock.ts';
import { StoreFolderError, StoreLockedError } from '../errors.ts';

const lockOf = (folder: string) => join(folder, 'lock');

/**
 * Locks a folder, which is created if it is missing, and calls `work`. The lock lasts until `unlock` is called, even beyond `work`. If
 * `work` fails, the folder is unlocked. System errors become StoreFolderErrors.
 */
export async function lockedFolder<T>(folder: string, work: (unlock: () => void) => Promise<T>): Promise<T> {
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
function folderError(folder: string, error: unknown): unknown {
  if (errorCode(error) === undefined) return error;
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : folder;
  return new StoreFolderError(path, error);
}

async function lock(folder: string): Promise<() => void> {
  await makeFolder(folder);
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  return lockFile(lockOf(folder));
}
