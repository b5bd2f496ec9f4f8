import { setImmediate as turn } from 'node:timers/promises';
import { decodeText, encode } from '../document.ts';
import { IdempotencyMismatchError } from '../errors.ts';
import type { GroupCommit } from '../group-commit.ts';
import { IdempotencyKeys } from '../idempotency.ts';
import type { Document, Idempotency, IdempotencyState, NotWritten, Removed } from '../store.ts';
import type { Catalog } from './catalog.ts';
import { type ReadTexts, readAgain, type Span, spanOf } from './reader.ts';
import type { Write, WriteBatch } from './write-batch.ts';

/** The collection of the keys: a document for each, which is stored in the commit of its write. */
const COLLECTION = '$idempotency';

/** The keys that one write removes, so that they stay within their bound, and those that a commit of a minute removes. */
const SWEPT_BY_WRITE = 2;
const SWEPT_BY_MINUTE = 1_000;
const SWEEP_MS = 60_000;

/** The event loop is free again after so many keys were read. */
const SLICE = 1_000;

type Result = Document | Removed | NotWritten;

/** Commits a write, unless one with its key was committed before; its result is that one's then. */
export type WriteOnce = (
  collection: string,
  idempotency: Idempotency,
  bytes: number,
  work: (batch: WriteBatch) => unknown,
) => Promise<unknown>;

interface Options {
  maxKeys: number;
  now: () => number;
}

/** What is stored with a key, but for the document of the write, whose text follows. */
interface Entry {
  readonly key: string;
  readonly at: number;
  readonly fingerprint: string;
  readonly version?: string;
  readonly of?: number;
}

/** A write that was not done, because its key is known: the document of the key. */
class Known {
  readonly id: number;
  constructor(id: number) {
    this.id = id;
  }
}

/** The keys of idempotent writes, of which those that are stored have to be loaded before the first write. */
export function idempotentWrites(
  catalog: Catalog,
  texts: ReadTexts,
  group: GroupCommit<Write, unknown>,
  { maxKeys, now }: Options,
) {
  /** By key, the document that it is stored in. */
  const keys = new IdempotencyKeys<number>(maxKeys, now);
  /** The keys that a commit stores, once it is durable. */
  const stored = new WeakMap<WriteBatch, Map<string, { id: number; at: number }>>();
  const timer = setInterval(sweep, SWEEP_MS).unref();

  const writeOnce: WriteOnce = async (collection, idempotency, bytes, work) => {
    for (;;) {
      const result = await group.add((batch) => unlessKnown(batch, collection, idempotency, work), 2 * bytes);
      if (!(result instanceof Known)) return result;
      const replayed = await replay(result.id, idempotency);
      if (replayed) return replayed;
    }
  };

  return {
    load,
    writeOnce,
    /** Takes over the keys that a commit has stored. */
    committed: (batch: WriteBatch) => {
      for (const [key, { id, at }] of stored.get(batch) ?? []) keys.set(key, id, at);
    },
    state: (): IdempotencyState => keys.state,
    close: () => clearInterval(timer),
  };

  function unlessKnown(
    batch: WriteBatch,
    collection: string,
    { key, fingerprint }: Idempotency,
    work: (batch: WriteBatch) => unknown,
  ): unknown {
    const own = stored.get(batch) ?? new Map<string, { id: number; at: number }>();
    const known = own.get(key)?.id ?? keys.get(key);
    if (known !== undefined) return new Known(known);
    const result = work(batch) as Result;
    if (result.outcome !== 'stored' && result.outcome !== 'removed') return result;
    for (const id of [keys.getOld(key) ?? [], keys.sweep(SWEPT_BY_WRITE)].flat()) batch.remove(COLLECTION, id);
    const entry: Entry = {
      ...{ key, at: now(), fingerprint },
      ...(result.outcome === 'stored' && { version: result.version, of: result.id }),
    };
    const head = encode({ ...entry, collection });
    const body = result.outcome === 'stored' ? `${head.slice(0, -1)}${DOCUMENT}${result.json.text}}` : head;
    const kind = catalog.kindOf(COLLECTION, {});
    const { id } = batch.put(COLLECTION, 'id', batch.last(COLLECTION) + 1, body, kind);
    stored.set(batch, own.set(key, { id, at: entry.at }));
    return result;
  }

  /** The result of the write that a key was stored with; nothing where it was removed meanwhile. */
  async function replay(id: number, idempotency: Idempotency): Promise<Document | Removed | undefined> {
    const text = await readAgain(() => {
      const place = catalog.directory(COLLECTION).get(id);
      return place ? texts([spanOf(catalog, place)]) : [];
    });
    if (text[0] === undefined) return undefined;
    const { entry, document } = read(text[0]);
    if (entry.fingerprint !== idempotency.fingerprint)
      throw new IdempotencyMismatchError('The key belongs to another write.');
    if (document === undefined) return { outcome: 'removed', isReplayed: true };
    const { version = '', of = 0 } = entry;
    return { outcome: 'stored', id: of, version, json: { text: document, encoding: 'latin1' }, isReplayed: true };
  }

  async function load(): Promise<void> {
    const directory = catalog.directory(COLLECTION);
    for (let after = 0, more = true; more; ) {
      let ids: number[] = [];
      const found = await readAgain(() => {
        ids = [];
        const spans: Span[] = [];
        directory.scan(after, undefined, (place) => {
          spans.push(spanOf(catalog, place));
          return ids.push(place.id) < SLICE;
        });
        return texts(spans);
      });
      for (const [i, text] of found.entries()) {
        const { entry } = read(text);
        keys.set(entry.key, ids[i] ?? 0, entry.at);
      }
      more = ids.length === SLICE;
      after = ids.at(-1) ?? after;
      await turn();
    }
  }

  function sweep(): void {
    const remove = (batch: WriteBatch) => {
      for (const id of keys.sweep(SWEPT_BY_MINUTE)) batch.remove(COLLECTION, id);
    };
    // A store that takes no writes now takes this one in a minute.
    if (keys.isDue) group.add(remove, 0).then(sweep, () => {});
  }
}

/** In the text of a string the quotes would be escaped. */
const DOCUMENT = ',"document":';

/** What is stored with a key, from a text whose characters stand for a byte each. */
function read(text: string): { entry: Entry; document: string | undefined } {
  const end = text.indexOf(DOCUMENT);
  const head = end < 0 ? text : `${text.slice(0, end)}}`;
  const entry = decodeText<Entry>(Buffer.from(head, 'latin1').toString());
  return { entry, document: end < 0 ? undefined : text.slice(end + DOCUMENT.length, -1) };
}
