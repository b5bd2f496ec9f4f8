import { randomUUID } from 'node:crypto';
import { MAX_PAGE_BYTES } from '../../limits.ts';
import { exactJson } from '../../old.ts';
import {
  type CollectionDeclaration,
  decodeText,
  encodeBody,
  MAX_ID,
  obstacleTo,
  storedDocument,
  whenRead,
  withId,
} from '../document.ts';
import { NoIdLeftError } from '../errors.ts';
import type { GroupCommit } from '../group-commit.ts';
import type {
  Awaitable,
  Collection,
  Document,
  Idempotency,
  ListQuery,
  NotWritten,
  Page,
  Properties,
  Removed,
} from '../store.ts';
import { type NewRecord, SEPARATOR } from './block.ts';
import type { Catalog } from './catalog.ts';
import { type ReadTexts, retryRead, type Span, spanOf } from './reader.ts';

/** A write for the group commit. */
export interface Write {
  /** Adds the changes of the write to a batch, and returns the result, which is valid once the batch is committed. */
  readonly addTo: (batch: WriteBatch) => unknown;
  /** The approximate size of the changes. */
  readonly bytes: number;
  readonly idempotency?: Idempotency | undefined;
}

/** The JSON of a document's properties without its identifier, and the index of its kind. */
interface Content {
  readonly body: string;
  readonly kind: number;
}

export interface StoreParts {
  catalog: Catalog;
  readTexts: ReadTexts;
  group: GroupCommit<Write, unknown>;
}

/** The number of pages that are cached until the next write, which is enough for a busy server. */
const MAX_CACHED_PAGES = 256;
/** Larger pages are not cached, so the cached pages take at most 16 MiB. */
const MAX_CACHED_PAGE_BYTES = 2 ** 16;

/** A collection of the store. Writes go to the group commit. Reads look up the key directory, then read the segments. */
export function collectionIn(
  { name, id: idProperty }: CollectionDeclaration,
  { catalog, readTexts, group }: StoreParts,
): Collection {
  const runId = randomUUID().slice(0, 8);
  const directory = catalog.directory(name);
  /** The version of the collection, and the pages that were read since the last write. */
  let cache = { sequence: -1, version: '', pages: new Map<string, Page>() };
  const contentOf = (properties: Properties): Content => ({
    body: encodeBody(idProperty, properties),
    kind: catalog.kindOf(name, properties),
  });
  // A write with a key stores its document twice: once with the key. The cast is needed, because the group commit does not know what `addTo` returns.
  const write = <R>(bytes: number, addTo: (batch: WriteBatch) => R, idempotency?: Idempotency) =>
    group.add({ addTo, bytes, idempotency }, idempotency ? 2 * bytes : bytes) as Promise<R>;

  return {
    create: (properties, { idempotency } = {}) => {
      const content = contentOf(properties);
      const addTo = (batch: WriteBatch) => batch.put(name, idProperty, batch.lastId(name) + 1, content);
      return write(content.body.length, addTo, idempotency);
    },
    replace: (id, properties, { ifVersion, idempotency } = {}) => {
      const content = contentOf(properties);
      const addTo = (batch: WriteBatch): Document | NotWritten =>
        batch.obstacle(name, id, ifVersion) ?? batch.put(name, idProperty, id, content);
      return write(content.body.length, addTo, idempotency);
    },
    remove: (id, { ifVersion, idempotency } = {}) => {
      const addTo = (batch: WriteBatch): Removed | NotWritten =>
        batch.obstacle(name, id, ifVersion) ?? batch.remove(name, id);
      return write(0, addTo, idempotency);
    },
    restore: (documents) => {
      const restored = documents.map((properties) => [Number(properties[idProperty]), contentOf(properties)] as const);
      const bytes = restored.reduce((sum, [, { body }]) => sum + body.length, 0);
      return write(bytes, (batch) => {
        if (restored[0] && restored[0][0] <= batch.lastId(name)) return false;
        for (const [id, content] of restored) batch.put(name, idProperty, id, content);
        return true;
      });
    },
    get: (id) =>
      retryRead((): Awaitable<Document | undefined> => {
        const location = directory.get(id);
        if (!location) return undefined;
        const version = catalog.versionText(location.version);
        return whenRead(readTexts([spanOf(catalog, location)]), ([text = '']) =>
          storedDocument(id, version, text, 'latin1'),
        );
      }),
    list: (query) => {
      const { pages } = currentCache();
      const key = exactJson(query);
      return pages.get(key) ?? retryRead(() => readPage(query, key, pages));
    },
    // Returns the same string object until the next write, so that comparing versions is cheap.
    version: () => currentCache().version,
  };

  function currentCache(): typeof cache {
    const { sequence } = catalog;
    if (cache.sequence !== sequence) cache = { sequence, version: `${runId}-${sequence}`, pages: new Map() };
    return cache;
  }

  function readPage(query: ListQuery, key: string, pages: Map<string, Page>): Awaitable<Page> {
    const { spans, ...page } = findPage(query);
    return whenRead(readTexts(spans), (parts): Page => {
      const text = `[${parts.join(',\n')}]`;
      const result: Page = { ...page, json: { text, encoding: 'latin1' } };
      if (pages.size < MAX_CACHED_PAGES && text.length <= MAX_CACHED_PAGE_BYTES) pages.set(key, result);
      return result;
    });
  }

  /** Finds the documents of a page, and the spans of their texts. */
  function findPage({ after, filter, limit, maxBytes = MAX_PAGE_BYTES }: ListQuery) {
    const spans: Span[] = [];
    const page = { count: 0, last: 0, more: false, spans };
    let bytes = 1;
    directory.scan(after, filter && kindsWith(filter), (location) => {
      // The document and a comma, as in the compact JSON of the page.
      bytes += location.length + 1;
      page.count++;
      page.last = location.id;
      const span = spanOf(catalog, location);
      const before = spans.at(-1);
      // Neighbouring documents of a sealed segment have the same separator as a page, so they can be read as one span.
      if (before?.segment === span.segment && span.start === before.end + SEPARATOR.json.length) before.end = span.end;
      else spans.push(span);
      page.more = page.count >= limit || bytes >= maxBytes;
      return !page.more;
    });
    return page;
  }

  /** The kinds of the documents that a filter selects. */
  function kindsWith({ property, value }: NonNullable<ListQuery['filter']>): number[] {
    if (!catalog.indexes(name).includes(property))
      throw new Error(`The collection '${name}' has no index on '${property}'.`);
    const encodedValue = exactJson(value);
    return catalog.kinds.flatMap(([collection, values], kind) =>
      collection === name && values !== '' && exactJson(decodeText(values)[property]) === encodedValue ? [kind] : [],
    );
  }
}

/** The changes of one commit, in any collections. Each write sees the changes of earlier writes. */
export type WriteBatch = ReturnType<typeof writeBatch>;

export function writeBatch(catalog: Catalog) {
  const records: NewRecord[] = [];
  /** The last change of each document in this batch, by collection and identifier. */
  const changes = new Map<string, Map<number, NewRecord>>();
  const lastIds = new Map<string, number>();

  /** The highest assigned identifier. */
  const lastId = (collection: string) => lastIds.get(collection) ?? catalog.directory(collection).last;
  /** The sequence number of the last change. */
  const sequence = () => catalog.sequence + records.length;
  /** Adds a change, and returns its sequence number. */
  const addChange = (collection: string, id: number, text: string, kind: number, length: number) => {
    const record = { kind, id, version: sequence() + 1, start: 0, length, text };
    records.push(record);
    const ofCollection = changes.get(collection) ?? new Map<number, NewRecord>();
    changes.set(collection, ofCollection.set(id, record));
    return record.version;
  };

  return {
    records,
    lastId,
    sequence,
    /** The reason why a write to this document is not possible; undefined if the write is possible. */
    obstacle: (collection: string, id: number, ifVersion: string | undefined): NotWritten | undefined => {
      const current = changes.get(collection)?.get(id) ?? catalog.directory(collection).get(id);
      // A removed document has a tombstone, whose length is 0.
      return obstacleTo(current?.length ? catalog.versionText(current.version) : undefined, ifVersion);
    },
    /** Creates or replaces a document. */
    put: (collection: string, idProperty: string, id: number, { body, kind }: Content): Document => {
      if (id > MAX_ID) throw new NoIdLeftError();
      const text = withId(idProperty, id, body);
      const length = Buffer.byteLength(text);
      const version = catalog.versionText(addChange(collection, id, text, kind, length));
      lastIds.set(collection, Math.max(id, lastId(collection)));
      // In ASCII text each character is one byte. As latin1 its bytes need not be counted again.
      return storedDocument(id, version, text, length === text.length ? 'latin1' : 'utf8');
    },
    remove: (collection: string, id: number): Removed => {
      addChange(collection, id, '', catalog.kind(collection, ''), 0);
      return { outcome: 'removed' };
    },
  };
}
