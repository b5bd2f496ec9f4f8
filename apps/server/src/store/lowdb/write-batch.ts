import { withId } from '../document.ts';
import type { Document, NotWritten, Removed } from '../store.ts';
import type { Catalog } from './catalog.ts';
import type { Change } from './commit-line.ts';

/** A write that waits for its commit: it adds its changes to the batch, and returns its result for when they are durable. */
export type Write = (batch: WriteBatch) => unknown;

/** A record that is moved to the end of the store, as it is. */
export type Copy = Change & { readonly version: number };

/** The changes of writes that are committed together. Each write sees those before it. */
export type WriteBatch = ReturnType<typeof writeBatch>;

export function writeBatch(catalog: Catalog) {
  const changes: Change[] = [];
  /** Versions that documents have behind the changes so far, 0 for removed ones, by collection and identifier. */
  const versions = new Map<string, Map<number, number>>();
  const lasts = new Map<string, number>();

  /** The highest identifier that was given out. */
  const last = (collection: string) => lasts.get(collection) ?? catalog.last[collection] ?? 0;
  /** The version of a document, 0 where there is none. */
  const versionOf = (collection: string, id: number) =>
    versions.get(collection)?.get(id) ?? catalog.directory(collection).get(id)?.version ?? 0;
  /** Returns the version that the change makes. */
  const add = (change: Change) => {
    const { collection, id, text } = change;
    const version = catalog.sequence + changes.push(change);
    const ofCollection = versions.get(collection) ?? new Map<number, number>();
    versions.set(collection, ofCollection.set(id, text === undefined ? 0 : version));
    return version;
  };

  return {
    changes,
    last,
    /** Why a write to this document is not done. */
    obstacle: (collection: string, id: number, ifVersion: string | undefined): NotWritten | undefined => {
      const version = versionOf(collection, id);
      if (version === 0) return { outcome: 'missing' };
      return ifVersion === undefined || ifVersion === catalog.versionText(version)
        ? undefined
        : { outcome: 'conflict' };
    },
    put: (collection: string, idProperty: string, id: number, body: string, tag: number): Document => {
      const text = withId(idProperty, id, body);
      const version = catalog.versionText(add({ collection, id, text, tag }));
      lasts.set(collection, Math.max(id, last(collection)));
      return { outcome: 'stored', id, version, json: { text, encoding: 'utf8' } };
    },
    remove: (collection: string, id: number): Removed => {
      add({ collection, id, tag: 0 });
      return { outcome: 'removed' };
    },
    /** Adds a copy, unless its document was replaced or removed meanwhile. */
    copy: (record: Copy): void => {
      const { collection, id, version, text } = record;
      if (text === undefined || versionOf(collection, id) === version) changes.push(record);
    },
  };
}
