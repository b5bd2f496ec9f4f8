import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { errorCode, StoreFolderError, StoreLockedError } from '../errors.ts';

const sqliteBusy = 5;

/**
 * Keeps every other process out of the data folder until the returned function is called or this process ends, however
 * it ends. SQLite's lock on an empty database is the operating system's own, so it cannot outlive its holder, and it
 * holds between containers that share the folder. The file stays: deleting it would let a second holder in.
 */
export async function lockFolder(folder: string): Promise<() => void> {
  const file = join(folder, 'lock');
  await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  await access(file, constants.R_OK | constants.W_OK).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
  });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file);
    // Without a journal on disk: nothing is ever written here, and a full disk must not keep the store shut.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) throw new StoreLockedError(file);
    throw new StoreFolderError(file, error);
  }
  const held = database;
  return () => held.close();
}
