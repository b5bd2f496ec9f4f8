import { constants } from 'node:fs';
import { access, type FileHandle, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Adapter, Low } from 'lowdb';
import { errorCode, isDiskFull, reasonOf } from '../../files/errors.ts';
import { createFile, openFile, replaceFile, syncFolder, writeDurably } from '../../files/files.ts';
import { StoreFailedError, StoreUnavailableError, StoreUncertainError } from '../errors.ts';
import { type Catalog, newSegment, type Segment } from './catalog.ts';
import { type Change, commitLine } from './commit-line.ts';
import { segmentFile } from './sealed-segment.ts';

/** The end of the store, where it grows. */
export interface Log {
  /** Commits these changes; they can be read once this resolves. */
  append(changes: readonly Change[]): Promise<void>;
  /** Ends when all that is full is sealed, or cannot be. */
  close(): Promise<void>;
}

/** Goes on with an active segment, and begins a new one whenever it is full. Full ones are sealed, in order. */
export function openLog(
  folder: string,
  catalog: Catalog,
  seal: (full: Segment) => Promise<void>,
  { active, segment, full }: { active: ActiveSegment; segment: Segment; full: Segment[] },
): Log {
  /** Rejects where what is full cannot be sealed now. */
  let sealing = sealFull();

  return {
    append: async (changes) => {
      if (segment.size >= catalog.maxSegment) await roll();
      const base = active.bytes.length;
      const { line, records } = commitLine(catalog.sequence + 1, changes);
      await new Low<Uint8Array>(active, line).write();
      segment.bytes = active.bytes;
      for (const [i, { start, ...rest }] of records.entries()) {
        const record = { ...rest, start: base + start };
        segment.records.push(record);
        catalog.apply(segment, record, changes[i]?.tag ?? 0);
      }
      catalog.sequence += records.length;
    },
    close: async () => {
      await sealing.catch(() => {});
      await active.close();
    },
  };

  /** Begins a new segment. What was full before is sealed by then: full segments are in memory, so only one may wait. */
  async function roll(): Promise<void> {
    await sealing.catch(() => sealFull());
    const number = segment.number + 1;
    const next = await createSegment(join(folder, segmentFile(number, 'jsonl')));
    await active.close();
    full.push(segment);
    active = next;
    segment = newSegment(number, catalog.sequence + 1, active.bytes);
    catalog.segments.set(number, segment);
    sealing = sealFull();
  }

  function sealFull(): Promise<void> {
    const all = async () => {
      for (let [first] = full; first; [first] = full) {
        await seal(first);
        full.shift();
      }
    };
    const sealed = all().catch((error: unknown) => {
      throw unavailable(error);
    });
    // Whoever needs it done waits for it.
    sealed.catch(() => {});
    return sealed;
  }
}

/**
 * lowdb's adapter for the active segment: writing appends one line and syncs it; reading gives all that was appended. A
 * failed write leaves nothing of itself behind. It rejects with StoreUnavailableError where nothing was done, and with
 * StoreUncertainError where the state of the disk is unknown.
 */
export interface ActiveSegment extends Adapter<Uint8Array> {
  /** All commits. */
  readonly bytes: Buffer;
  close(): Promise<void>;
}

/** Makes a new segment. Its folder knows it for good before anything is written to it. */
async function createSegment(file: string): Promise<ActiveSegment> {
  try {
    await (await createFile(file)).close();
    await syncFolder(dirname(file));
    return activeSegment(file, await openFile(file, 'write durably'), Buffer.alloc(0), 0);
  } catch (error) {
    // The first error tells what is wrong. A file that cannot be removed is empty, and a broken disk ends the writing.
    if (errorCode(error) !== 'EEXIST') await rm(file, { force: true }).catch(() => {});
    throw unavailable(error);
  }
}

/**
 * Opens a segment with commits that end at a byte. The changes that its last writer was killed over may be only in memory, so
 * they are synced before anyone sees them.
 */
export async function resumeSegment(file: string, found: Buffer, end: number): Promise<ActiveSegment> {
  await access(file, constants.R_OK | constants.W_OK);
  const handle = await openFile(file, 'write durably');
  await handle.datasync();
  await syncFolder(dirname(file));
  return activeSegment(file, handle, found, end);
}

function activeSegment(file: string, handle: FileHandle, found: Buffer, length: number): ActiveSegment {
  let buffer = found;
  let end = length;
  /** What a crash left behind the last commit; stored beside the file before it is cut off. */
  let tail = found.subarray(length);
  const committed = () => buffer.subarray(0, end);
  const cut = async () => {
    await handle.truncate(end);
    await handle.datasync();
  };

  return {
    get bytes() {
      return committed();
    },
    read: async () => committed(),
    write: async (line) => {
      if (tail.length > 0) await setTailAside();
      try {
        await writeDurably(handle, line, end);
      } catch (error) {
        // Where the disk is only full, cutting the file has to succeed; after any other error nothing is certain.
        const isCut = await cut().then(
          () => isDiskFull(error),
          () => false,
        );
        throw isCut ? unavailable(error) : failed(StoreUncertainError, error);
      }
      if (end + line.length > buffer.length) {
        const larger = Buffer.allocUnsafeSlow(Math.max(end + line.length, 2 * buffer.length, 4096));
        committed().copy(larger);
        buffer = larger;
      }
      buffer.set(line, end);
      end += line.length;
    },
    close: () => handle.close(),
  };

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
  if (isDiskFull(error))
    return new StoreUnavailableError('The disk is full: free some space, then try again.', { cause: error });
  const isRefused = error instanceof Error && 'syscall' in error && error.syscall === 'open';
  if (isRefused && !['EIO', 'EROFS'].includes(errorCode(error) ?? ''))
    return new StoreUnavailableError(`No file can be opened now (${reasonOf(error)}): try again.`, { cause: error });
  // A second sync would succeed without what the first one failed to write.
  return failed(StoreFailedError, error);
}

function failed<T>(Kind: new (message: string, options: ErrorOptions) => T, cause: unknown): T {
  return new Kind(`Writing failed (${cause}): repair the disk, then restart the server.`, { cause });
}
