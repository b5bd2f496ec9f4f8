import { withId } from '../document.ts';
import type { Document, NotWritten, Removed } from '../store.ts';
import type { Catalog } from './catalog.ts';
import type { Record } from './commit-line.ts';

/** A write that waits for its commit. */
export type Write = { readonly collection: string; readonly idProperty: string } & (
  | { readonly kind: 'create'; readonly body: string; readonly tag: number }
  | {
      readonly kind: 'replace';
      readonly id: number;
      readonly body: string;
      readonly tag: number;
      readonly ifVersion?: string | undefined;
    }
  | { readonly kind: 'remove'; readonly id: number; readonly ifVersion?: string | undefined }
  | { readonly kind: 'restore'; readonly documents: readonly { id: number; body: string; tag: number }[] }
);

export type WriteResult = Document | Removed | NotWritten | boolean;

/** The records of writes that are committed together, and the result of each once they are durable. */
export class WriteBatch {
  readonly records: Record[] = [];
  /** The tag of each record. */
  readonly tags: number[] = [];
  readonly results: WriteResult[];
  readonly #catalog: Catalog;
  /** Versions that documents have behind the writes before, 0 for removed ones, by collection and identifier. */
  readonly #versions = new Map<string, number>();
  readonly #last = new Map<string, number>();

  constructor(catalog: Catalog, writes: readonly Write[]) {
    this.#catalog = catalog;
    this.results = writes.map((write) => this.#result(write));
  }

  #result(write: Write): WriteResult {
    const { collection } = write;
    if (write.kind === 'create') return this.#put(write, this.#lastOf(collection) + 1, write.body, write.tag);
    if (write.kind === 'restore') return this.#restore(write, write.documents);
    const version = this.#versionOf(collection, write.id);
    if (version === undefined) return { outcome: 'missing' };
    if (write.ifVersion !== undefined && write.ifVersion !== this.#catalog.versionText(version))
      return { outcome: 'conflict' };
    if (write.kind === 'replace') return this.#put(write, write.id, write.body, write.tag);
    this.#versions.set(`${collection} ${write.id}`, 0);
    this.#add({ collection, id: write.id }, 0);
    return { outcome: 'removed' };
  }

  #restore(write: Write, documents: readonly { id: number; body: string; tag: number }[]): boolean {
    const [first] = documents;
    if (first && first.id <= this.#lastOf(write.collection)) return false;
    for (const { id, body, tag } of documents) this.#put(write, id, body, tag);
    return true;
  }

  #put({ collection, idProperty }: Write, id: number, body: string, tag: number): Document {
    const text = withId(idProperty, id, body);
    const version = this.#add({ collection, id, text }, tag);
    this.#versions.set(`${collection} ${id}`, version);
    this.#last.set(collection, Math.max(id, this.#lastOf(collection)));
    return { outcome: 'stored', id, version: this.#catalog.versionText(version), json: { text, encoding: 'utf8' } };
  }

  /** Returns the sequence number of the change. */
  #add(record: Record, tag: number): number {
    this.tags.push(tag);
    return this.#catalog.sequence + this.records.push(record);
  }

  #lastOf(collection: string): number {
    return this.#last.get(collection) ?? this.#catalog.last[collection] ?? 0;
  }

  #versionOf(collection: string, id: number): number | undefined {
    const version = this.#versions.get(`${collection} ${id}`) ?? this.#catalog.directory(collection).get(id)?.version;
    return version === 0 ? undefined : version;
  }
}
