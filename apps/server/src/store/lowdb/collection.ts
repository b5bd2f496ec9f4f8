import { randomUUID } from 'node:crypto';
import type { CollectionDeclaration } from '../declaration.ts';
import { encode, withoutId } from '../document.ts';
import type { GroupCommit } from '../group-commit.ts';
import {
  type Awaitable,
  type Collection,
  DEFAULT_PAGE_BYTES,
  type Document,
  type ListQuery,
  type NotWritten,
  type Page,
  type Properties,
  type Removed,
} from '../store.ts';
import type { Catalog } from './catalog.ts';
import type { Location } from './key-directory.ts';
import { PageCache } from './page-cache.ts';
import { type Reader, SegmentGoneError, type Span } from './reader.ts';
import { GAP } from './sealed-segment.ts';
import type { Write, WriteResult } from './write-batch.ts';

interface Parts {
  catalog: Catalog;
  reader: Reader;
  group: GroupCommit<Write, WriteResult>;
}

/** A document that merging moves while it is read is looked up again, this often at most. */
const MAX_ATTEMPTS = 100;

/** A collection of the store: writes go to the group commit, reads to the key directory and then to the segments. */
export function collectionIn(
  { name, id: idProperty }: CollectionDeclaration,
  { catalog, reader, group }: Parts,
): Collection {
  const run = randomUUID().slice(0, 8);
  const directory = catalog.directory(name);
  const pages = new PageCache();
  const base = { collection: name, idProperty };
  const encoded = (properties: Properties) => ({
    body: encode(withoutId(idProperty, properties)),
    tag: directory.tag(catalog.tagText(name, properties)),
  });
  const add = <R extends WriteResult>(write: Write, bytes: number) => group.add(write, bytes) as Promise<R>;

  return {
    create: async (properties) => {
      const { body, tag } = encoded(properties);
      return add<Document>({ ...base, kind: 'create', body, tag }, body.length);
    },
    replace: async (id, properties, { ifVersion } = {}) => {
      const { body, tag } = encoded(properties);
      return add<Document | NotWritten>({ ...base, kind: 'replace', id, body, tag, ifVersion }, body.length);
    },
    remove: async (id, { ifVersion } = {}) => add<Removed | NotWritten>({ ...base, kind: 'remove', id, ifVersion }, 0),
    restore: async (documents) => {
      const all = documents.map((one) => ({ id: Number(one[idProperty]), ...encoded(one) }));
      return add<boolean>(
        { ...base, kind: 'restore', documents: all },
        all.reduce((sum, { body }) => sum + body.length, 0),
      );
    },
    get: (id) =>
      repeated(() => {
        const place = directory.get(id);
        if (!place) return undefined;
        const document = ([text = '']: string[]): Document => ({
          outcome: 'stored',
          id,
          version: catalog.versionText(place.version),
          json: { text, encoding: 'latin1' },
        });
        return then(reader.texts([spanOf(place)]), document);
      }),
    list: (query) =>
      pages.get(catalog.sequence, query) ??
      repeated(() => {
        const { sequence } = catalog;
        const { spans, ...page } = find(query);
        return then(reader.texts(spans), (texts) =>
          pages.put(sequence, query, { ...page, json: { text: `[${texts.join(',\n')}]`, encoding: 'latin1' } }),
        );
      }),
    version: () => `${run}-${catalog.sequence}`,
  };

  /** Where the documents of a page are. */
  function find({
    after,
    filter,
    limit,
    maxBytes = DEFAULT_PAGE_BYTES,
  }: ListQuery): Omit<Page, 'json'> & { spans: Span[] } {
    const spans: Span[] = [];
    const page = { count: 0, last: 0, more: false, spans };
    let bytes = 1;
    if (limit <= 0) return page;
    directory.scan(after, filter && tagsWith(filter), (place) => {
      bytes += place.length + 1;
      page.count++;
      page.last = place.id;
      const behind = spans.at(-1);
      // Neighbours in a sealed segment are a piece of the page as they stand.
      if (behind?.segment === place.segment && place.start === behind.end + GAP)
        behind.end = place.start + place.length;
      else spans.push(spanOf(place));
      page.more = page.count >= limit || bytes >= maxBytes;
      return !page.more;
    });
    return page;
  }

  function tagsWith({ property, value }: NonNullable<ListQuery['filter']>): number[] {
    const at = catalog.indexes(name).indexOf(property);
    if (at < 0) throw new Error(`The collection '${name}' has no index on '${property}'.`);
    const wanted = encode(value);
    return directory.tagTexts.flatMap((text, tag) => (JSON.parse(text)[at] === wanted ? [tag] : []));
  }
}

const spanOf = ({ segment, start, length }: Location): Span => ({ segment, start, end: start + length });

/** Reads, and reads again where a segment went away meanwhile. */
function repeated<T>(read: () => Awaitable<T>): Awaitable<T> {
  const first = read();
  if (!(first instanceof Promise)) return first;
  const again =
    (attempt: number) =>
    async (error: unknown): Promise<T> => {
      if (!(error instanceof SegmentGoneError) || attempt >= MAX_ATTEMPTS) throw error;
      return Promise.resolve(read()).catch(again(attempt + 1));
    };
  return first.catch(again(1));
}

function then<T, R>(value: Awaitable<T>, next: (value: T) => R): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
