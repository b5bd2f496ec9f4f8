import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { exactJson } from '../../old.ts';
import { decodeText, documentsIn, storedDocument } from '../document.ts';
import { IdempotencyMismatchError } from '../errors.ts';
import { IdempotencyKeys } from '../idempotency.ts';
import type { Document, Idempotency, IdempotencyState, NotWritten, Page, Removed } from '../store.ts';
import { collectionIn, type StoreParts, type Write, type WriteBatch } from './collection.ts';

/** The collection of the keys. Each commit with keys adds one document, called a key document below. */
export const COLLECTION = '$idempotency';
const declaration = { name: COLLECTION, id: 'id', indexes: [] };

/** How many key documents (of expired or excess keys) a commit with keys removes at most, and how many a timed sweep removes. */
const SWEPT_BY_COMMIT = 2;
const SWEPT_BY_TIMER = 1_000;

/** The number of commits between two yields to the event loop while `load` runs. */
const COMMITS_PER_YIELD = 250;

/** The keys of one commit. */
interface StoredKeys {
  /** The identifier of the document with these keys. */
  readonly id: number;
  readonly at: number;
  /** Key and fingerprint of each write, and for a stored document its identifier and sequence number. */
  readonly writes: (readonly [key: string, fingerprint: string, id?: number, sequence?: number])[];
  /** The texts of the stored documents. */
  readonly documents: string[];
}

/** Makes writes with a key idempotent. `load` has to finish before the first write. */
export function idempotentWrites(parts: StoreParts, maxKeys: number, now: () => number) {
  const { catalog, group } = parts;
  const storedKeys = collectionIn(declaration, parts);
  /** The identifiers of the key documents by key. */
  const keys = new IdempotencyKeys(maxKeys, now);
  /** The keys of the running commit. After it they are added to `keys`. */
  let pending: StoredKeys | undefined;
  const pendingKeys = new Set<string>();
  /** The identifiers of swept key documents, until a commit has removed them. */
  let swept: number[] = [];
  let lastRead: { readonly keysId: number; readonly writes: ReturnType<typeof readWrites> } | undefined;

  return {
    load,
    /** Adds writes to a commit, with their keys. Omits writes with known keys. */
    write: (batch: WriteBatch, writes: readonly Write[]): unknown[] => {
      const results = writes.map((write) => writeUnlessKnown(batch, write));
      if (pending) {
        const { id, at, writes, documents } = pending;
        removeDue(batch, SWEPT_BY_COMMIT);
        const body = `${exactJson({ at, writes }).slice(0, -1)}${DOCUMENTS}${documents.join(SEPARATOR)}]}`;
        batch.put(COLLECTION, 'id', id, { body, kind: catalog.kind(COLLECTION, '{}') });
      }
      return results;
    },
    /** Returns the results of writes after their commit. That of a repeated write is a promise, for which the next commit does not wait. */
    afterCommit: (results: readonly unknown[]): unknown[] => {
      if (pending) for (const [key] of pending.writes) keys.set(key, pending.id, pending.at);
      swept = swept.filter((id) => catalog.directory(COLLECTION).get(id));
      forgetPending();
      return results.map((result) => (typeof result === 'function' ? result() : result));
    },
    /** Forgets the keys of a failed commit. */
    afterFailure: forgetPending,
    sweep,
    state: (): IdempotencyState => keys.state,
  };

  /** The result of a write. For a known key, it is a function that reads the first result. */
  function writeUnlessKnown(batch: WriteBatch, write: Write): unknown {
    const { addTo, bytes, idempotency } = write;
    if (!idempotency) return addTo(batch);
    const { key, fingerprint } = idempotency;
    const known = pendingKeys.has(key) ? pending?.id : keys.get(key);
    if (known !== undefined)
      return () => replay(known, idempotency).then((replayed) => replayed ?? group.add(write, 2 * bytes));
    // Idempotent writes have one of these results.
    const result = addTo(batch) as Document | Removed | NotWritten;
    if (result.outcome !== 'stored' && result.outcome !== 'removed') return result;
    pending ??= { id: batch.lastId(COLLECTION) + 1, at: now(), writes: [], documents: [] };
    pendingKeys.add(key);
    if (result.outcome === 'removed') pending.writes.push([key, fingerprint]);
    else {
      pending.writes.push([key, fingerprint, result.id, batch.sequence()]);
      pending.documents.push(result.json.text);
    }
    return result;
  }

  /** The result of the first write with a key; undefined if the key was removed meanwhile. */
  async function replay(keysId: number, { key, fingerprint }: Idempotency): Promise<Document | Removed | undefined> {
    const writes = await writesOf(keysId);
    if (!writes) return undefined;
    const write = writes.get(key);
    if (write?.fingerprint !== fingerprint) throw new IdempotencyMismatchError();
    const { id, sequence, text } = write;
    if (id === undefined || sequence === undefined) return { outcome: 'removed', isReplayed: true };
    return { ...storedDocument(id, catalog.versionText(sequence), text, 'latin1'), isReplayed: true };
  }

  /** The writes of a commit by key; undefined if its keys were removed. Many repetitions in a row often belong to one commit. */
  function writesOf(keysId: number): ReturnType<typeof readWrites> | undefined {
    if (!catalog.directory(COLLECTION).get(keysId)) return undefined;
    if (lastRead?.keysId !== keysId) {
      lastRead = { keysId, writes: readWrites(keysId) };
      // After an error, the next repetition reads again.
      lastRead.writes.catch(() => (lastRead = undefined));
    }
    return lastRead.writes;
  }

  async function readWrites(keysId: number) {
    const stored = await storedKeys.get(keysId);
    if (!stored) return undefined;
    const { writes, documents } = parseKeys(stored.json.text);
    const texts = documents.values();
    return new Map(
      writes.map(([key, fingerprint, id, sequence]) => {
        // Only writes that stored a document have an identifier, and a text in `documents`.
        const text = (id !== undefined && texts.next().value) || '';
        return [key, { fingerprint, id, sequence, text }] as const;
      }),
    );
  }

  async function load(): Promise<void> {
    // A collection for this alone, so the pages that it caches are freed.
    const { list } = collectionIn(declaration, parts);
    let page: Page;
    let after = 0;
    do {
      page = await list({ after, limit: COMMITS_PER_YIELD });
      for (const { text } of documentsIn(page)) {
        const { id, at, writes } = parseKeys(text);
        for (const [key] of writes) keys.set(key, id, at);
      }
      after = page.last;
      await yieldToEventLoop();
    } while (page.more);
  }

  function forgetPending(): void {
    pending = undefined;
    pendingKeys.clear();
  }

  /** Removes expired and excess keys. If the commit fails, the next sweep removes their documents. */
  function sweep(): void {
    if (!keys.isDue && swept.length === 0) return;
    group.add({ addTo: (batch) => removeDue(batch, SWEPT_BY_TIMER), bytes: 0 }, 0).then(sweep, () => {});
  }

  /** Adds the removal of up to `count` documents to a commit, and of all that a failed commit did not remove. */
  function removeDue(batch: WriteBatch, count: number): void {
    swept.push(...keys.sweep(count - swept.length));
    // A commit may call this twice, for its own keys and for a sweep. It removes each document once.
    for (const id of swept) if (!batch.obstacle(COLLECTION, id, undefined)) batch.remove(COLLECTION, id);
  }
}

/** These texts cannot occur in a JSON string, which escapes quotes and tabs, so they separate the parts of a document. */
const DOCUMENTS = ',"documents":[';
const SEPARATOR = ',\t';

/** Parses the keys of a commit from latin1 text. */
function parseKeys(text: string): StoredKeys {
  const end = text.indexOf(DOCUMENTS);
  const head = decodeText<Omit<StoredKeys, 'documents'>>(Buffer.from(`${text.slice(0, end)}}`, 'latin1').toString());
  return { ...head, documents: text.slice(end + DOCUMENTS.length, -2).split(SEPARATOR) };
}
