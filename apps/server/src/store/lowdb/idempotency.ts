import { setImmediate as turn } from 'node:timers/promises';
import { decodeText, encode } from '../document.ts';
import { IdempotencyMismatchError } from '../errors.ts';
import type { GroupCommit } from '../group-commit.ts';
import { IdempotencyKeys } from '../idempotency.ts';
import type { Document, Idempotency, IdempotencyState, NotWritten, Removed } from '../store.ts';
import type { Catalog } from './catalog.ts';
import { type ReadTexts, readAgain, type Span, spanOf } from './reader.ts';
import type { Write, WriteBatch } from './write-batch.ts';

/** The collection of the keys: a document for those of each commit, which is a part of it. */
const COLLECTION = '$idempotency';

/** The documents of keys that a commit with keys removes, so that they stay within their bound, and one of every minute. */
const SWEPT_BY_COMMIT = 2;
const SWEPT_BY_MINUTE = 1_000;
const SWEEP_MS = 60_000;

/** The event loop is free again after the keys of so many commits were read. */
const SLICE = 250;

/** Commits a write, unless one with its key was committed before; its result is that one's then. */
export type WriteOnce = (
  idempotency: Idempotency,
  bytes: number,
  work: (batch: WriteBatch) => Document | Removed | NotWritten,
) => Promise<Document | Removed | NotWritten>;

interface Options {
  maxKeys: number;
  now: () => number;
}

/** The keys of one commit. */
interface Stored {
  readonly at: number;
  /** For each write its key, its fingerprint, and the identifier and the number of the version that it gave; none for a removal. */
  readonly writes: (readonly [key: string, fingerprint: string, id?: number, sequence?: number])[];
  /** The texts of the documents that were stored. */
  readonly documents: string[];
}

/** A write that was not done: its key was stored by the commit with this document, or by an earlier write of this one. */
class Known {
  readonly commit: number;
  constructor(commit: number) {
    this.commit = commit;
  }
}

/** The keys of idempotent writes, of which those that are stored have to be loaded before the first write. */
export function idempotentWrites(
  catalog: Catalog,
  texts: ReadTexts,
  group: GroupCommit<Write, unknown>,
  { maxKeys, now }: Options,
) {
  /** By key, the document of its commit. */
  const keys = new IdempotencyKeys(maxKeys, now);
  /** What batches store that are not committed yet. */
  const pending = new WeakMap<WriteBatch, Stored & { readonly id: number; readonly keys: Set<string> }>();
  const timer = setInterval(sweep, SWEEP_MS).unref();

  const writeOnce: WriteOnce = (idempotency, bytes, work) =>
    group
      .add((batch) => unlessKnown(batch, idempotency, work), 2 * bytes)
      .then((result) => {
        if (!(result instanceof Known)) return result as ReturnType<typeof work>;
        return replay(result.commit, idempotency).then((replayed) => replayed ?? writeOnce(idempotency, bytes, work));
      });

  return {
    load,
    writeOnce,
    /** Adds the keys of its writes to a batch. */
    complete: (batch: WriteBatch) => {
      const stored = pending.get(batch);
      if (!stored) return;
      for (const id of keys.sweep(SWEPT_BY_COMMIT)) batch.remove(COLLECTION, id);
      const { id, at, writes, documents } = stored;
      const body = `${encode({ at, writes }).slice(0, -1)}${DOCUMENTS}${documents.join(SEPARATOR)}]}`;
      batch.put(COLLECTION, 'id', id, body, catalog.kindOf(COLLECTION, {}));
    },
    /** Takes over the keys of a batch that was committed. */
    committed: (batch: WriteBatch) => {
      const { id = 0, at, writes = [] } = pending.get(batch) ?? {};
      for (const [key] of writes) keys.set(key, id, at);
    },
    state: (): IdempotencyState => keys.state,
    close: () => clearInterval(timer),
  };

  function unlessKnown(
    batch: WriteBatch,
    { key, fingerprint }: Idempotency,
    work: Parameters<WriteOnce>[2],
  ): ReturnType<typeof work> | Known {
    let stored = pending.get(batch);
    const known = stored?.keys.has(key) ? stored.id : keys.get(key);
    if (known !== undefined) return new Known(known);
    const result = work(batch);
    if (result.outcome !== 'stored' && result.outcome !== 'removed') return result;
    stored ??= { id: batch.last(COLLECTION) + 1, at: now(), writes: [], documents: [], keys: new Set() };
    pending.set(batch, stored);
    stored.keys.add(key);
    if (result.outcome === 'removed') stored.writes.push([key, fingerprint]);
    else {
      stored.writes.push([key, fingerprint, result.id, Number(result.version.slice(catalog.id.length + 1))]);
      stored.documents.push(result.json.text);
    }
    return result;
  }

  /** The result of the write that a key was stored with; nothing where it was removed meanwhile. */
  async function replay(commit: number, { key, fingerprint }: Idempotency): Promise<Document | Removed | undefined> {
    const [text] = await readAgain(() => {
      const place = catalog.directory(COLLECTION).get(commit);
      return place ? texts([spanOf(catalog, place)]) : [];
    });
    if (text === undefined) return undefined;
    const { writes, documents } = read(text);
    const write = writes.find(([one]) => one === key);
    if (write?.[1] !== fingerprint) throw new IdempotencyMismatchError('The key belongs to another write.');
    const [, , id, sequence] = write;
    if (id === undefined || sequence === undefined) return { outcome: 'removed', isReplayed: true };
    const place = writes.filter((one) => one.length > 2).indexOf(write);
    const json = { text: documents[place] ?? '', encoding: 'latin1' } as const;
    return { outcome: 'stored', id, version: catalog.versionText(sequence), json, isReplayed: true };
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
        const { at, writes } = read(text);
        for (const [key] of writes) keys.set(key, ids[i] ?? 0, at);
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

/** In the text of a string, quotes and tabs would be escaped. */
const DOCUMENTS = ',"documents":[';
const SEPARATOR = ',\t';

/** The keys of a commit, from a text whose characters stand for a byte each. */
function read(text: string): Stored {
  const end = text.indexOf(DOCUMENTS);
  const head = decodeText<Pick<Stored, 'at' | 'writes'>>(Buffer.from(`${text.slice(0, end)}}`, 'latin1').toString());
  return { ...head, documents: text.slice(end + DOCUMENTS.length, -2).split(SEPARATOR) };
}
