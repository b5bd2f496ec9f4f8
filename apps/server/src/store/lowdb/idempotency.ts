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

/** The keys of idempotent writes, of which those that are stored have to be loaded before the first write. */
export function idempotentWrites(
  catalog: Catalog,
  texts: ReadTexts,
  group: GroupCommit<Write, unknown>,
  { maxKeys, now }: Options,
) {
  /** By key, the document of its commit. */
  const keys = new IdempotencyKeys(maxKeys, now);
  /** The keys of the commit that is being made, and their document. */
  let pending: (Stored & { readonly id: number }) | undefined;
  const timer = setInterval(sweep, SWEEP_MS).unref();

  return {
    load,
    /** Does the writes of a commit whose keys are not known, and stores their keys with them. */
    write: (batch: WriteBatch, writes: readonly Write[]): unknown[] => {
      const results = writes.map((write) => writeUnlessKnown(batch, write));
      if (pending) {
        const { id, at, writes, documents } = pending;
        for (const old of keys.sweep(SWEPT_BY_COMMIT, id)) batch.remove(COLLECTION, old);
        const body = `${encode({ at, writes }).slice(0, -1)}${DOCUMENTS}${documents.join(SEPARATOR)}]}`;
        batch.put(COLLECTION, 'id', id, body, catalog.kind(COLLECTION, '{}'));
      }
      return results;
    },
    /** The results of writes, once they are committed. */
    committed: (results: readonly unknown[]): unknown[] => {
      pending = undefined;
      return results.map((result) => (typeof result === 'function' ? result() : result));
    },
    /** Forgets the keys of a commit that failed. */
    failed: () => {
      if (pending) keys.takeBack(pending.id);
      pending = undefined;
    },
    state: (): IdempotencyState => keys.state,
    close: () => clearInterval(timer),
  };

  /** The result of a write; a function that reads that of the first one where its key is known. */
  function writeUnlessKnown(batch: WriteBatch, write: Write): unknown {
    const { work, bytes, idempotency } = write;
    if (!idempotency) return work(batch);
    const { key, fingerprint } = idempotency;
    const known = keys.get(key);
    if (known !== undefined)
      return () => replay(known, idempotency).then((found) => found ?? group.add(write, 2 * bytes));
    // Writes with a key have one of these results.
    const result = work(batch) as Document | Removed | NotWritten;
    if (result.outcome !== 'stored' && result.outcome !== 'removed') return result;
    pending ??= { id: batch.last(COLLECTION) + 1, at: now(), writes: [], documents: [] };
    keys.set(key, pending.id, pending.at);
    if (result.outcome === 'removed') pending.writes.push([key, fingerprint]);
    else {
      pending.writes.push([key, fingerprint, result.id, batch.sequence()]);
      pending.documents.push(result.json.text);
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
    if (write?.[1] !== fingerprint) throw new IdempotencyMismatchError();
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
    const work = (batch: WriteBatch) => {
      for (const id of keys.sweep(SWEPT_BY_MINUTE, pending?.id)) batch.remove(COLLECTION, id);
    };
    // A store that takes no writes now takes this one in a minute.
    if (keys.isDue) group.add({ work, bytes: 0 }, 0).then(sweep, () => {});
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
