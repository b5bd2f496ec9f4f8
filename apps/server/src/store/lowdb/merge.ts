import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { Low } from 'lowdb';
import { isDiskFull } from '../../files/errors.ts';
import { syncFolder } from '../../files/files.ts';
import { type Catalog, type MAX_SEGMENT, newSegment, type Segment } from './catalog.ts';
import type { StoredRecord } from './commit-line.ts';
import type { Manifest } from './manifest.ts';
import { costOf, encodeSegment, GAP, type Part, type SealedSegment, sealedSegmentFile } from './sealed-segment.ts';
import { segmentFile } from './segment-names.ts';

/** A segment is merged when less than this part of it is needed: so the files take 1.4 times what is needed, and what waits to be merged. */
const MIN_LIVE = 0.7;
/** Segments below this part of a full one are small; so many of them are merged into one. */
const SMALL = 1 / 4;
const MAX_SMALL = 8;
const MAX_INPUTS = 8;
/** The event loop is free again after so many records. */
const SLICE = 4000;
const RETRY_MS = 1000;

/** A record that goes on, with its document, its tag, and where it was. */
interface Kept {
  record: StoredRecord;
  input: Segment;
  text: Uint8Array;
  tag: number;
}

/**
 * Seals full segments and merges sealed ones, one at a time, beside the commits: the records that are still needed go into
 * a new segment; once the manifest names it, the old ones are removed. Sealing is merging a single segment. Nothing
 * depends on when this happens, so an error only puts it off.
 */
export class Merger {
  readonly #folder: string;
  readonly #catalog: Catalog;
  readonly #manifest: Manifest;
  readonly #newNumber: () => number;
  readonly #onWarning: (line: string) => void;
  /** Full segments that wait to be sealed, in order. */
  readonly #full: Segment[] = [];
  #running: Promise<void> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #closed = false;
  /** Why the last attempt failed. */
  failure: unknown;

  constructor(
    folder: string,
    catalog: Catalog,
    manifest: Manifest,
    options: { newNumber: () => number; onWarning: (line: string) => void },
  ) {
    this.#folder = folder;
    this.#catalog = catalog;
    this.#manifest = manifest;
    this.#newNumber = options.newNumber;
    this.#onWarning = options.onWarning;
  }

  /** How many full segments are in memory, because they are not sealed yet. */
  get waiting(): number {
    return this.#full.length;
  }

  /** Takes a full segment to seal. A newer one must be on disk by now: a sealed segment is never the last. */
  seal(segment: Segment): void {
    this.#full.push(segment);
    this.wake();
  }

  /** Looks for work, unless it is at work or waits for another try. */
  wake(): void {
    if (this.#closed || this.#running || this.#retry || !this.#hasWork()) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Tries at once, where a failure has put it off, and waits for the result. */
  async retry(): Promise<void> {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.wake();
    await this.#running;
  }

  /** Finishes the sealing of full segments, and begins nothing else. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#running;
    while (this.#full.length > 0 && this.failure === undefined) await this.#run();
  }

  async #run(): Promise<void> {
    try {
      for (let inputs = this.#pick(); inputs.length > 0; inputs = this.#pick()) await this.#merge(inputs);
      this.failure = undefined;
    } catch (error) {
      if (this.failure === undefined) this.#onWarning(`Segments cannot be merged now (${error}); this is tried again.`);
      this.failure = error;
      if (this.#closed) return;
      this.#retry = setTimeout(() => {
        this.#retry = undefined;
        this.wake();
      }, RETRY_MS).unref();
    }
  }

  #hasWork(): boolean {
    return this.#pick().length > 0;
  }

  /** The segments to merge next: a full one to be sealed, else those that are mostly superseded, else small ones. */
  #pick(): Segment[] {
    const [full] = this.#full;
    if (full) return [full];
    if (this.#closed) return [];
    const sealed = [...this.#catalog.segments.values()].filter(({ bytes }) => !bytes);
    const wasteful = sealed.filter(
      (segment) => segment.live < MIN_LIVE * segment.size || this.#hasOldTombstones(segment, sealed),
    );
    const { records, bytes } = this.#catalog.maxSegment;
    const small = sealed.filter(
      ({ size, documents, tombstones }) => size < SMALL * bytes && documents + tombstones < SMALL * records,
    );
    if (wasteful.length === 0 && small.length >= MAX_SMALL) return together(small, this.#catalog.maxSegment);
    if (wasteful.length === 0) return this.#oldestUnderPressure(sealed);
    return together(wasteful, this.#catalog.maxSegment);
  }

  /** Whether no other segment holds anything that the tombstones of this one hide. */
  #hasOldTombstones({ number, size, tombstones, lastTombstone }: Segment, sealed: readonly Segment[]): boolean {
    if (costOf(0) * tombstones < (1 - MIN_LIVE) * size) return false;
    return sealed.every((other) => other.number === number || other.floor > lastTombstone);
  }

  /** Tombstones go when every older segment was merged: so the oldest is, where there are many of them. */
  #oldestUnderPressure(sealed: readonly Segment[]): Segment[] {
    const tombstones = sealed.reduce((sum, one) => sum + one.tombstones, 0);
    const documents = sealed.reduce((sum, one) => sum + one.documents, 0);
    const oldest = sealed.toSorted((a, b) => a.floor - b.floor)[0];
    const isMany = tombstones > documents + this.#catalog.maxSegment.records;
    return oldest && isMany && sealed.some(({ lastTombstone }) => lastTombstone >= oldest.floor) ? [oldest] : [];
  }

  async #merge(inputs: readonly Segment[]): Promise<void> {
    const { segments } = this.#catalog;
    const output = newSegment(this.#newNumber(), this.#catalog.sequence + 1);
    const { parts, kept } = await this.#parts(await this.#gather(inputs));
    const file = join(this.#folder, segmentFile(output.number, true));
    const numbers = new Set(inputs.map(({ number }) => number));
    const sealed = this.#manifest.data.sealed.filter((number) => !numbers.has(number));
    let start = 0;
    if (kept.length > 0) {
      await turn();
      const texts = kept.filter(({ text }) => text.length > 0).map(({ text }) => text);
      const encoded = encodeSegment(output, parts, texts);
      await new Low<SealedSegment>(sealedSegmentFile(this.#folder, output.number), {
        floor: output.floor,
        parts: [],
        bytes: encoded.bytes,
      }).write();
      sealed.push(output.number);
      start = encoded.start;
    }
    const last = inputs[0]?.bytes && inputs[0].records.at(-1)?.version;
    try {
      await this.#manifest.update({ sealed, ...(last && { sealedThrough: last }) });
    } catch (error) {
      // On a full disk the manifest is still the old one, and what was written in vain only takes space.
      if (isDiskFull(error)) await rm(file, { force: true });
      throw error;
    }
    if (kept.length > 0) segments.set(output.number, output);
    await this.#move(kept, output, start);
    if (last) this.#full.shift();
    for (const { number, bytes } of inputs) {
      segments.delete(number);
      await rm(join(this.#folder, segmentFile(number, !bytes)), { force: true });
    }
    await syncFolder(this.#folder);
  }

  /** Points the key directory at the new segment, but for documents that were replaced or removed meanwhile. */
  async #move(kept: readonly Kept[], output: Segment, first: number): Promise<void> {
    let start = first;
    for (const [i, { record, input }] of kept.entries()) {
      if (i % SLICE === SLICE - 1) await turn();
      const { collection, id, length } = record;
      const from = { segment: input.number, start: record.start };
      const isMoved =
        length > 0 && this.#catalog.directory(collection).move(id, from, { segment: output.number, start });
      this.#catalog.count(output, length, record.version, isMoved || length === 0);
      if (length > 0) start += length + GAP;
    }
  }

  /** The records of these segments that are still needed. */
  async #gather(inputs: readonly Segment[]): Promise<Kept[]> {
    const numbers = new Set(inputs.map(({ number }) => number));
    const others = [...this.#catalog.segments.values()].filter(({ number }) => !numbers.has(number));
    const oldest = Math.min(...others.map(({ floor }) => floor));
    const kept: Kept[] = [];
    let seen = 0;
    for (const input of inputs) {
      const { bytes, records } = input.bytes ? { bytes: input.bytes, records: input.records } : await this.#read(input);
      for (const record of records) {
        if (++seen % SLICE === 0) await turn();
        const { collection, id, start, length } = record;
        const directory = this.#catalog.directory(collection);
        const place = length > 0 ? directory.get(id) : undefined;
        const isNeeded =
          length > 0 ? place?.segment === input.number && place.start === start : oldest <= record.version;
        if (!isNeeded) continue;
        const tag = length > 0 ? directory.tagOf(id) : 0;
        kept.push({ record, input, tag, text: bytes.subarray(start, start + length) });
      }
    }
    return kept;
  }

  async #read({ number }: Segment): Promise<{ bytes: Buffer; records: StoredRecord[] }> {
    const empty: SealedSegment = { floor: 0, parts: [], bytes: Buffer.alloc(0) };
    const low = new Low<SealedSegment>(sealedSegmentFile(this.#folder, number), empty);
    await low.read();
    const records: StoredRecord[] = [];
    for (const { collection, visit } of low.data.parts)
      visit((id, version, start, length) => records.push({ collection, id, version, start, length }));
    return { bytes: low.data.bytes, records };
  }

  /** The records by collection, ascending. */
  async #parts(kept: readonly Kept[]): Promise<{ parts: Part[]; kept: Kept[] }> {
    const parts: Part[] = [];
    const all: Kept[] = [];
    for (const [collection, some] of Map.groupBy(kept, ({ record }) => record.collection)) {
      await turn();
      const sorted = ascending(some);
      const { tagTexts } = this.#catalog.directory(collection);
      const used = [...new Set(sorted.map(({ tag }) => tag))];
      const places = new Map(used.map((tag, i) => [tag, i]));
      parts.push({
        collection,
        indexes: this.#catalog.indexes(collection),
        tags: used.map((tag) => tagTexts[tag] ?? '[]'),
        records: sorted.map(({ record }) => record),
        tagOf: sorted.map(({ tag }) => places.get(tag) ?? 0),
      });
      for (const one of sorted) all.push(one);
    }
    return { parts, kept: all };
  }
}

/** The ones with the least to be moved, as many as one segment holds; one at least. */
function together(segments: readonly Segment[], max: typeof MAX_SEGMENT): Segment[] {
  const taken: Segment[] = [];
  const sum = { records: 0, bytes: 0 };
  for (const segment of segments.toSorted((a, b) => a.live - b.live).slice(0, MAX_INPUTS)) {
    sum.records += segment.documents + segment.tombstones;
    sum.bytes += segment.live;
    if (taken.length > 0 && (sum.records > max.records || sum.bytes > max.bytes)) break;
    taken.push(segment);
  }
  return taken;
}

function ascending(kept: readonly Kept[]): readonly Kept[] {
  if (kept.every(({ record }, i) => i === 0 || (kept[i - 1]?.record.id ?? 0) < record.id)) return kept;
  // Sorting plain numbers is many times faster than comparing objects.
  const byId = new Map(kept.map((one) => [one.record.id, one]));
  return Array.from(Float64Array.from(byId.keys()).sort(), (id) => byId.get(id) as Kept);
}
