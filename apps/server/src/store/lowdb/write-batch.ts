import { withId } from '../document.ts';
import type { Document, Idempotency, NotWritten, Removed } from '../store.ts';
import type { NewRecord } from './block.ts';
import type { Catalog } from './catalog.ts';

/** A write for the group commit. */
export interface Write {
  /** Adds the changes of the write to the batch, and returns the result, which is valid after the commit. */
  readonly work: (batch: WriteBatch) => unknown;
  /** The approximate size of the changes. */
  readonly bytes: number;
  readonly idempotency?: Idempotency | undefined;
}

/** A record with its text. */
export interface TextRecord extends NewRecord {
  readonly text: string;
}

/** The changes of one commit, in any collections. Each write sees the changes of earlier writes. */
export type WriteBatch = ReturnType<typeof writeBatch>;

export function writeBatch(catalog: Catalog) {
  const records: TextRecord[] = [];
  /** The versions of changed documents by collection and identifier, 0 for removed ones. */
  const versions = new Map<string, Map<number, number>>();
  const lasts = new Map<string, number>();

  /** The highest assigned identifier. */
  const last = (collection: string) => lasts.get(collection) ?? catalog.directory(collection).last;
  /** The sequence number of the last change. */
  const sequence = () => catalog.sequence + records.length;
  /** Adds a change, and returns its sequence number. */
  const add = (collection: string, id: number, text: string, kind: number, length = 0) => {
    const version = sequence() + 1;
    records.push({ kind, id, version, start: 0, length, text });
    const ofCollection = versions.get(collection) ?? new Map<number, number>();
    versions.set(collection, ofCollection.set(id, length === 0 ? 0 : version));
    return version;
  };

  return {
    records,
    last,
    sequence,
    /** The reason why a write to this document is not possible; undefined if the write is possible. */
    obstacle: (collection: string, id: number, ifVersion: string | undefined): NotWritten | undefined => {
      const version = versions.get(collection)?.get(id) ?? catalog.directory(collection).get(id)?.version ?? 0;
      if (version === 0) return { outcome: 'missing' };
      return ifVersion === undefined || ifVersion === catalog.versionText(version)
        ? undefined
        : { outcome: 'conflict' };
    },
    put: (collection: string, idProperty: string, id: number, body: string, kind: number): Document => {
      const text = withId(idProperty, id, body);
      const length = Buffer.byteLength(text);
      const version = catalog.versionText(add(collection, id, text, kind, length));
      lasts.set(collection, Math.max(id, last(collection)));
      return { outcome: 'stored', id, version, json: { text, encoding: length === text.length ? 'latin1' : 'utf8' } };
    },
    remove: (collection: string, id: number): Removed => {
      add(collection, id, '', catalog.kind(collection, ''));
      return { outcome: 'removed' };
    },
  };
}
