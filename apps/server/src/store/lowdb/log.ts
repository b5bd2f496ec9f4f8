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
import { complete, GAP, layOut, withCapacity } from './block.ts';
import type { Catalog, Segment } from './catalog.ts';
import type { TextRecord } from './write-batch.ts';

/** The log of the store, which appends commits to the last segment. */
export interface Log {
  /**
   * Commits records durably. They are readable when this resolves. Rejects with a StoreUnavailableError if nothing was done,
   * and with a StoreUncertainError if the state of the disk is unknown.
   */
  append(records: readonly TextRecord[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the log at the last segment. When a segment is full, a new segment follows. `tail` has the bytes that a crash left after the
 * last commit. `seal` seals all full segments.
 */
export async function openLog(catalog: Catalog, last: Segment, tail: Buffer, seal: () => Promise<void>): Promise<Log> {
  let segment = last;
  let active = await resumeCommitFile(catalog.fileOf(last), last.bytes ?? Buffer.alloc(0), tail);
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

  /**
   * Begins a new segment, once the previous full segment is sealed. Unsealed segments are in memory, so only one full segment
   * may wait.
   */
  async function roll(): Promise<void> {
    await sealing.catch(seal).catch((error: unknown) => {
      throw isDiskFull(error) ? full(error) : new StoreUnavailableError(`A segment cannot be sealed now (${error}).`);
    });
    const next = catalog.newSegment(Buffer.alloc(0));
    const created = await createCommitFile(catalog.fileOf(next));
    await active.close();
    active = created;
    catalog.segments.set(next.number, next);
    segment = next;
    sealing = seal();
    // The next `roll` handles the error.
    sealing.catch(() => {});
  }
}

/** Creates a file for commits. Syncs its folder before the first commit. */
async function createCommitFile(file: string) {
  try {
    await (await createFile(file)).close();
    await syncFolder(dirname(file));
    return commitFile(file, await openFile(file, 'write durably'), Buffer.alloc(0), Buffer.alloc(0));
  } catch (error) {
    // A failure to remove the file is harmless: the file is empty, and the first error is reported.
    if (errorCode(error) !== 'EEXIST') await removeFile(file).catch(() => {});
    throw unavailable(error);
  }
}

/** Opens a file of commits. A killed writer may have left commits unsynced, so they are synced before anyone reads them. */
async function resumeCommitFile(file: string, commits: Buffer, tail: Buffer) {
  await access(file, constants.R_OK | constants.W_OK);
  const handle = await openFile(file, 'write durably');
  await handle.datasync();
  await syncFolder(dirname(file));
  return commitFile(file, handle, commits, tail);
}

/** An append-only file of commits. After a failed write it is truncated to the last commit. */
function commitFile(file: string, handle: FileHandle, commits: Buffer, initialTail: Buffer) {
  let buffer = commits;
  let end = commits.length;
  let tail = initialTail;
  const truncate = async () => {
    await handle.truncate(end);
    await handle.datasync();
  };

  return {
    commits: () => buffer.subarray(0, end),
    /** Appends `length` bytes, which `fill` writes. */
    append: async (length: number, fill: (bytes: Buffer) => void) => {
      if (tail.length > 0) await moveTail();
      buffer = withCapacity(buffer, end, length);
      const line = buffer.subarray(end, end + length);
      fill(line);
      try {
        await writeDurably(handle, line, end);
      } catch (error) {
        // On a full disk truncating succeeds. After any other error, the state of the file is unknown.
        const isUnchanged = await truncate().then(
          () => isDiskFull(error),
          () => false,
        );
        throw isUnchanged ? full(error) : failed(StoreUncertainError, error);
      }
      end += length;
    },
    close: () => handle.close(),
  };

  /** Copies the tail to another file, then truncates it. */
  async function moveTail(): Promise<void> {
    try {
      await replaceFile(`${file}.cut-${Date.now()}`, tail);
      await truncate();
    } catch (error) {
      throw unavailable(error);
    }
    tail = Buffer.alloc(0);
  }
}

/** The error for a failure before a write. The write can be retried, unless the disk has failed. */
function unavailable(error: unknown): StoreUnavailableError {
  if (isDiskFull(error)) return full(error);
  const isNotOpened = error instanceof Error && 'syscall' in error && error.syscall === 'open';
  if (isNotOpened && !['EIO', 'EROFS'].includes(errorCode(error) ?? ''))
    return new StoreUnavailableError(`No file can be opened now (${reasonOf(error)}): try again.`, { cause: error });
  // After a failed sync, a second sync would succeed although the data is lost, so the store stops writing.
  return failed(StoreFailedError, error);
}

function full(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError('The disk is full: free some space, then try again.', { cause });
}

function failed<T>(Kind: new (message: string, options: ErrorOptions) => T, cause: unknown): T {
  return new Kind(`Writing failed (${cause}): repair the disk, then restart the server.`, { cause });
}
