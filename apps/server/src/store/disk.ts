import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from './store.ts';

/** Takes the lines of a file with their numbers, one after the other. */
export async function eachLine(
  path: string,
  take: (line: Buffer, number: number) => void,
): Promise<void> {
  let number = 0;
  for await (const lines of linesIn(createReadStream(path, { highWaterMark: 2 ** 20 })))
    for (const line of lines) take(line, ++number);
}

/** The lines in chunks of bytes with their line feeds, those of a chunk at a time. Only the last line may lack its line feed. */
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

/** Writes all bytes at a position. A full disk may take a part first. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

/** Makes new, renamed and removed files of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** Creates a folder, if it is missing, that survives a power cut. */
export async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 });
  // Each new folder is an entry of the folder above it.
  for (let at = folder; made && at.length >= made.length; at = dirname(at))
    await syncFolder(dirname(at));
}

/** Locks a file until the returned function is called, or the process ends in any way. Waits for a lock so many milliseconds. */
export function lock(file: string, timeout = 0): () => void {
  const database = new DatabaseSync(file, { timeout });
  try {
    // No journal on the disk, so that a full disk does not prevent the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    throw error;
  }
  return () => database.close();
}

export const hexOf = (checksum: number) => checksum.toString(16).padStart(8, '0');

export function damaged(path: string, what: string): StoreError {
  return new StoreError(
    `${path}: ${what}. Nothing was changed; move the folder away and import your last export into a new one.`,
  );
}
