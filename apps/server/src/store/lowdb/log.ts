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

/** The end of the store, where it grows: the active segment, and a new one behind it whenever it is full. */
export class Log {
  readonly #folder: string;
  readonly #catalog: Catalog;
  readonly #seal: (full: Segment) => Promise<void>;
  #segment: Segment;
  #active: ActiveSegment;
  /** The sealing of what is full, one after the other; it rejects where that cannot be done now. */
  #sealing: Promise<void> = Promise.resolve();
  /** Full segments that are not sealed. They are in memory, so there are few. */
  readonly #full: Segment[];

  constructor(
    folder: string,
    catalog: Catalog,
    seal: (full: Segment) => Promise<void>,
    { active, segment, full }: { active: ActiveSegment; segment: Segment; full: Segment[] },
  ) {
    this.#folder = folder;
    this.#catalog = catalog;
    this.#seal = seal;
    this.#active = active;
    this.#segment = segment;
    this.#full = full;
    this.#sealFull();
  }

  /** Commits these changes; they can be read once this resolves. */
  async append(changes: readonly Change[]): Promise<void> {
    if (this.#segment.size >= this.#catalog.maxSegment) await this.#roll();
    const segment = this.#segment;
    const base = this.#active.bytes.length;
    const { line, records } = commitLine(this.#catalog.sequence + 1, changes);
    await new Low<Uint8Array>(this.#active, line).write();
    segment.bytes = this.#active.bytes;
    for (const [i, { collection, id, version, start: offset, length }] of records.entries()) {
      const start = base + offset;
      segment.records.push({ collection, id, version, start, length });
      this.#catalog.apply(segment, collection, id, version, start, length, changes[i]?.tag ?? 0);
    }
    this.#catalog.sequence += records.length;
  }

  /** Ends when all that is full is sealed, or cannot be. */
  async close(): Promise<void> {
    await this.#sealing.catch(() => {});
    await this.#active.close();
  }

  /** Begins a new segment. What was full before is sealed by then: only this one may wait for it. */
  async #roll(): Promise<void> {
    await this.#sealing.catch(() => this.#sealFull());
    const number = this.#segment.number + 1;
    const active = await ActiveSegment.create(join(this.#folder, segmentFile(number, 'jsonl')));
    await this.#active.close();
    this.#full.push(this.#segment);
    this.#active = active;
    this.#segment = newSegment(number, this.#catalog.sequence + 1, active.bytes);
    this.#catalog.segments.set(number, this.#segment);
    this.#sealFull();
  }

  #sealFull(): Promise<void> {
    const all = async () => {
      for (let [full] = this.#full; full; [full] = this.#full) {
        await this.#seal(full);
        this.#full.shift();
      }
    };
    this.#sealing = all().catch((error: unknown) => {
      throw unavailable(error);
    });
    // Whoever needs it done waits for it.
    this.#sealing.catch(() => {});
    return this.#sealing;
  }
}

/**
 * lowdb's adapter for the active segment: writing appends one line and syncs it; reading gives all that was appended. A
 * failed write leaves nothing of itself behind. It rejects with StoreUnavailableError where nothing was done, and with
 * StoreUncertainError where the state of the disk is unknown.
 */
export class ActiveSegment implements Adapter<Uint8Array> {
  readonly #file: string;
  readonly #handle: FileHandle;
  /** What a crash left behind the last commit; stored beside the file before it is cut off. */
  #tail: Uint8Array;
  #buffer: Buffer;
  #end: number;

  private constructor(file: string, handle: FileHandle, bytes: Buffer, end: number) {
    this.#file = file;
    this.#handle = handle;
    this.#buffer = bytes;
    this.#end = end;
    this.#tail = bytes.subarray(end);
  }

  /** Makes a new one. Its folder knows it for good before anything is written to it. */
  static async create(file: string): Promise<ActiveSegment> {
    try {
      await (await createFile(file)).close();
      await syncFolder(dirname(file));
      return new ActiveSegment(file, await openFile(file, 'write durably'), Buffer.alloc(0), 0);
    } catch (error) {
      // The first error tells what is wrong. A file that cannot be removed is empty, and a broken disk ends the writing.
      if (errorCode(error) !== 'EEXIST') await rm(file, { force: true }).catch(() => {});
      throw unavailable(error);
    }
  }

  /**
   * Opens a file with commits that end at a byte. The changes that its last writer was killed over may be only in memory, so
   * they are synced before anyone sees them.
   */
  static async resume(file: string, bytes: Buffer, end: number): Promise<ActiveSegment> {
    await access(file, constants.R_OK | constants.W_OK);
    const handle = await openFile(file, 'write durably');
    await handle.datasync();
    await syncFolder(dirname(file));
    return new ActiveSegment(file, handle, bytes, end);
  }

  /** All commits. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  async read(): Promise<Uint8Array> {
    return this.bytes;
  }

  async write(line: Uint8Array): Promise<void> {
    if (this.#tail.length > 0) await this.#setTailAside();
    try {
      await writeDurably(this.#handle, line, this.#end);
    } catch (error) {
      // Where the disk is only full, cutting the file has to succeed; after any other error nothing is certain.
      const isCut = await this.#cut().then(
        () => isDiskFull(error),
        () => false,
      );
      throw isCut ? unavailable(error) : failed(StoreUncertainError, error);
    }
    if (this.#end + line.length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#end + line.length, 2 * this.#buffer.length, 4096));
      this.bytes.copy(larger);
      this.#buffer = larger;
    }
    this.#buffer.set(line, this.#end);
    this.#end += line.length;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #setTailAside(): Promise<void> {
    try {
      await replaceFile(`${this.#file}.cut-${Date.now()}`, this.#tail);
      await this.#cut();
    } catch (error) {
      throw unavailable(error);
    }
    this.#tail = new Uint8Array();
  }

  async #cut(): Promise<void> {
    await this.#handle.truncate(this.#end);
    await this.#handle.datasync();
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
