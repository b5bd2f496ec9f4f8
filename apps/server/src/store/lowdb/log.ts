import { constants } from 'node:fs';
import { access, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  createFile,
  errorCode,
  isDiskFull,
  openFile,
  reasonOf,
  removeFile,
  replaceFile,
  syncFolder,
  writeDurably,
} from '../../files/files.ts';
import { StoreFailedError, StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import { complete, GAP, layOut, withRoom } from './block.ts';
import type { Catalog, Segment } from './catalog.ts';
import type { TextRecord } from './write-batch.ts';

/** The end of the store, where it grows. */
export interface Log {
  /**
   * Commits these records; they can be read once this resolves. Rejects with a StoreUnavailableError where nothing was done,
   * and with a StoreUncertainError where the state of the disk is unknown.
   */
  append(records: readonly TextRecord[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Goes on with the last segment, and begins a new one whenever that is full. `tail` is what a crash left behind its commits,
 * `seal` seals all segments that are full.
 */
export async function openLog(catalog: Catalog, last: Segment, tail: Buffer, seal: () => Promise<void>): Promise<Log> {
  let segment = last;
  let active = await resumeFile(catalog.fileOf(last), last.bytes ?? Buffer.alloc(0), tail);
  let sealing = Promise.resolve();

  return {
    append: async (records) => {
      if (segment.size >= catalog.maxSegment) await roll();
      const { opening, bytes } = layOut(segment.number, 'jsonl', records, catalog.kinds);
      const from = active.commits().length + opening.length;
      await active.append(bytes, (commit) => {
        const texts = records.filter(({ length }) => length > 0).map(({ text }) => text);
        commit.write(texts.join(GAP.jsonl), opening.length);
        complete(commit, opening);
      });
      segment.bytes = active.commits();
      for (const record of records) catalog.apply(segment, record, from);
      catalog.sequence += records.length;
    },
    close: () => active.close(),
  };

  /** Begins a new segment. What was full before is sealed by then: full segments are in memory, so only one may wait. */
  async function roll(): Promise<void> {
    await sealing.catch(seal).catch((error: unknown) => {
      throw isDiskFull(error) ? full(error) : new StoreUnavailableError(`A segment cannot be sealed now (${error}).`);
    });
    const next = catalog.newSegment(Buffer.alloc(0));
    const created = await createFileOfCommits(catalog.fileOf(next));
    await active.close();
    active = created;
    catalog.segments.set(next.number, next);
    segment = next;
    sealing = seal();
    // Whoever needs it done waits for it.
    sealing.catch(() => {});
  }
}

/** Its folder knows the file for good before anything is written to it. */
async function createFileOfCommits(file: string) {
  try {
    await (await createFile(file)).close();
    await syncFolder(dirname(file));
    return fileOfCommits(file, await openFile(file, 'write durably'), Buffer.alloc(0), Buffer.alloc(0));
  } catch (error) {
    // The first error tells what is wrong. A file that cannot be removed is empty, and a broken disk ends the writing.
    if (errorCode(error) !== 'EEXIST') await removeFile(file).catch(() => {});
    throw unavailable(error);
  }
}

/** The commits that the last writer was killed over may be only in memory, so they are synced before anyone sees them. */
async function resumeFile(file: string, commits: Buffer, tail: Buffer) {
  await access(file, constants.R_OK | constants.W_OK);
  const handle = await openFile(file, 'write durably');
  await handle.datasync();
  await syncFolder(dirname(file));
  return fileOfCommits(file, handle, commits, tail);
}

/** A file that only grows, by what is synced; a failed write leaves nothing of itself behind. */
function fileOfCommits(file: string, handle: FileHandle, commits: Buffer, found: Buffer) {
  let buffer = commits;
  let end = commits.length;
  let tail = found;
  const cut = async () => {
    await handle.truncate(end);
    await handle.datasync();
  };

  return {
    commits: () => buffer.subarray(0, end),
    /** Appends so many bytes, which `fill` writes. */
    append: async (length: number, fill: (bytes: Buffer) => void) => {
      if (tail.length > 0) await setTailAside();
      buffer = withRoom(buffer, end, length);
      const line = buffer.subarray(end, end + length);
      fill(line);
      try {
        await writeDurably(handle, line, end);
      } catch (error) {
        // Where the disk is only full, cutting the file has to succeed; after any other error nothing is certain.
        const isCut = await cut().then(
          () => isDiskFull(error),
          () => false,
        );
        throw isCut ? full(error) : failed(StoreUncertainError, error);
      }
      end += length;
    },
    close: () => handle.close(),
  };

  /** Stores the tail beside the file before it is cut off. */
  async function setTailAside(): Promise<void> {
    try {
      await replaceFile(`${file}.cut-${Date.now()}`, tail);
      await cut();
    } catch (error) {
      throw unavailable(error);
    }
    tail = Buffer.alloc(0);
  }
}

/** Errors before a write: nothing was done, and it may be tried again unless the disk itself is broken. */
function unavailable(error: unknown): StoreUnavailableError {
  if (isDiskFull(error)) return full(error);
  const isRefused = error instanceof Error && 'syscall' in error && error.syscall === 'open';
  if (isRefused && !['EIO', 'EROFS'].includes(errorCode(error) ?? ''))
    return new StoreUnavailableError(`No file can be opened now (${reasonOf(error)}): try again.`, { cause: error });
  // A second sync would succeed without what the first one failed to write.
  return failed(StoreFailedError, error);
}

function full(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError('The disk is full: free some space, then try again.', { cause });
}

function failed<T>(Kind: new (message: string, options: ErrorOptions) => T, cause: unknown): T {
  return new Kind(`Writing failed (${cause}): repair the disk, then restart the server.`, { cause });
}
