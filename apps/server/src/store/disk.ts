import { chownSync, createReadStream, existsSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './store.ts';

/** Gives `take` the lines of a file with their numbers, one after the other. */
export async function eachLine(
  path: string,
  take: (line: Buffer, number: number) => void,
): Promise<void> {
  let number = 0;
  for await (const lines of linesIn(createReadStream(path, { highWaterMark: 2 ** 20 }))) {
    for (const line of lines) {
      number += 1;
      take(line, number);
    }
  }
}

/**
 * The lines of a file that is read in chunks, with their line feeds. Each step gives the lines that
 * end in one chunk. Only the last line may lack its line feed.
 */
export async function* linesIn(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[]> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const piece: Buffer = Buffer.concat([rest, chunk]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = piece.indexOf(10); end >= 0; end = piece.indexOf(10, start)) {
      lines.push(piece.subarray(start, end + 1));
      start = end + 1;
    }
    rest = piece.subarray(start);
    yield lines;
  }
  if (rest.length > 0) yield [rest];
}

/**
 * Writes all bytes at a position. One write may take only a part of them, if the disk is nearly
 * full.
 */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}

/**
 * Makes or replaces a file so that a power cut leaves either the old file or the new one. It asks
 * for each piece when the one before is written. Returns the length of the file.
 */
export async function replaceFile(path: string, pieces: Iterable<Buffer>): Promise<number> {
  const temporary = `${path}.tmp`;
  try {
    const length = await writeSynced(temporary, pieces);
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return length;
  } catch (error) {
    // The first error says what is wrong. If the file stays, the next start removes it.
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

async function writeSynced(path: string, pieces: Iterable<Buffer>): Promise<number> {
  await using file = await open(path, 'w', 0o600);
  giveToOwner(path);
  let length = 0;
  for (const piece of pieces) {
    await writeAll(file, piece, length);
    length += piece.length;
  }
  await file.sync();
  return length;
}

/** Makes new, renamed and removed files of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** Creates a folder if it is missing, and makes it survive a power cut. */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder);
  if (!existsSync(parent)) await makeFolder(parent);
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  await mkdir(folder, { mode: 0o700 });
  await syncFolder(parent);
}

/**
 * Gives a file that root has made to the owner of its folder. Otherwise the owner's server could
 * not use it.
 */
export function giveToOwner(path: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(dirname(path));
  if (uid !== 0) chownSync(path, uid, gid);
}

/** Another process holds the lock. */
export class LockedError extends Error {}

/** The code of an error of SQLite whose database another process has locked. */
const SQLITE_BUSY = 5;

/**
 * Locks a file until the returned function is called, or the process ends in any way. Throws
 * LockedError if another process holds the lock for longer than these milliseconds.
 */
export function lock(file: string, timeout = 0): () => void {
  const database = new DatabaseSync(file, { timeout });
  try {
    giveToOwner(file);
    // No journal on the disk, so that a full disk does not prevent the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    const isLocked = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
    throw isLocked ? new LockedError('Another process has locked it.', { cause: error }) : error;
  }
  return () => database.close();
}

/** A checksum as eight hexadecimal digits. */
export const hexOf = (checksum: number) => checksum.toString(16).padStart(8, '0');

export function damaged(path: string, what: string): StoreError {
  return new StoreError(
    `${path}: ${what}. Nothing was changed; move the folder away and import your last export into a new one.`,
  );
}
