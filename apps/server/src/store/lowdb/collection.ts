import { randomUUID } from 'node:crypto';
import {
  type CollectionDeclaration,
  decodeText,
  encode,
  MAX_ID,
  NO_ID_LEFT,
  obstacleTo,
  withId,
  withoutId,
} from '../document.ts';
import type { GroupCommit } from '../group-commit.ts';
import {
  type Awaitable,
  type Collection,
  DEFAULT_PAGE_BYTES,
  type Document,
  type Idempotency,
  type ListQuery,
  type NotWritten,
  type Page,
  type Properties,
  type Removed,
} from '../store.ts';
import { type NewRecord, SEPARATOR } from './block.ts';
import type { Catalog } from './catalog.ts';
import { type ReadTexts, retryRead, type Span, spanOf } from './reader.ts';

/** A write for the group commit. */
export interface Write {
  /**
   * Adds the changes of the write to the batch, and returns the result, which is valid after the commit. A function is called then,
   * and returns the result.
   */
  readonly work: (batch: WriteBatch) => unknown;
  /** The approximate size of the changes. */
  readonly bytes: number;
  readonly idempotency?: Idempotency | undefined;
}

export interface StoreParts {
  catalog: Catalog;
  texts: ReadTexts;
  group: GroupCommit<Write, unknown>;
}

/** The number of pages that are cached until the next write. A busy server serves few different pages. */
const MAX_PAGES = 256;
const MAX_CACHED_PAGE_BYTES = 2 ** 16;

/** A collection of the store. Writes go to the group commit. Reads look up the key directory, then read the segments. */
export function collectionIn(
  { name, id: idProperty }: CollectionDeclaration,
  { catalog, texts, group }: StoreParts,
): Collection {
  const runId = randomUUID().slice(0, 8);
  const directory = catalog.directory(name);
  const pages = new Map<string, Page>();
  let pagesSequence = 0;
  let cachedVersion = { sequence: -1, text: '' };
  const bodyOf = (properties: Properties) => encode(withoutId(idProperty, properties));
  // The type of the result depends on the write.
  const write = <R>(bytes: number, work: (batch: WriteBatch) => R, idempotency?: Idempotency) =>
    group.add({ work, bytes, idempotency }, idempotency ? 2 * bytes : bytes) as Promise<R>;

  return {
    create: (properties, { idempotency } = {}) => {
      const [body, kind] = [bodyOf(properties), catalog.kindOf(name, properties)];
      const work = (batch: WriteBatch) => {
        const id = batch.last(name) + 1;
        // Rejects after the commit: an error here would fail the other writes of the commit, too.
        return id > MAX_ID ? () => Promise.reject(new Error(NO_ID_LEFT)) : batch.put(name, idProperty, id, body, kind);
      };
      return write(body.length, work, idempotency) as Promise<Document>;
    },
    replace: (id, properties, { ifVersion, idempotency } = {}) => {
      const [body, kind] = [bodyOf(properties), catalog.kindOf(name, properties)];
      const work = (batch: WriteBatch): Document | NotWritten =>
        batch.obstacle(name, id, ifVersion) ?? batch.put(name, idProperty, id, body, kind);
      return write(body.length, work, idempotency);
    },
    remove: (id, { ifVersion, idempotency } = {}) => {
      const work = (batch: WriteBatch): Removed | NotWritten =>
        batch.obstacle(name, id, ifVersion) ?? batch.remove(name, id);
      return write(0, work, idempotency);
    },
    restore: (documents) => {
      const all = documents.map((one) => [Number(one[idProperty]), bodyOf(one), catalog.kindOf(name, one)] as const);
      const bytes = all.reduce((sum, [, body]) => sum + body.length, 0);
      return write(bytes, (batch) => {
        if (all[0] && all[0][0] <= batch.last(name)) return false;
        for (const [id, body, kind] of all) batch.put(name, idProperty, id, body, kind);
        return true;
      });
    },
    get: (id) =>
      retryRead((): Awaitable<Document | undefined> => {
        const location = directory.get(id);
        if (!location) return undefined;
        const version = catalog.versionText(location.version);
        const document = ([text = '']: string[]): Document => ({
          outcome: 'stored',
          id,
          version,
          json: { text, encoding: 'latin1' },
        });
        return then(texts([spanOf(catalog, location)]), document);
      }),
    list: (query) => {
      if (pagesSequence !== catalog.sequence) pages.clear();
      pagesSequence = catalog.sequence;
      const key = encode(query);
      return pages.get(key) ?? retryRead(() => pageOf(query, key));
    },
    // Returns the same string object until the next write, so that comparing versions is cheap.
    version: () => {
      const { sequence } = catalog;
      if (cachedVersion.sequence !== sequence) cachedVersion = { sequence, text: `${runId}-${sequence}` };
      return cachedVersion.text;
    },
  };

  function pageOf(query: ListQuery, key: string): Awaitable<Page> {
    const { sequence } = catalog;
    const { spans, ...page } = find(query);
    return then(texts(spans), (parts): Page => {
      const result: Page = { ...page, json: { text: `[${parts.join(',\n')}]`, encoding: 'latin1' } };
      if (sequence === pagesSequence && pages.size < MAX_PAGES && result.json.text.length <= MAX_CACHED_PAGE_BYTES)
        pages.set(key, result);
      return result;
    });
  }

  /** Finds the spans of the documents of a page. */
  function find({ after, filter, limit, maxBytes = DEFAULT_PAGE_BYTES }: ListQuery) {
    const spans: Span[] = [];
    const page = { count: 0, last: 0, more: false, spans };
    let bytes = 1;
    directory.scan(after, filter && kindsWith(filter), (location) => {
      // As in the compact JSON of the page: the document and a comma.
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

  function kindsWith({ property, value }: NonNullable<ListQuery['filter']>): number[] {
    if (!catalog.indexes(name).includes(property))
      throw new Error(`The collection '${name}' has no index on '${property}'.`);
    const wanted = encode(value);
    return catalog.kinds.flatMap(([collection, values], kind) =>
      collection === name && values !== '' && encode(decodeText(values)[property]) === wanted ? [kind] : [],
    );
  }
}

/** The changes of one commit, in any collections. Each write sees the changes of earlier writes. */
export type WriteBatch = ReturnType<typeof writeBatch>;

export function writeBatch(catalog: Catalog) {
  const records: NewRecord[] = [];
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
      const version = versions.get(collection)?.get(id) ?? catalog.directory(collection).get(id)?.version;
      return obstacleTo(version ? catalog.versionText(version) : undefined, ifVersion);
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

function then<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
