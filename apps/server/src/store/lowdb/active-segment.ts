import { constants } from 'node:fs';
import { access, type FileHandle, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Adapter } from 'lowdb';
import { errorCode, isDiskFull, reasonOf } from '../../files/errors.ts';
import { closing, createFile, openFile, syncFolder, writeAll } from '../../files/files.ts';
import { StoreFailedError, StoreUnavailableError, StoreUncertainError } from '../errors.ts';

/**
 * lowdb's adapter for the active segment: writing appends one line and syncs it; reading gives all that was appended. A
 * failed write leaves nothing of itself behind. It rejects with StoreUnavailableError where nothing was done, and with
 * StoreUncertainError where the state of the disk is unknown.
 */
export class ActiveSegment implements Adapter<Uint8Array> {
  readonly file: string;
  #handle: FileHandle | undefined;
  /** The folder knows this file for good. */
  #listed = false;
  /** There may be something behind the last commit. */
  #ragged = false;
  /** What a crash left behind the last commit; stored beside the file before it is cut off. */
  #tail: Uint8Array = new Uint8Array();
  #buffer = Buffer.alloc(0);
  #end = 0;

  /** The file to come, or one that was found with these commits and this unfinished tail. */
  constructor(file: string, found?: { bytes: Buffer; end: number }) {
    this.file = file;
    if (!found) return;
    this.#buffer = Buffer.from(found.bytes.subarray(0, found.end));
    this.#tail = found.bytes.subarray(found.end);
    this.#end = found.end;
    this.#ragged = this.#tail.length > 0;
  }

  /** All commits. */
  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.#end);
  }

  async read(): Promise<Uint8Array> {
    return this.bytes;
  }

  /**
   * Opens a file that was found. The changes that its last writer was killed over may be only in memory, so they are synced
   * before anyone sees them.
   */
  async resume(): Promise<void> {
    await access(this.file, constants.R_OK | constants.W_OK);
    this.#handle = await openFile(this.file, 'write');
    await this.#handle.datasync();
    await syncFolder(dirname(this.file));
    this.#listed = true;
  }

  async write(line: Uint8Array): Promise<void> {
    const handle = await this.#prepare().catch((error: unknown) => {
      throw unavailable(error);
    });
    try {
      this.#ragged = true;
      await writeAll(handle, line, this.#end);
      await handle.datasync();
    } catch (error) {
      const cut = this.#cut(handle);
      // Where the disk is only full, cutting the file has to succeed; after any other error nothing is certain.
      const isCut =
        isDiskFull(error) &&
        (await cut.then(
          () => true,
          () => false,
        ));
      await cut.catch(() => {});
      if (isCut) throw unavailable(error);
      throw failed(StoreUncertainError, error);
    }
    this.#ragged = false;
    this.#remember(line);
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  /** Makes the file ready to append to. Until this is over, no part of the commit was written. */
  async #prepare(): Promise<FileHandle> {
    this.#handle ??= await createFile(this.file);
    if (!this.#listed) await syncFolder(dirname(this.file));
    this.#listed = true;
    if (this.#ragged) await this.#cut(this.#handle);
    return this.#handle;
  }

  async #cut(handle: FileHandle): Promise<void> {
    if (this.#tail.length > 0) await setAside(`${this.file}.cut-${Date.now()}`, this.#tail);
    this.#tail = new Uint8Array();
    await handle.truncate(this.#end);
    await handle.datasync();
    this.#ragged = false;
  }

  #remember(line: Uint8Array): void {
    if (this.#end + line.length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#end + line.length, 2 * this.#buffer.length, 4096));
      this.bytes.copy(larger);
      this.#buffer = larger;
    }
    this.#buffer.set(line, this.#end);
    this.#end += line.length;
  }
}

async function setAside(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await closing(await createFile(file), async (handle) => {
      await writeAll(handle, bytes, 0);
      await handle.sync();
    });
  } catch (error) {
    if (isDiskFull(error)) await rm(file, { force: true });
    throw error;
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
