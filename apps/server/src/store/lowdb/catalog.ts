import type { CollectionDeclaration } from '../declaration.ts';
import { encode } from '../document.ts';
import type { Properties } from '../store.ts';
import type { StoredRecord } from './commit-line.ts';
import { KeyDirectory } from './key-directory.ts';

/** A file of records, as the running store knows it. */
export interface Segment {
  readonly number: number;
  /** It holds no record that a tombstone with a lower sequence number hides. Higher segments have higher floors. */
  readonly floor: number;
  /** Its contents and its records while it is not sealed. A sealed one is read from disk. */
  bytes: Buffer | undefined;
  readonly records: StoredRecord[];
  /** What its records cost, and those of its documents that are still needed. */
  size: number;
  live: number;
  tombstones: number;
  lastTombstone: number;
}

/** A segment whose records cost so much is full. */
export const MAX_SEGMENT = 2 ** 21;

/** What a record costs: its bytes, and what the work and the memory for any record amount to. */
export const costOf = (length: number) => length + 128;

export function newSegment(number: number, floor: number, bytes?: Buffer): Segment {
  return { number, floor, bytes, records: [], size: 0, live: 0, tombstones: 0, lastTombstone: 0 };
}

/** All that the store knows of its documents: a key directory for each collection, the segments, and how far it has come. */
export class Catalog {
  /** By number, ascending. */
  readonly segments = new Map<number, Segment>();
  readonly last: { [collection: string]: number } = {};
  /** The store's own name, which is part of every version. */
  id = '';
  /** The sequence number of the last record that was committed. */
  sequence = 0;
  readonly maxSegment: number;
  readonly #directories = new Map<string, KeyDirectory>();
  readonly #declared: ReadonlyMap<string, CollectionDeclaration>;
  /** While the store is opened, tombstones are in the key directory: what they hide may be read after them. */
  #tombstones: { directory: KeyDirectory; id: number }[] | undefined = [];

  constructor(collections: readonly CollectionDeclaration[], maxSegment = MAX_SEGMENT) {
    this.maxSegment = maxSegment;
    this.#declared = new Map(collections.map((one) => [one.name, one]));
  }

  directory(collection: string): KeyDirectory {
    const known = this.#directories.get(collection);
    if (known) return known;
    const directory = new KeyDirectory();
    this.#directories.set(collection, directory);
    return directory;
  }

  /** The version of a document that a change with this sequence number stored. */
  versionText(sequence: number): string {
    return `${this.id}-${sequence}`;
  }

  idProperty(collection: string): string | undefined {
    return this.#declared.get(collection)?.id;
  }

  indexes(collection: string): readonly string[] {
    return this.#declared.get(collection)?.indexes ?? [];
  }

  /** The tag of a document's indexed values. */
  tagOf(collection: string, properties: Properties): number {
    const values = this.indexes(collection).map((name) => encode(properties[name] ?? null));
    return this.directory(collection).tag(`[${values.join()}]`);
  }

  /** Takes over a record of a segment. The one with the highest version counts; a copy counts more than what it copies. */
  apply(segment: Segment, { collection, id, version, start, length }: StoredRecord, tag: number): void {
    const directory = this.directory(collection);
    segment.size += costOf(length);
    if (length === 0) segment.tombstones++;
    if (length === 0) segment.lastTombstone = Math.max(segment.lastTombstone, version);
    const before = id <= (this.last[collection] ?? 0) ? directory.get(id) : undefined;
    this.last[collection] = Math.max(this.last[collection] ?? 0, id);
    if (before && before.version > version) return;
    const holder = before && before.length > 0 && this.segments.get(before.segment);
    if (holder) holder.live -= costOf(before.length);
    if (length > 0) segment.live += costOf(length);
    if (length > 0 || this.#tombstones) directory.set(id, version, segment.number, start, length, tag);
    else directory.delete(id);
    if (length === 0) this.#tombstones?.push({ directory, id });
  }

  /** Ends opening the store: tombstones leave the key directory. */
  settle(): void {
    for (const { directory, id } of this.#tombstones ?? []) if (directory.get(id)?.length === 0) directory.delete(id);
    this.#tombstones = undefined;
  }
}
