import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  closing,
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
import { layOut, type NewBlock, type NewRecord, writeBlock } from './block.ts';
import type { Catalog, Segment } from './catalog.ts';

/**
 * Opens the log of the store, which appends commits to the last segment. When a segment is full, a new segment follows. `tail` has
 * the bytes that a crash left after the last commit. `seal` seals all full segments.
 */
export async function openLog(catalog: Catalog, last: Segment, tail: Buffer, seal: () => Promise<void>) {
  let active = await resumeCommitFile(catalog.fileOf(last), last, tail);
  let sealing = Promise.resolve();

  return {
    /**
     * Commits records durably. They are readable when this resolves. Rejects with a StoreUnavailableError if nothing was done,
     * and with a StoreUncertainError if the state of the disk is unknown.
     */
    append: async (records: readonly NewRecord[]) => {
      if (active.segment.cost >= catalog.maxSegment) await beginSegment();
      const { segment } = active;
      const from = await active.append(layOut(segment.number, 'jsonl', records, catalog.kinds));
      for (const record of records) catalog.apply(segment, record, from);
      catalog.sequence += records.length;
    },
    close: () => active.close(),
  };

  /**
   * Begins a new segment, once the previous full segment is sealed. Unsealed segments are in memory, so only one full segment
   * may wait.
   */
  async function beginSegment(): Promise<void> {
    await sealing.catch(seal).catch((error: unknown) => {
      throw isDiskFull(error)
        ? full(error)
        : new StoreUnavailableError(`A segment cannot be sealed now (${error}): try again.`, { cause: error });
    });
    const next = catalog.newSegment(Buffer.alloc(0));
    const created = await createCommitFile(catalog.fileOf(next), next);
    await active.close();
    active = created;
    catalog.segments.set(next.number, next);
    sealing = seal();
    // The next `beginSegment` handles the error.
    sealing.catch(() => {});
  }
}

/** Creates a file for commits. Syncs its folder before the first commit. */
async function createCommitFile(file: string, segment: Segment) {
  try {
    await (await createFile(file)).close();
    await syncFolder(dirname(file));
    return commitFile(file, await openFile(file, 'write durably'), segment);
  } catch (error) {
    // A failure to remove the file is harmless: the file is empty, and the first error is reported.
    if (errorCode(error) !== 'EEXIST') await removeFile(file).catch(() => {});
    throw unavailable(error);
  }
}

/** Opens a file of commits. A killed writer may have left commits unsynced, so they are synced before anyone reads them. */
async function resumeCommitFile(file: string, segment: Segment, tail: Buffer) {
  await closing(await openFile(file, 'write durably'), (handle) => handle.datasync());
  await syncFolder(dirname(file));
  return commitFile(file, await openFile(file, 'write durably'), segment, tail);
}

/** The append-only file of an unsealed segment. After a failed write it is truncated to the last commit. */
function commitFile(file: string, handle: FileHandle, segment: Segment, tail: Buffer = Buffer.alloc(0)) {
  /** The commits, and spare capacity. */
  let buffer = segment.bytes ?? Buffer.alloc(0);
  let end = buffer.length;
  let isTailMoved = tail.length === 0;
  const truncate = async () => {
    await handle.truncate(end);
    await handle.datasync();
  };

  return {
    segment,
    /** Appends a commit, and returns the offset of its documents. */
    append: async (block: NewBlock): Promise<number> => {
      if (!isTailMoved) await moveTail();
      const newEnd = end + block.size;
      if (newEnd > buffer.length) buffer = Buffer.concat([buffer], Math.max(newEnd, 2 * buffer.length, 4096));
      const line = writeBlock(buffer.subarray(end, newEnd), block, 'utf8');
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
      const documentsAt = end + block.opening.length;
      end = newEnd;
      segment.bytes = buffer.subarray(0, end);
      return documentsAt;
    },
    // All acknowledged commits are durable, so an error of closing loses nothing, and the folder can be unlocked.
    close: () => handle.close().catch(() => {}),
  };

  /** Copies the tail to its own file, then cuts it off. */
  async function moveTail(): Promise<void> {
    try {
      await replaceFile(`${file}.cut-${Date.now()}`, tail);
      await truncate();
    } catch (error) {
      throw unavailable(error);
    }
    isTailMoved = true;
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
