import type { CollectionDeclaration } from '../declaration.ts';
import { decodeText, encode } from '../document.ts';
import type { Properties } from '../store.ts';
import type { StoredRecord } from './commit-line.ts';
import type { VisitRecord } from './hint.ts';
import { KeyDirectory } from './key-directory.ts';
import { costOf } from './sealed-segment.ts';

/** A file of records, as the running store knows it. */
export interface Segment {
  readonly number: number;
  /** Its contents while it is not sealed. A sealed one is read from disk. */
  bytes: Buffer | undefined;
  /** Its records while it is not sealed. */
  records: StoredRecord[];
  /** What its records cost, in bytes. */
  size: number;
  /** What those records cost that are still needed. */
  live: number;
  /** How many documents are still needed. */
  documents: number;
  tombstones: number;
  lastTombstone: number;
  /** It holds no record that a tombstone older than this sequence number hides. */
  floor: number;
}

/** A segment with so many records, or so many bytes, is full. */
export const MAX_SEGMENT = { records: 10_000, bytes: 2 ** 21 };

export function newSegment(number: number, floor: number): Segment {
  return {
    number,
    floor,
    size: 0,
    bytes: undefined,
    records: [],
    live: 0,
    documents: 0,
    tombstones: 0,
    lastTombstone: 0,
  };
}

/** All that the store knows of its documents: a key directory for each collection, and how far it has come. */
export class Catalog {
  readonly segments = new Map<number, Segment>();
  readonly last: { [collection: string]: number } = {};
  /** The store's own name, which is part of every version. */
  id = '';
  /** The sequence number of the last change. */
  sequence = 0;
  /** How many bytes were superseded since somebody set this to 0. */
  garbage = 0;
  readonly #directories = new Map<string, KeyDirectory>();
  readonly #declared: ReadonlyMap<string, CollectionDeclaration>;
  /** While the store is opened: tombstones, because what they hide may be read after them. */
  readonly #tombstones = new Map<string, Map<number, number>>();

  readonly maxSegment: typeof MAX_SEGMENT;

  constructor(collections: readonly CollectionDeclaration[], maxSegment = MAX_SEGMENT) {
    this.maxSegment = maxSegment;
    this.#declared = new Map(collections.map((one) => [one.name, one]));
  }

  get collections(): string[] {
    return [...this.#directories.keys()];
  }

  directory(collection: string): KeyDirectory {
    const known = this.#directories.get(collection) ?? new KeyDirectory();
    return this.#directories.set(collection, known) && known;
  }

  /** The version of a document that a change with this sequence number stored. */
  versionText(sequence: number): string {
    return `${this.id}-${sequence}`;
  }

  indexes(collection: string): readonly string[] {
    return this.#declared.get(collection)?.indexes ?? [];
  }

  /** The indexed values of a document, each as JSON, as one text. */
  tagText(collection: string, properties: Properties): string {
    return JSON.stringify(this.indexes(collection).map((name) => encode(properties[name] ?? null)));
  }

  tagTextOf(collection: string, document: Uint8Array): string {
    return this.indexes(collection).length === 0 ? '[]' : this.tagText(collection, decodeText(document.toString()));
  }

  /** Takes over a change that is in a segment now. Changes come in their order. */
  apply(segment: Segment, record: StoredRecord, tag: number): void {
    const { collection, id, version, length } = record;
    const directory = this.directory(collection);
    const before =
      length > 0 ? directory.set(id, version, segment.number, record.start, length, tag) : directory.delete(id);
    if (before) this.#forget(before);
    this.count(segment, length, version);
    this.note(collection, id, version);
  }

  /** Takes over the records of a sealed segment, one by one; they come in any order. To be ended by `settle`. */
  recovery(segment: Segment, collection: string): VisitRecord {
    const directory = this.directory(collection);
    const tombstones = this.#tombstones.get(collection) ?? new Map<number, number>();
    this.#tombstones.set(collection, tombstones);
    return (id, version, start, length, tag) => {
      this.count(segment, length, version);
      if (length === 0) tombstones.set(id, version);
      else {
        const known = id > (this.last[collection] ?? 0) ? 0 : directory.versionOf(id);
        const isHidden = known > version || (tombstones.size > 0 && (tombstones.get(id) ?? 0) > version);
        const before = isHidden
          ? { segment: segment.number, length }
          : directory.set(id, version, segment.number, start, length, tag);
        if (before) this.#forget(before);
      }
      this.note(collection, id, version);
    };
  }

  /** Removes what the tombstones hide. */
  settle(): void {
    for (const [collection, tombstones] of this.#tombstones) {
      const directory = this.directory(collection);
      for (const [id, version] of tombstones) {
        const known = directory.get(id);
        if (known && known.version < version) this.#forget(directory.delete(id) ?? known);
      }
    }
    this.#tombstones.clear();
  }

  note(collection: string, id: number, version: number): void {
    this.last[collection] = Math.max(this.last[collection] ?? 0, id);
    this.sequence = Math.max(this.sequence, version);
  }

  /** Adds a record to a segment's account; `isNeeded` says whether it is still needed. */
  count(segment: Segment, length: number, version: number, isNeeded = true): void {
    segment.size += costOf(length);
    if (!isNeeded) return;
    segment.live += costOf(length);
    if (length > 0) segment.documents++;
    else {
      segment.tombstones++;
      segment.lastTombstone = Math.max(segment.lastTombstone, version);
    }
  }

  #forget({ segment, length }: { segment: number; length: number }): void {
    const holder = this.segments.get(segment);
    this.garbage += costOf(length);
    if (!holder) return;
    holder.live -= costOf(length);
    holder.documents--;
  }
}
