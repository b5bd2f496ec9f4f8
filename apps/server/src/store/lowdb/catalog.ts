import { join } from 'node:path';
import { exactJson } from '../../old.ts';
import { type CollectionDeclaration, indexedValue } from '../document.ts';
import type { Properties } from '../store.ts';
import type { Form, Kind, StoredRecord } from './block.ts';
import { KeyDirectory } from './key-directory.ts';

/**
 * The state of a file of records. The log appends commits to an unsealed segment, whose bytes are also in memory. Sealing writes
 * the needed records to an immutable file, which is read from disk.
 */
export interface Segment {
  readonly number: number;
  /** The sequence number of the first change in an unsealed segment. */
  readonly first: number;
  /** The commits of an unsealed segment; undefined for a sealed one. */
  bytes: Buffer | undefined;
  /** The cost of all records. */
  cost: number;
  /** The cost of the documents that are neither replaced nor removed. */
  liveCost: number;
  /** The number of tombstones. */
  tombstones: number;
}

/** The cost of a full segment. */
const MAX_SEGMENT = 2 ** 21;

/** The cost of a record: its bytes, and a constant for the work and memory of each record. */
export const costOf = (length: number) => length + 128;

/** The number of records that are processed between two yields to the event loop. */
export const RECORDS_PER_YIELD = 1000;

export const segmentFile = (number: number, form: Form) => `${String(number).padStart(10, '0')}.${form}`;

/** The index of the store: a key directory for each collection, the segments, and the sequence number of the last change. */
export class Catalog {
  /** The folder of the segments. */
  readonly folder: string;
  readonly maxSegment: number;
  readonly segments = new Map<number, Segment>();
  /** The identifier of the store, which is part of every version. */
  id = '';
  /** The sequence number of the last committed change. */
  sequence = 0;
  readonly kinds: Kind[] = [];
  readonly declared: ReadonlyMap<string, CollectionDeclaration>;
  readonly #kinds = new Map<string, number>();
  /** For a collection with one index, its kinds by the indexed value: a cache, so a write need not build the kind's text. */
  readonly #kindsOfValues = new Map<string, Map<unknown, number>>();
  readonly #directories = new Map<string, KeyDirectory>();
  /** The directories by kind. */
  readonly #directoryOf: KeyDirectory[] = [];
  /** The highest segment number. */
  #number = 0;

  constructor(folder: string, collections: readonly CollectionDeclaration[], maxSegment = MAX_SEGMENT) {
    this.folder = folder;
    this.maxSegment = maxSegment;
    this.declared = new Map(collections.map((collection) => [collection.name, collection]));
    for (const { name } of collections) this.#kindsOfValues.set(name, new Map());
  }

  /** Creates a segment with the next number, or with the number of an existing file. */
  newSegment(bytes: Buffer | undefined, number = this.#number + 1): Segment {
    this.#number = Math.max(number, this.#number);
    return { number, first: this.sequence + 1, bytes, cost: 0, liveCost: 0, tombstones: 0 };
  }

  /** The sealed and the unsealed segments, each in the order in which they must be loaded: a later record of a document replaces an earlier one. */
  inOrder(): { sealed: Segment[]; unsealed: Segment[] } {
    const all = [...this.segments.values()];
    return { sealed: all.filter(({ bytes }) => !bytes), unsealed: all.filter(({ bytes }) => bytes) };
  }

  fileOf({ number, bytes }: Segment): string {
    return join(this.folder, segmentFile(number, bytes ? 'jsonl' : 'json'));
  }

  directory(collection: string): KeyDirectory {
    const directory = this.#directories.get(collection) ?? new KeyDirectory();
    this.#directories.set(collection, directory);
    return directory;
  }

  /** The key directory for documents of a kind. */
  directoryOf(kind: number): KeyDirectory {
    return this.#directoryOf[kind] as KeyDirectory;
  }

  /** The highest assigned identifier of each collection. */
  get last(): { [collection: string]: number } {
    const all = [...this.#directories].map(([name, { last }]) => [name, last] as const);
    return Object.fromEntries(all.filter(([, last]) => last > 0));
  }

  /** The version of the document that the change with this sequence number stored. */
  versionText(sequence: number): string {
    return `${this.id}-${sequence}`;
  }

  indexes(collection: string): readonly string[] {
    return this.declared.get(collection)?.indexes ?? [];
  }

  /** The index in `kinds` of a document's kind. A new kind is added. */
  kindOf(collection: string, properties: Properties): number {
    const indexes = this.indexes(collection);
    const value = indexedValue(properties, indexes[0] ?? '');
    const kindsOfValues =
      indexes.length === 1 && (value === null || typeof value !== 'object')
        ? this.#kindsOfValues.get(collection)
        : undefined;
    const known = kindsOfValues?.get(value);
    if (known !== undefined) return known;
    const values = indexes.map((property) => `${exactJson(property)}:${exactJson(indexedValue(properties, property))}`);
    const kind = this.kind(collection, `{${values.join()}}`);
    kindsOfValues?.set(value, kind);
    return kind;
  }

  /** The index in `kinds` of the kind with these indexed values, which are JSON. A new kind is added. */
  kind(collection: string, values: string): number {
    const key = `${collection} ${values}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    this.#kinds.set(key, this.kinds.length);
    this.#directoryOf.push(this.directory(collection));
    return this.kinds.push([collection, values]) - 1;
  }

  /**
   * Adds a record of a segment to the index. The offset of the record is relative to `from`. Records of one document have to be
   * added in the order of their changes.
   */
  apply(segment: Segment, record: StoredRecord, from = 0, kind = record.kind): void {
    const { id, version, start, length } = record;
    const directory = this.directoryOf(kind);
    directory.last = Math.max(id, directory.last);
    segment.cost += costOf(length);
    if (length === 0) segment.tombstones++;
    else segment.liveCost += costOf(length);
    const before =
      length === 0 ? directory.delete(id) : directory.set(id, version, segment.number, from + start, length, kind);
    const formerSegment = before && this.segments.get(before.segment);
    if (before && formerSegment) formerSegment.liveCost -= costOf(before.length);
  }
}
