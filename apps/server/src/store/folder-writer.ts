import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Low } from 'lowdb';
import type { Change } from './commit-plan.ts';
import { damaged, replaceFile, syncFolder } from './disk.ts';
import {
  checkedLine,
  contentOf,
  Journal,
  type JournalContent,
  journalPath,
  journalsIn,
} from './journal.ts';
import type { ChangeLog } from './memory.ts';
import type { Data, Snapshot } from './snapshot.ts';
import { messageOf, nothingDone, UnavailableError } from './store.ts';

/** The length of a journal is noted when it has not grown for so long. */
const QUIET_MS = 1_000;
/** How often work on a new journal is tried after a failed sync. */
const RETRY_MS = 1_000;

const LENGTH_FILE = 'journal-length.json';
/** The checksum of the noted length is made with a number that no journal has. */
const NO_JOURNAL = 0;

/** A folder whose files were read into a memory. */
export interface Folder {
  readonly path: string;
  readonly snapshot: Snapshot;
  readonly db: Low<Data>;
  /** The journal to which a store appends. Undefined in a new folder. */
  readonly lastJournal: JournalContent | undefined;
}

/**
 * A folder that is open for writing: changes go to the journal, and a long journal is folded into
 * the snapshot.
 */
export class FolderWriter implements ChangeLog {
  readonly #folder: string;
  readonly #db: Low<Data>;
  readonly #snapshot: Snapshot;
  /** A journal with fewer bytes is not folded. */
  readonly #foldFloor: number;
  readonly #closing = new AbortController();
  #journal: Journal;
  #folding: Promise<void> | undefined;
  #recovering: Promise<void> | undefined;
  #noting: Promise<void> = Promise.resolve();
  /** Begins again with each write. */
  readonly #quietTimer: NodeJS.Timeout;

  private constructor({ path, db, snapshot }: Folder, journal: Journal, foldFloor: number) {
    this.#folder = path;
    this.#db = db;
    this.#snapshot = snapshot;
    this.#journal = journal;
    this.#foldFloor = foldFloor;
    this.#quietTimer = setTimeout(() => this.#noteLength(), QUIET_MS).unref();
  }

  /** Opens a folder that was read. */
  static async open(folder: Folder, foldFloor: number): Promise<FolderWriter> {
    const { path, db, lastJournal } = folder;
    await removeTemporary(path);
    await removeBefore(path, db.data.journal);
    const journal = lastJournal
      ? await Journal.open(path, lastJournal.number, lastJournal.bytes)
      : await createFirst(folder);
    return new FolderWriter(folder, journal, foldFloor);
  }

  /** The length of the journal. */
  get bytes(): number {
    return this.#journal.bytes;
  }

  check(): void {
    if (this.#journal.isBroken) throw new UnavailableError('The disk has failed.');
  }

  /** Resolves when the changes are on the disk. */
  async save(changes: readonly Change[]): Promise<void> {
    try {
      if (this.#isLong() && !this.#folding) await this.#startNextJournal().catch(nothingDone);
      await this.#journal.append(changes);
      this.#quietTimer.refresh();
    } finally {
      if (this.#journal.isBroken) this.#recovering ??= this.#recover();
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#snapshot.isStopped = true;
    clearTimeout(this.#quietTimer);
    await this.#folding;
    await this.#recovering;
    if (!this.#journal.isBroken) this.#noteLength();
    await this.#noting;
    await this.#journal.close();
  }

  /** Whether a fold is due: the journal has outgrown the snapshot. */
  #isLong(): boolean {
    return this.#journal.bytes > Math.max(this.#foldFloor, this.#snapshot.bytes);
  }

  /** Makes the next journal, ends this one, and folds it in the background. */
  async #startNextJournal(): Promise<void> {
    const previous = this.#journal;
    const next = await Journal.create(this.#folder, previous.number + 1);
    try {
      await previous.end();
    } catch (error) {
      await next.close();
      throw error;
    }
    this.#journal = next;
    this.#folding = this.#fold(previous);
  }

  /**
   * Writes the snapshot that the new journal follows, while writes go on. If this fails, it is
   * tried when that journal is long.
   */
  async #fold(previous: Journal): Promise<void> {
    try {
      await previous.close();
      await this.#writeSnapshot(this.#journal.number);
    } catch (error) {
      if (!this.#closing.signal.aborted)
        process.emitWarning(
          `The journal could not be folded into store.json, and grows until that succeeds: ${messageOf(error)}`,
        );
    } finally {
      this.#folding = undefined;
    }
  }

  /**
   * After a failed sync the disk may have lost lines of the journal. All that was acknowledged is
   * in memory, so it becomes a new snapshot with a new journal. Until that succeeds, nothing is
   * written.
   */
  async #recover(): Promise<void> {
    const broken = this.#journal;
    process.emitWarning('A sync of the journal failed. Writes wait for a new snapshot.');
    await this.#folding;
    const { signal } = this.#closing;
    while (!signal.aborted && !(await this.#replaceJournal(broken))) {
      // It rejects when the folder is closed.
      await pause(RETRY_MS, undefined, { signal }).catch(() => {});
    }
    this.#recovering = undefined;
  }

  /** Returns whether it succeeded. */
  async #replaceJournal(broken: Journal): Promise<boolean> {
    let next: Journal | undefined;
    try {
      next = await Journal.create(this.#folder, broken.number + 1);
      await this.#writeSnapshot(next.number);
      this.#journal = next;
      // The file is removed, so nothing depends on it.
      await broken.close().catch(() => {});
      process.emitWarning('The new snapshot is written. Writes go on.');
      return true;
    } catch {
      // It is tried again; the first warning has said so.
      await next?.close();
      return false;
    }
  }

  async #writeSnapshot(journal: number): Promise<void> {
    this.#db.data.journal = journal;
    await this.#db.write();
    await removeBefore(this.#folder, journal);
  }

  #noteLength(): void {
    this.#noting = this.#noting.then(async () => {
      const { number, bytes } = this.#journal;
      // If it cannot be noted, a shortened journal is not noticed. The next quiet moment tries again.
      await writeNotedLength(this.#folder, { number, bytes }).catch(() => {});
    });
  }
}

/** Makes the first journal and snapshot of a new folder. */
async function createFirst({ path, db }: Folder): Promise<Journal> {
  const journal = await Journal.create(path, db.data.journal);
  try {
    await db.write();
    return journal;
  } catch (error) {
    await journal.close();
    throw error;
  }
}

/** How the names of the store's own files begin. */
const PREFIXES: readonly string[] = ['store.', 'journal-'];

/** Removes what an interrupted start or fold has left of the store's own files. */
async function removeTemporary(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.tmp'));
  for (const name of names) {
    if (PREFIXES.some((prefix) => name.startsWith(prefix))) await rm(join(folder, name));
  }
}

async function removeBefore(folder: string, first: number): Promise<void> {
  for (const number of await journalsIn(folder))
    if (number < first) await rm(journalPath(folder, number));
  await syncFolder(folder);
}

/** How long a journal was when it was last noted. A shorter one has lost acknowledged writes. */
export interface NotedLength {
  readonly number: number;
  readonly bytes: number;
}

async function writeNotedLength(folder: string, length: NotedLength): Promise<void> {
  await replaceFile(join(folder, LENGTH_FILE), [checkedLine(JSON.stringify(length), NO_JOURNAL)]);
}

/** Undefined if no length was noted yet. */
export async function readNotedLength(folder: string): Promise<NotedLength | undefined> {
  const path = join(folder, LENGTH_FILE);
  if (!existsSync(path)) return undefined;
  const content = contentOf(await readFile(path), NO_JOURNAL);
  if (content === undefined) throw damaged(path, 'it is damaged');
  return JSON.parse(content);
}
