import { withId } from '../document.ts';
import type { Document, NotWritten, Removed } from '../store.ts';
import type { Catalog } from './catalog.ts';
import type { Change } from './commit-line.ts';

/** A write that waits for its commit: it adds its changes to the batch, and returns its result for when they are durable. */
export type Write = (batch: WriteBatch) => unknown;

/** The changes of writes that are committed together. Each write sees those before it. */
export class WriteBatch {
  readonly changes: Change[] = [];
  readonly #catalog: Catalog;
  /** Versions that documents have behind the changes so far, 0 for removed ones, by collection and identifier. */
  readonly #versions = new Map<string, Map<number, number>>();
  readonly #last = new Map<string, number>();

  constructor(catalog: Catalog) {
    this.#catalog = catalog;
  }

  /** The highest identifier that was given out. */
  last(collection: string): number {
    return this.#last.get(collection) ?? this.#catalog.last[collection] ?? 0;
  }

  /** The version of a document, 0 where there is none. */
  version(collection: string, id: number): number {
    return this.#versions.get(collection)?.get(id) ?? this.#catalog.directory(collection).get(id)?.version ?? 0;
  }

  /** Why a write to this document is not done. */
  obstacle(collection: string, id: number, ifVersion: string | undefined): NotWritten | undefined {
    const version = this.version(collection, id);
    if (version === 0) return { outcome: 'missing' };
    const isOther = ifVersion !== undefined && ifVersion !== this.#catalog.versionText(version);
    return isOther ? { outcome: 'conflict' } : undefined;
  }

  put(collection: string, idProperty: string, id: number, body: string, tag: number): Document {
    const text = withId(idProperty, id, body);
    const version = this.#change({ collection, id, text, tag });
    this.#last.set(collection, Math.max(id, this.last(collection)));
    return { outcome: 'stored', id, version: this.#catalog.versionText(version), json: { text, encoding: 'utf8' } };
  }

  remove(collection: string, id: number): Removed {
    this.#change({ collection, id, tag: 0 });
    return { outcome: 'removed' };
  }

  /** Moves a record to the end of the store, as it is. */
  copy(change: Change & { version: number }): void {
    this.changes.push(change);
  }

  /** Returns the version that the change makes. */
  #change(change: Change): number {
    const { collection, id, text } = change;
    const version = this.#catalog.sequence + this.changes.push(change);
    const versions = this.#versions.get(collection) ?? new Map<number, number>();
    this.#versions.set(collection, versions.set(id, text === undefined ? 0 : version));
    return version;
  }
}
