import { join } from 'node:path';
import { type CollectionDeclaration, encode } from '../document.ts';
import type { Properties } from '../store.ts';
import type { Form, Kind, StoredRecord } from './block.ts';
import { KeyDirectory } from './key-directory.ts';

/** A file of records, as the running store knows it. */
export interface Segment {
  readonly number: number;
  /** The first change that it can hold, while it is not sealed. */
  readonly first: number;
  /** Its commits, while it is not sealed. A sealed one is read from disk. */
  bytes: Buffer | undefined;
  /** What its records cost, and those of its documents that are still needed. */
  size: number;
  live: number;
  tombstones: number;
}

/** A segment whose records cost so much is full. */
const MAX_SEGMENT = 2 ** 21;

/** What a record costs: its bytes, and what the work and the memory for any record amount to. */
export const costOf = (length: number) => length + 128;

export const segmentFile = (number: number, form: Form) => `${String(number).padStart(10, '0')}.${form}`;

/** All that the store knows of its documents: a key directory for each collection, the segments, and how far it has come. */
export class Catalog {
  /** The folder of the segments. */
  readonly folder: string;
  readonly maxSegment: number;
  readonly segments = new Map<number, Segment>();
  /** The store's own name, which is part of every version. */
  id = '';
  /** The sequence number of the last change that was committed. */
  sequence = 0;
  readonly kinds: Kind[] = [];
  readonly declared: ReadonlyMap<string, CollectionDeclaration>;
  readonly #kinds = new Map<string, number>();
  /** The kinds of documents whose only index has this value, by collection. */
  readonly #kindsOfValues = new Map<string, Map<unknown, number>>();
  readonly #directories = new Map<string, KeyDirectory>();
  /** By kind. */
  readonly #directoryOf: KeyDirectory[] = [];
  /** The highest number of a segment. */
  #number = 0;

  constructor(folder: string, collections: readonly CollectionDeclaration[], maxSegment = MAX_SEGMENT) {
    this.folder = folder;
    this.maxSegment = maxSegment;
    this.declared = new Map(collections.map((one) => [one.name, one]));
    for (const { name } of collections) this.#kindsOfValues.set(name, new Map());
  }

  /** A segment that is behind all others, unless it is one that was found. */
  newSegment(bytes: Buffer | undefined, number = this.#number + 1): Segment {
    this.#number = Math.max(number, this.#number);
    return { number, first: this.sequence + 1, bytes, size: 0, live: 0, tombstones: 0 };
  }

  /** The sealed segments, then the others: what changes a document is behind what it changes. */
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

  /** The directory of the documents of a kind. */
  directoryOf(kind: number): KeyDirectory {
    return this.#directoryOf[kind] as KeyDirectory;
  }

  /** The highest identifier that each collection has given out. */
  get last(): { [collection: string]: number } {
    const all = [...this.#directories].map(([name, { last }]) => [name, last] as const);
    return Object.fromEntries(all.filter(([, last]) => last > 0));
  }

  /** The version of a document that a change with this sequence number stored. */
  versionText(sequence: number): string {
    return `${this.id}-${sequence}`;
  }

  indexes(collection: string): readonly string[] {
    return this.declared.get(collection)?.indexes ?? [];
  }

  /** The kind of a document. */
  kindOf(collection: string, properties: Properties): number {
    const indexes = this.indexes(collection);
    const value = properties[indexes[0] ?? ''];
    const ofValues =
      indexes.length === 1 && typeof value !== 'object' ? this.#kindsOfValues.get(collection) : undefined;
    const known = ofValues?.get(value);
    if (known !== undefined) return known;
    const values = indexes.map((name) => `${encode(name)}:${encode(properties[name] ?? null)}`);
    const kind = this.kind(collection, `{${values.join()}}`);
    ofValues?.set(value, kind);
    return kind;
  }

  /** The number of a kind. */
  kind(collection: string, values: string): number {
    const key = `${collection} ${values}`;
    const known = this.#kinds.get(key);
    if (known !== undefined) return known;
    this.#kinds.set(key, this.kinds.length);
    this.#directoryOf.push(this.directory(collection));
    return this.kinds.push([collection, values]) - 1;
  }

  /**
   * Takes over a record of a segment, whose documents begin at a byte. Whatever else there is of this document is in the
   * same segment or in one before.
   */
  apply(segment: Segment, record: StoredRecord, from = 0, kind = record.kind): void {
    const { id, version, start, length } = record;
    const directory = this.directoryOf(kind);
    directory.last = Math.max(id, directory.last);
    segment.size += costOf(length);
    if (length === 0) segment.tombstones++;
    else segment.live += costOf(length);
    const before =
      length === 0 ? directory.delete(id) : directory.set(id, version, segment.number, from + start, length, kind);
    const holder = before && this.segments.get(before.segment);
    if (before && holder) holder.live -= costOf(before.length);
  }
}
