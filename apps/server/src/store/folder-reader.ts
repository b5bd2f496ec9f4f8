import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Low } from 'lowdb';
import { damaged } from './disk.ts';
import { type JournalContent, journalName, journalsIn, readJournal } from './journal.ts';
import type { Memory } from './memory.ts';
import { type NotedLength, readNotedLength } from './noted-length.ts';
import { applyRecord } from './records.ts';
import { type Data, Snapshot } from './snapshot.ts';

/** Reads a folder into an empty memory: the snapshot, then the journals that follow it. Changes nothing on the disk. */
export class FolderReader {
  readonly folder: string;
  readonly snapshot: Snapshot;
  readonly db: Low<Data>;
  /** The journal to which a store appends. Undefined in a new folder. */
  last: JournalContent | undefined;

  constructor(folder: string, memory: Memory) {
    this.folder = folder;
    this.snapshot = new Snapshot(join(folder, 'store.json'), memory);
    this.db = new Low<Data>(this.snapshot, { memory, journal: 1 });
  }

  async read(): Promise<void> {
    // Before the journals, which may grow meanwhile.
    const noted = await readNotedLength(this.folder);
    await this.db.read();
    if (this.snapshot.bytes === 0) {
      await this.#checkNew(noted);
    } else {
      this.last = await this.#readJournals();
      this.#checkLength(noted);
    }
    // Those that the start forgot were forgotten before.
    this.db.data.memory.keys.forgotten = 0;
  }

  /** A start that was interrupted leaves an empty journal, and no snapshot. */
  async #checkNew(noted: NotedLength | undefined): Promise<void> {
    for (const number of await journalsIn(this.folder)) {
      const { hasRecords } = await readJournal(this.#pathOf(number), number, () => {});
      if (hasRecords || number > 1) throw damaged(this.snapshot.path, 'it is missing');
    }
    if (noted) throw damaged(this.snapshot.path, 'it is missing');
  }

  /** Returns the last journal that was written. */
  async #readJournals(): Promise<JournalContent> {
    const { journal: first } = this.db.data;
    const numbers = (await journalsIn(this.folder)).filter((number) => number > first);
    let last = await this.#readJournal(first);
    for (const [i, number] of numbers.entries()) {
      const expected = first + 1 + i;
      if (number !== expected) throw damaged(this.#pathOf(expected), 'it is missing');
      const content = await this.#readJournal(number);
      // The next journal is made before this one ends, and written after that.
      if (last.isEnded) last = content;
      else if (content.hasRecords) throw damaged(this.#pathOf(last.number), 'its end is missing');
    }
    if (last.isEnded) throw damaged(this.#pathOf(last.number + 1), 'it is missing');
    return last;
  }

  async #readJournal(number: number): Promise<JournalContent> {
    const { memory } = this.db.data;
    const path = this.#pathOf(number);
    if (!existsSync(path)) throw damaged(path, 'it is missing');
    return readJournal(path, number, (record) => applyRecord(memory, record));
  }

  /** A journal is only followed when it has what was noted, so the length of the last one is all that matters. */
  #checkLength(noted: NotedLength | undefined): void {
    if (!noted || !this.last || noted.number < this.last.number) return;
    const path = this.#pathOf(noted.number);
    if (noted.number > this.last.number) throw damaged(path, 'it is missing');
    if (noted.bytes > this.last.bytes)
      throw damaged(path, `it has ${this.last.bytes} bytes, and had ${noted.bytes}`);
  }

  #pathOf(number: number): string {
    return join(this.folder, journalName(number));
  }
}
