import { type FileHandle, open, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Adapter } from 'lowdb';
import { isDiskFull, StoreDamagedError } from '../errors.ts';
import { commitLine, readCommits } from './commit-line.ts';
import { syncFolder, writeAll } from './disk.ts';
import { segmentFile } from './segment-names.ts';

/** The animals that an open segment is given with the next commit or, after reading, all it holds. */
export type Texts = string[];

/**
 * lowdb's way to the open segment: reading gives all its animals, writing appends more of them as one commit. A write
 * that fails leaves nothing of itself behind.
 */
export class OpenSegment implements Adapter<Texts> {
  readonly file: string;
  /** What the file is called once it is sealed. */
  readonly sealedFile: string;
  readonly #first: number;
  #handle: FileHandle | undefined;
  /** Where the last good commit ends, and the next one goes. */
  #end = 0;
  /** There may be something behind the last good commit. */
  #ragged = false;
  /** What a crash left behind the last good commit; kept beside the file when it is cut off. */
  #tail = Buffer.alloc(0);
  /** The folder knows this file for good. */
  #listed = false;

  constructor(folder: string, first: number) {
    this.file = join(folder, segmentFile({ first, form: 'jsonl' }));
    this.sealedFile = join(folder, segmentFile({ first, form: 'json' }));
    this.#first = first;
  }

  /** How many bytes behind the last good commit wait to be cut off. */
  get tail(): number {
    return this.#tail.length;
  }

  async read(): Promise<Texts> {
    const bytes = await readFile(this.file);
    const commits = readCommits(bytes, this.#first);
    if (typeof commits === 'string') throw new StoreDamagedError(this.file, commits);
    this.#end = commits.end;
    this.#tail = bytes.subarray(commits.end);
    this.#ragged = this.#tail.length > 0;
    return commits.texts;
  }

  /**
   * Opens a file that was read for appending. What its last writer was killed over may be seen only in memory yet, so it
   * is synced before anyone is shown it.
   */
  async resume(): Promise<void> {
    this.#handle = await open(this.file, 'r+');
    await this.#handle.datasync();
    await syncFolder(dirname(this.file));
    this.#listed = true;
  }

  async write(texts: Texts): Promise<void> {
    this.#handle ??= await open(this.file, 'wx');
    if (this.#ragged) await this.#cut(this.#handle);
    const line = commitLine(texts);
    try {
      this.#ragged = true;
      await writeAll(this.#handle, line, this.#end);
      await this.#handle.datasync();
      if (!this.#listed) await syncFolder(dirname(this.file));
    } catch (error) {
      const cut = this.#cut(this.#handle);
      // A full disk is one that goes on, so whether the cut succeeds matters; after anything else nothing is certain.
      await (isDiskFull(error) ? cut : cut.catch(() => {}));
      throw error;
    }
    this.#ragged = false;
    this.#listed = true;
    this.#end += line.length;
  }

  async close(): Promise<void> {
    await this.#handle?.close();
    this.#handle = undefined;
  }

  async #cut(handle: FileHandle): Promise<void> {
    if (this.#tail.length > 0) await setAside(`${this.file}.cut-${Date.now()}`, this.#tail);
    this.#tail = Buffer.alloc(0);
    await handle.truncate(this.#end);
    await handle.datasync();
    this.#ragged = false;
  }
}

async function setAside(file: string, bytes: Buffer): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: 'wx', flush: true });
  } catch (error) {
    if (isDiskFull(error)) await rm(file, { force: true });
    throw error;
  }
}
