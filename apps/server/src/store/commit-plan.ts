import {
  type Declaration,
  KeyReusedError,
  StoredDocument,
  StoreError,
  UnavailableError,
} from './store.ts';

/** A write that waits for its commit. */
export type Write = WriteOfRequest &
  (
    | { readonly kind: 'create'; readonly id?: undefined; readonly content: Content }
    | { readonly kind: 'replace' | 'restore'; readonly id: number; readonly content: Content }
    | { readonly kind: 'remove'; readonly id: number }
    | { readonly kind: 'reserve'; readonly id?: undefined; readonly nextId: number }
  );

interface WriteOfRequest {
  readonly collection: string;
  /** The idempotency key of the request. */
  readonly key?: WriteKey | undefined;
}

/** A document to write, without its identifier. */
export interface Content {
  readonly declaration: Declaration;
  readonly document: object;
  /** The document as JSON without its identifier. */
  readonly body: string;
}

/** The part of a key's record that a write knows. */
export type WriteKey = Pick<KeyRecord, 'id' | 'fingerprint' | 'status'>;

/** The first response of a request with an idempotency key. */
export interface KeyRecord {
  /** A hash of the caller and the key. */
  readonly id: string;
  readonly fingerprint: string;
  readonly status: number;
  /** When it was made, in milliseconds since 1970. */
  readonly made: number;
  /**
   * The document that was sent. In memory it is the collection's own string as long as the document
   * stays as it is.
   */
  readonly json: string;
}

/** A change of the stored data. Applying it twice has the same result as applying it once. */
export type Change = Put | Removal | KeyChange;

/** A document that is added or replaced, with the idempotency key of its request. */
export interface Put {
  readonly kind: 'put';
  readonly collection: string;
  readonly id: number;
  readonly json: string;
  /** The parsed JSON. */
  readonly document: object;
  readonly key?: KeyRecord | undefined;
}

/** The next identifier is greater than `id` afterwards, also if there was no such document. */
export interface Removal {
  readonly kind: 'remove';
  readonly collection: string;
  readonly id: number;
  readonly key?: undefined;
}

/** The key of a request that removed its document, and, in a snapshot, any key. */
export interface KeyChange {
  readonly kind: 'key';
  readonly collection: string;
  readonly key: KeyRecord;
}

/** The result of a write. An error rejects this write alone. */
export type Outcome = StoredDocument | undefined | Error;

/** The stored data, as far as a commit needs it. */
export interface State {
  nextId(collection: string): number;
  /** The JSON of a document. */
  text(collection: string, id: number): string | undefined;
  key(id: string): KeyRecord | undefined;
  /** The bytes by which documents may grow. */
  readonly room: number;
  /** The milliseconds since 1970. */
  now(): number;
}

/** The changes that writes will make, one after the other, and their outcomes. */
export class CommitPlan {
  readonly outcomes: Outcome[] = [];
  readonly changes: Change[] = [];
  /** The next identifiers of the collections that change. */
  readonly nextIds = new Map<string, number>();
  /** The texts of the documents that change, by collection and identifier. */
  readonly #texts = new Map<string, string | undefined>();
  readonly #keys = new Map<string, KeyRecord>();
  readonly #state: State;
  #room: number;

  constructor(writes: readonly Write[], state: State) {
    this.#state = state;
    this.#room = state.room;
    for (const write of writes) this.outcomes.push(this.#outcomeOf(write));
  }

  #outcomeOf(write: Write): Outcome {
    const { key } = write;
    const first = key && (this.#keys.get(key.id) ?? this.#state.key(key.id));
    if (first && first.fingerprint !== key.fingerprint) return new KeyReusedError();
    if (first) return new StoredDocument(first.json, true);
    return this.#apply(write);
  }

  #apply(write: Write): Outcome {
    const { collection, key } = write;
    switch (write.kind) {
      case 'create':
        return this.#create(write.content, key);
      case 'replace':
        return this.#replace(write.id, write.content, key);
      case 'remove':
        return this.#remove(collection, write.id, key);
      case 'restore':
        return this.#restore(write.id, write.content);
      case 'reserve':
        return this.#reserve(collection, write.nextId);
    }
  }

  #create(content: Content, key: WriteKey | undefined): Outcome {
    const id = this.#nextId(content.declaration.name);
    if (id >= Number.MAX_SAFE_INTEGER) return new UnavailableError('No identifier is left.');
    return this.#put(content, id, undefined, key);
  }

  /** Undefined if there is no such document. */
  #replace(id: number, content: Content, key: WriteKey | undefined): Outcome {
    const before = this.#textOf(content.declaration.name, id);
    return before === undefined ? undefined : this.#put(content, id, before, key);
  }

  /** Undefined if there is no such document. */
  #remove(collection: string, id: number, key: WriteKey | undefined): Outcome {
    const before = this.#textOf(collection, id);
    if (before === undefined) return undefined;
    this.#room += sizeOf(before);
    this.#drop(collection, id);
    const record = this.#record(before, key);
    if (record) this.changes.push({ kind: 'key', collection, key: record });
    return new StoredDocument(before);
  }

  /** Adds a document under its identifier. Undefined if it is there already. */
  #restore(id: number, content: Content): Outcome {
    const { declaration, body } = content;
    const before = this.#textOf(declaration.name, id);
    if (before === undefined) return this.#put(content, id, undefined, undefined);
    if (before === withId(declaration.id, id, body)) return undefined;
    return new StoreError(
      `Document ${id} of ${declaration.name} differs from the stored one; import into an empty store.`,
    );
  }

  #reserve(collection: string, nextId: number): Outcome {
    if (nextId > this.#nextId(collection)) this.#raiseNextId(collection, nextId);
    return undefined;
  }

  /**
   * Raises the next identifier. No change says only that: the removal of the document before it,
   * which was never there, has this effect.
   */
  #raiseNextId(collection: string, nextId: number): void {
    this.#drop(collection, nextId - 1);
  }

  #put(
    { declaration, document, body }: Content,
    id: number,
    before: string | undefined,
    key: WriteKey | undefined,
  ): Outcome {
    const json = withId(declaration.id, id, body);
    const growth = sizeOf(json) - sizeOf(before);
    if (growth > 0 && growth > this.#room)
      return new UnavailableError('The store is full: remove documents, or move to PostgreSQL.');
    this.#room -= growth;
    const collection = declaration.name;
    this.#note(collection, id, json);
    const record = this.#record(json, key);
    this.changes.push({ kind: 'put', collection, id, json, document, key: record });
    return new StoredDocument(json);
  }

  #drop(collection: string, id: number): void {
    this.#note(collection, id, undefined);
    this.changes.push({ kind: 'remove', collection, id });
  }

  /** Notes a document's new text for the writes that follow. */
  #note(collection: string, id: number, json: string | undefined): void {
    this.#texts.set(`${collection} ${id}`, json);
    this.nextIds.set(collection, Math.max(this.#nextId(collection), id + 1));
  }

  #record(json: string, key: WriteKey | undefined): KeyRecord | undefined {
    if (!key) return undefined;
    const record = { ...key, made: this.#state.now(), json };
    this.#keys.set(record.id, record);
    return record;
  }

  #nextId(collection: string): number {
    return this.nextIds.get(collection) ?? this.#state.nextId(collection);
  }

  #textOf(collection: string, id: number): string | undefined {
    const place = `${collection} ${id}`;
    return this.#texts.has(place) ? this.#texts.get(place) : this.#state.text(collection, id);
  }
}

/** About the bytes of memory that a document needs: its text, and what each document costs. */
export function sizeOf(json: string | undefined): number {
  return json === undefined ? 0 : json.length + 128;
}

/** The JSON of a document with its identifier as the first member. */
function withId(property: string, id: number, body: string): string {
  const separator = body === '{}' ? '' : ',';
  return `{"${property}":${id}${separator}${body.slice(1)}`;
}
