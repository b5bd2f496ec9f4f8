import { access, constants, lstat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { ExpectedError } from '../expected-error.ts';
import { createFile, errorCode } from './files.ts';

/** Another process has the lock. */
export class LockedError extends ExpectedError {}

const SQLITE_BUSY = 5;
const POLL_MS = 20;

/**
 * Locks a file until the returned function is called or this process ends. SQLite's lock on an empty database is the
 * operating system's: it never outlives its process, and works between containers. The file remains, because deleting it
 * would allow a second lock. Retries until the timeout.
 */
export async function lockFile(file: string, timeoutMs = 0): Promise<() => void> {
  const creation = lastCreation.then(() => createLockFile(file));
  lastCreation = creation.catch(() => {});
  await creation;
  await access(file, constants.R_OK | constants.W_OK);
  for (const deadline = performance.now() + timeoutMs; ; ) {
    const unlock = tryLock(file);
    if (unlock) return unlock;
    if (performance.now() >= deadline) throw new LockedError('another process has locked it; try again later');
    await sleep(POLL_MS);
  }
}

/** Returns undefined if another process has the lock. */
function tryLock(file: string): (() => void) | undefined {
  const location = pathToFileURL(file);
  // SQLite must not create the file, because it would follow a symbolic link.
  location.searchParams.set('mode', 'rw');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(location);
    // No journal on disk: a full disk must not prevent the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw Object.assign(new Error(`${error instanceof Error ? error.message : error}`), { code: 'ELOCK', path: file });
  }
  const held = database;
  return () => held.close();
}

/**
 * Resolves when no lock file is being created. `lockFile` waits, because closing the handle that created a file releases every
 * lock that this process has on it.
 */
let lastCreation = Promise.resolve();

/** Creates the file if it is missing. Does not open an existing file, because closing it would release the lock. */
async function createLockFile(file: string): Promise<void> {
  try {
    await (await createFile(file)).close();
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    await rejectSymbolicLink(file);
  }
}

async function rejectSymbolicLink(file: string): Promise<void> {
  if ((await lstat(file)).isSymbolicLink())
    throw Object.assign(new Error('it is a symbolic link'), { code: 'ELOOP', path: file });
}
