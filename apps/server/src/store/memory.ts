import { exactJson, parseExact } from '@petstore/types';
import {
  type Backend,
  type Change,
  type KeyRecord,
  type Outcome,
  plan,
  type State,
  sizeOf,
  type Write,
} from './create-store.ts';
import {
  type Declaration,
  filterText,
  KEYS,
  MAX_PAGE_SIZE,
  type Query,
  type Stats,
  StoredDocument,
  StoredPage,
  StoreError,
} from './store.ts';

/** All that a store holds in memory. */
export class Memory implements Backend, State {
  readonly documents: ReadonlyMap<string, Documents>;
  readonly keys: RequestKeys;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** The length of the journal, for the metrics. */
  journalBytes?: () => number;
  /** Saves changes before they are applied. */
  save?: (changes: readonly Change[]) => Promise<void>;
  close?: () => Promise<void>;
  readonly #maxSize: number;

  constructor(
    declarations: readonly Declaration[],
    maxSize = Number.POSITIVE_INFINITY,
    clock = Date.now,
  ) {
    this.now = clock;
    this.keys = new RequestKeys(clock);
    this.documents = new Map(
      declarations.map((declaration) => [declaration.name, new Documents(declaration)]),
    );
    this.#maxSize = maxSize;
  }

  collection(name: string): Documents {
    const documents = this.documents.get(name);
    if (!documents)
      throw new StoreError(`it has a collection '${name}', which this server does not know`);
    return documents;
  }

  get room(): number {
    let room = this.#maxSize;
    for (const { size } of this.documents.values()) room -= size;
    return room;
  }

  nextId(name: string): number {
    return this.collection(name).nextId;
  }

  key(id: string): KeyRecord | undefined {
    return this.keys.get(id);
  }

  stats(): Stats {
    const counts = Array.from(this.documents, ([name, { count }]) => [name, count] as const);
    return {
      documents: Object.fromEntries(counts),
      ...(this.journalBytes && { journalBytes: this.journalBytes() }),
      ...(this.#maxSize < Number.POSITIVE_INFINITY && { roomBytes: this.room }),
      forgottenKeys: this.keys.forgotten,
    };
  }

  async commit(writes: readonly Write[]): Promise<Outcome[]> {
    const { changes, outcomes } = plan(writes, this);
    if (changes.length > 0) await this.save?.(changes);
    for (const change of changes) this.apply(change);
    return outcomes;
  }

  apply({ collection, id, json, document, key }: Change): void {
    if (collection !== null) this.collection(collection).put(id, json, document);
    if (key) this.keys.add(key);
  }
}

/**
 * A change as JSON: `["pets",{…}]`, or `["pets",7]` for the removal of document 7. An idempotency key follows the document,
 * which is the result of its request; it stands with null where that did not write the document.
 */
export function entryOf({ collection, id, json, key }: Change): string {
  const suffix = key ? `,${JSON.stringify([key.id, key.fingerprint, key.made, key.status])}` : '';
  return `[${JSON.stringify(collection)},${json ?? id}${suffix}]`;
}

/** Applies a change that `entryOf` has written. */
export function applyEntry(memory: Memory, entry: unknown, json?: string): void {
  const [collection, value, key] = entry as [
    string | null,
    number | Record<string, unknown>,
    unknown[]?,
  ];
  if (typeof value === 'number') return memory.apply({ collection, id: value, json: null });
  const text = json ?? exactJson(value);
  const id = collection === null ? 0 : Number(value[memory.collection(collection).declaration.id]);
  const [keyId, fingerprint, made, status] = key ?? [];
  // The earlier format has no status: its keys are forgotten.
  const record = status !== undefined && {
    id: String(keyId),
    fingerprint: String(fingerprint),
    made: Number(made),
    status: Number(status),
    json: text,
  };
  memory.apply({ collection, id, json: text, document: value, key: record || undefined });
}

/** The documents of a collection, in order of their identifiers, with an index for each declared filter. */
class Documents {
  readonly declaration: Declaration;
  /** The identifier that the next document gets. */
  nextId = 1;
  /** About how much memory the documents need. */
  size = 0;
  readonly all = new SortedTexts();
  /** By filter and value, the documents that have it. */
  readonly #indexes: ReadonlyMap<string, Map<string, SortedTexts>>;

  constructor(declaration: Declaration) {
    this.declaration = declaration;
    this.#indexes = new Map(declaration.filters.map((property) => [property, new Map()]));
  }

  get count(): number {
    return this.all.ids.length;
  }

  get(id: number): StoredDocument | undefined {
    const json = this.all.get(id);
    return json === undefined ? undefined : new StoredDocument(json);
  }

  list({ after, limit, filters = {} }: Query): StoredPage {
    const [first, ...others] = Object.entries(filters);
    if (!first) return pageOf(this.all, after, limit);
    for (const [property] of Object.entries(filters))
      if (!this.#indexes.has(property)) throw new StoreError(`There is no filter '${property}'.`);
    const [property, value] = first;
    const source = this.#indexes.get(property)?.get(value);
    if (!source) return new StoredPage('[]');
    if (others.length > 0) throw new StoreError('Several filters at once are not supported yet.');
    return pageOf(source, after, limit);
  }

  /** Adds, replaces or removes (null) a document. `document` is the parsed JSON, if it is known. */
  put(id: number, json: string | null, document?: object): void {
    const before = this.all.get(id);
    if (id >= this.nextId) this.nextId = id + 1;
    if (json === (before ?? null)) return;
    this.size += sizeOf(json) - sizeOf(before);
    if (before !== undefined) this.#index(id, null, parseExact(before));
    this.all.put(id, json);
    if (json !== null) this.#index(id, json, document ?? parseExact(json));
  }

  /** Adds a document to the indexes, or removes it (null) from them. */
  #index(id: number, json: string | null, document: unknown): void {
    for (const [property, index] of this.#indexes) {
      const value = filterText(document, property);
      if (value === undefined) continue;
      const texts = index.get(value) ?? new SortedTexts();
      texts.put(id, json);
      if (texts.ids.length === 0) index.delete(value);
      else index.set(value, texts);
    }
  }
}

function pageOf(source: SortedTexts, after: number, limit: number): StoredPage {
  const { texts, last, hasMore } = source.slice(after + 1, limit, MAX_PAGE_SIZE);
  return new StoredPage(`[${texts.join(',')}]`, hasMore ? last : undefined);
}

/** Texts in ascending order of their identifiers. To add or remove one in the middle of a million takes less than a millisecond. */
class SortedTexts {
  readonly ids: number[] = [];
  readonly #texts: string[] = [];

  get(id: number): string | undefined {
    const at = position(this.ids, id);
    return this.ids[at] === id ? this.#texts[at] : undefined;
  }

  /** Adds, replaces or removes (null) a text. */
  put(id: number, text: string | null): void {
    const [ids, texts] = [this.ids, this.#texts];
    const at = position(ids, id);
    const known = ids[at] === id ? 1 : 0;
    if (text !== null && at === ids.length) {
      ids.push(id);
      texts.push(text);
    } else {
      ids.splice(at, known, ...(text === null ? [] : [id]));
      texts.splice(at, known, ...(text === null ? [] : [text]));
    }
  }

  /** The texts from an identifier on, until there are so many of them, or about so many characters. */
  slice(least: number, limit: number, maxSize: number) {
    const [ids, texts] = [this.ids, this.#texts];
    const found: string[] = [];
    let [size, at] = [0, position(ids, least)];
    for (; at < ids.length && found.length < limit && size < maxSize; at++) {
      const text = texts[at] as string;
      found.push(text);
      size += text.length;
    }
    return { texts: found, last: ids[at - 1] ?? least, hasMore: at < ids.length };
  }
}

/** The position of the first identifier that is at least `id`. */
function position(ids: readonly number[], id: number): number {
  let [low, high] = [0, ids.length];
  if (high === 0 || (ids[high - 1] as number) < id) return high;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ids[middle] as number) < id) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The idempotency keys of the last 24 hours. Beyond a number and a size the oldest are forgotten. */
class RequestKeys {
  /** The oldest are first. */
  readonly records = new Map<string, KeyRecord>();
  #size = 0;
  /** How many keys were forgotten before their time. */
  forgotten = 0;
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string): KeyRecord | undefined {
    const record = this.records.get(id);
    return record && !this.#isExpired(record) ? record : undefined;
  }

  /** Adds a record, and forgets those that are expired or too many. */
  add(record: KeyRecord): void {
    this.#delete(this.records.get(record.id));
    this.records.set(record.id, record);
    this.#size += record.json.length;
    for (const oldest of this.records.values()) {
      if (!this.#isExpired(oldest)) {
        if (this.records.size <= KEYS.count && this.#size <= KEYS.size) return;
        this.forgotten++;
      }
      this.#delete(oldest);
    }
  }

  #isExpired({ made }: KeyRecord): boolean {
    return this.#now() - made >= KEYS.milliseconds;
  }

  #delete(record: KeyRecord | undefined): void {
    if (record && this.records.delete(record.id)) this.#size -= record.json.length;
  }
}
