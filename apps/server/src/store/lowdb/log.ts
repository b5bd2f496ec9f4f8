import { join } from 'node:path';
import { Low } from 'lowdb';
import { StoreUnavailableError } from '../errors.ts';
import { ActiveSegment } from './active-segment.ts';
import { type Catalog, type MAX_SEGMENT, newSegment, type Segment } from './catalog.ts';
import { commitLine, type Record } from './commit-line.ts';
import type { Merger } from './merge.ts';
import { segmentFile } from './segment-names.ts';

/** Full segments are in memory until they are sealed; where sealing fails, no more than this many may wait. */
const MAX_WAITING = 16;
/** So much has to be superseded before it is looked whether segments should be merged. */
const GARBAGE_BYTES = 2 ** 16;

/** The end of the store, where it grows: the active segment, and a new one behind it whenever it is full. */
export class Log {
  readonly #folder: string;
  readonly #catalog: Catalog;
  readonly #merger: Merger;
  readonly #newNumber: () => number;
  #segment: Segment;
  #active: ActiveSegment;
  /** The segment behind a full one, whose first commit did not succeed yet. */
  #next: { segment: Segment; active: ActiveSegment } | undefined;

  constructor(
    folder: string,
    catalog: Catalog,
    merger: Merger,
    { segment, active, newNumber }: { segment: Segment; active: ActiveSegment; newNumber: () => number },
  ) {
    this.#folder = folder;
    this.#catalog = catalog;
    this.#merger = merger;
    this.#newNumber = newNumber;
    this.#segment = segment;
    this.#active = active;
  }

  /** Commits these changes; they can be read once this resolves. `tags` holds the tag of each. */
  async append(records: readonly Record[], tags: readonly number[]): Promise<void> {
    if (this.#merger.waiting > MAX_WAITING) await this.#merger.retry();
    if (this.#merger.waiting > MAX_WAITING)
      throw new StoreUnavailableError(`Segments cannot be sealed (${this.#merger.failure}).`);
    const open = this.#open();
    const { segment, active } = open;
    const { line, stored } = commitLine(this.#catalog.sequence + 1, records);
    await new Low<Uint8Array>(active, line).write();
    const base = active.bytes.length - line.length;
    segment.bytes = active.bytes;
    if (segment !== this.#segment) await this.#roll(open);
    for (const [i, one] of stored.entries()) {
      const record = { ...one, start: base + one.start };
      segment.records.push(record);
      this.#catalog.apply(segment, record, tags[i] ?? 0);
    }
    if (this.#catalog.garbage < GARBAGE_BYTES) return;
    this.#catalog.garbage = 0;
    this.#merger.wake();
  }

  async close(): Promise<void> {
    await this.#active.close();
    await this.#next?.active.close();
  }

  #open(): { segment: Segment; active: ActiveSegment } {
    if (!isFull(this.#segment, this.#catalog.maxSegment)) return { segment: this.#segment, active: this.#active };
    if (this.#next) return this.#next;
    const segment = newSegment(this.#newNumber(), this.#catalog.sequence + 1);
    const active = new ActiveSegment(join(this.#folder, segmentFile(segment.number, false)));
    this.#next = { segment, active };
    return this.#next;
  }

  async #roll({ segment, active }: { segment: Segment; active: ActiveSegment }): Promise<void> {
    const [full, filled] = [this.#segment, this.#active];
    this.#segment = segment;
    this.#active = active;
    this.#next = undefined;
    this.#catalog.segments.set(segment.number, segment);
    await filled.close();
    this.#merger.seal(full);
  }
}

function isFull({ records, bytes }: Segment, max: typeof MAX_SEGMENT): boolean {
  return records.length >= max.records || (bytes?.length ?? 0) >= max.bytes;
}
