import { exactJson } from '@petstore/types';
import { Documents } from './collection.ts';
import { type Backend, type Change, createStore, type KeyRecord, plan, type State } from './create-store.ts';
import { type Declaration, KEYS, type Store, StoreError } from './store.ts';

/** A store that forgets everything when the process ends, for tests. */
export function memoryStore(declarations: readonly Declaration[], contents = new Contents(declarations)): Store {
  return createStore(
    declarations,
    backendOf(contents, async () => {}),
  );
}

/** A backend that reads from memory. `save` saves the changes of a commit before they are seen. */
export function backendOf(contents: Contents, save: (changes: Change[]) => Promise<void>): Backend {
  return {
    reader: ({ name }) => contents.collection(name),
    nextId: (name) => contents.collection(name).nextId,
    forgottenKeys: () => contents.keys.forgotten,
    close: async () => {},
    async commit(writes) {
      const { changes, outcomes } = plan(writes, contents);
      if (changes.length > 0) await save(changes);
      for (const change of changes) contents.apply(change);
      return outcomes;
    },
  };
}

/** All that a store holds in memory. */
export class Contents implements State {
  readonly documents: ReadonlyMap<string, Documents>;
  readonly keys = new RequestKeys();
  readonly #maxSize: number;

  constructor(declarations: readonly Declaration[], maxSize = Number.POSITIVE_INFINITY) {
    this.documents = new Map(declarations.map((declaration) => [declaration.name, new Documents(declaration)]));
    this.#maxSize = maxSize;
  }

  collection(name: string): Documents {
    const documents = this.documents.get(name);
    if (!documents) throw new StoreError(`it has a collection '${name}', which this server does not know`);
    return documents;
  }

  get room(): number {
    let room = this.#maxSize;
    for (const { size } of this.documents.values()) room -= size;
    return room;
  }

  apply({ collection, id, json, document, key }: Change): void {
    if (collection !== null) this.collection(collection).put(id, json, document);
    if (key) this.keys.add(key);
  }

  /** Applies a change that `entryOf` has written. */
  applyEntry(entry: unknown, json?: string): void {
    const [collection, value, key] = entry as [string | null, number | Record<string, unknown>, unknown[]?];
    if (typeof value === 'number') return this.apply({ collection, id: value, json: null });
    const text = json ?? exactJson(value);
    const id = collection === null ? 0 : Number(value[this.collection(collection).declaration.id]);
    const [keyId, fingerprint, made] = key ?? [];
    const record = key && { id: String(keyId), fingerprint: String(fingerprint), made: Number(made), json: text };
    this.apply({ collection, id, json: text, document: value, key: record });
  }
}

/**
 * A change as JSON: `["pets",{…}]`, or `["pets",7]` for the removal of document 7. An idempotency key follows the document,
 * which is the result of its request; it stands with null where that did not write the document.
 */
export function entryOf({ collection, id, json, key }: Change): string {
  const suffix = key ? `,${JSON.stringify([key.id, key.fingerprint, key.made])}` : '';
  return `[${JSON.stringify(collection)},${json ?? id}${suffix}]`;
}

/** The idempotency keys of the last 24 hours in memory. Beyond a number and a size the oldest are forgotten. */
class RequestKeys {
  readonly #records = new Map<string, KeyRecord>();
  #size = 0;
  /** How many keys were forgotten before their time. */
  forgotten = 0;

  get(id: string): KeyRecord | undefined {
    const record = this.#records.get(id);
    return record && !isExpired(record) ? record : undefined;
  }

  add(record: KeyRecord): void {
    this.#delete(this.#records.get(record.id));
    this.#records.set(record.id, record);
    this.#size += record.json.length;
    for (const oldest of this.#records.values()) {
      if (!isExpired(oldest)) {
        if (this.#records.size <= KEYS.count && this.#size <= KEYS.size) return;
        this.forgotten++;
      }
      this.#delete(oldest);
    }
  }

  /** All records, oldest first. Records that are added meanwhile follow. */
  values(): Iterable<KeyRecord> {
    return this.#records.values();
  }

  #delete(record: KeyRecord | undefined): void {
    if (record && this.#records.delete(record.id)) this.#size -= record.json.length;
  }
}

function isExpired({ made }: KeyRecord): boolean {
  return Date.now() - made >= KEYS.milliseconds;
}
