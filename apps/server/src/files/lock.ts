import { access, constants } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { errorCode, LockedError } from './errors.ts';
import { createFile, openFile } from './files.ts';

const SQLITE_BUSY = 5;
const POLL_MS = 20;

/**
 * Locks a file against every other process until the returned function is called or this process ends, however it ends.
 * SQLite's lock on an empty database is the operating system's own, so it cannot outlive its holder, and it holds between
 * containers that share the folder. The file stays: deleting it would let a second holder in. Where another process holds
 * it, this tries again until the time is over, without blocking.
 */
export async function lockFile(file: string, timeoutMs = 0): Promise<() => void> {
  await makeLockFile(file);
  await access(file, constants.R_OK | constants.W_OK);
  for (const deadline = performance.now() + timeoutMs; ; ) {
    const unlock = tryLock(file);
    if (unlock) return unlock;
    if (performance.now() >= deadline) throw new LockedError(`${file}: another process holds it.`);
    await sleep(POLL_MS);
  }
}

/** Returns nothing where another process holds the lock. */
function tryLock(file: string): (() => void) | undefined {
  const location = pathToFileURL(file);
  // SQLite must not make the file: it would follow a symbolic link to do so.
  location.searchParams.set('mode', 'rw');
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(location);
    // Without a journal on disk: nothing is ever written here, and a full disk must not keep the lock from being taken.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database?.close();
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return undefined;
    throw Object.assign(new Error(`${error instanceof Error ? error.message : error}`), { code: 'ELOCK', path: file });
  }
  const held = database;
  return () => held.close();
}

async function makeLockFile(file: string): Promise<void> {
  const handle = await createFile(file).catch((error: unknown) => {
    if (errorCode(error) !== 'EEXIST') throw error;
    return openFile(file);
  });
  await handle.close();
}
