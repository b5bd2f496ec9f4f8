import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import { batched } from './batch.ts';
import {
  type Awaitable,
  type Collection,
  type Declaration,
  type KeyedRequest,
  KeyReusedError,
  type Replay,
  type Stats,
  type Store,
  StoredDocument,
  StoreError,
  UnavailableError,
} from './store.ts';

/** Where a store keeps its data: in memory, in a folder, or in a database. */
export interface Backend {
  collection(name: string): Pick<Collection, 'get' | 'list'>;
  nextId(collection: string): Awaitable<number>;
  /** The record of an idempotency key. */
  key(id: string): Awaitable<KeyRecord | undefined>;
  stats(): Stats;
  /** Resolves with an outcome for each write when all are saved, or rejects for all of them. */
  commit(writes: readonly Write[]): Promise<Outcome[]>;
  check?(): Promise<void>;
  close?(): Promise<void>;
}

/** A write that waits for its commit. */
export interface Write {
  /** `restore` adds a document under its identifier; `reserve` lets the next identifier be greater than `id`. */
  readonly kind: 'create' | 'replace' | 'remove' | 'restore' | 'reserve';
  readonly declaration: Declaration;
  /** 0 for a create. */
  readonly id: number;
  readonly document: object | undefined;
  /** The document as JSON without its identifier; empty where there is none. */
  readonly body: string;
  readonly key: Pick<KeyRecord, 'id' | 'fingerprint' | 'status'> | undefined;
}

/** The result of a write. An error rejects this write alone. */
export type Outcome = StoredDocument | undefined | Error;

/** A change of the stored data. To repeat it changes nothing. */
export interface Change {
  /** Null for an idempotency key without a change. */
  readonly collection: string | null;
  readonly id: number;
  /** Null removes the document, and also lets the next identifier be greater than `id`. */
  readonly json: string | null;
  /** The parsed JSON, if it is known. */
  readonly document?: object | undefined;
  readonly key?: KeyRecord | undefined;
}

/** The first result of a write with an idempotency key. */
export interface KeyRecord {
  /** A hash of the caller and the key. */
  readonly id: string;
  readonly fingerprint: string;
  /** The status of the first response. */
  readonly status: number;
  /** When it was made, in milliseconds. */
  readonly made: number;
  /** The document that the write returned. */
  readonly json: string;
}

/** What a commit has to know of the stored data. */
export interface State {
  collection(name: string): {
    readonly nextId: number;
    get(id: number): StoredDocument | undefined;
  };
  key(id: string): KeyRecord | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  /** How much documents may grow. Default: without a bound. */
  readonly room?: number;
}

/** Creates a store. The writes of a moment become one commit of its backend. */
export function createStore(declarations: readonly Declaration[], backend: Backend): Store {
  const batch = batched<Write, Outcome>((writes) => backend.commit(writes));
  let isClosed = false;
  const checkOpen = () => {
    if (isClosed) throw new UnavailableError('The store is closed.');
  };
  const declared = (name: string): Declaration => {
    const declaration = declarations.find((one) => one.name === name);
    if (!declaration) throw new StoreError(`There is no collection '${name}'.`);
    return declaration;
  };
  /** The requests that have made their write. */
  const finished = new WeakSet<KeyedRequest>();
  /** The function that writes to a collection. */
  const writing = (declaration: Declaration, request?: KeyedRequest) => {
    return async (kind: Write['kind'], id: number, document?: object) => {
      checkOpen();
      if (request && finished.has(request))
        throw new Error('A handler has made a second write with the same idempotency key.');
      if (request) finished.add(request);
      return batch.add({
        kind,
        declaration,
        id,
        document,
        body: bodyOf(document, declaration.id),
        key: request && keyOf(request),
      });
    };
  };
  return {
    collection: (name, request) => {
      const declaration = declared(name);
      const reader = backend.collection(name);
      const write = writing(declaration, request);
      return {
        get: (id) => reader.get(id),
        list: (query) => reader.list(query),
        // A create always returns its document.
        create: (document) => write('create', 0, document) as Promise<StoredDocument>,
        replace: (id, document) => write('replace', id, document),
        remove: (id) => write('remove', id),
      };
    },
    replay: (request) => {
      const { id } = keyOf(request);
      const record = backend.key(id);
      if (record instanceof Promise) return record.then((one) => replayOf(one, request));
      return replayOf(record, request);
    },
    nextId: (name) => backend.nextId(declared(name).name),
    restore: async (name, documents, nextId) => {
      const write = writing(declared(name));
      const restored = Array.from(documents, ([id, document]) => write('restore', id, document));
      await Promise.all([...restored, write('reserve', nextId - 1)]);
    },
    check: async () => {
      checkOpen();
      await backend.check?.();
    },
    stats: () => backend.stats(),
    close: async () => {
      isClosed = true;
      await batch.finished();
      await backend.close?.();
    },
  };
}

export type Plan = ReturnType<typeof plan>;

/** What writes change, one after the other, and the next identifiers after them. Nothing is changed yet. */
export function plan(writes: readonly Write[], state: State) {
  const changes: Change[] = [];
  // What the writes before have changed.
  const documents = new Map<string, string | undefined>();
  const keys = new Map<string, KeyRecord>();
  const nextIds = new Map<string, number>();
  let { room = Number.POSITIVE_INFINITY } = state;

  const outcomeOf = ({ kind, declaration, document, body, key, ...write }: Write): Outcome => {
    const first = key && (keys.get(key.id) ?? state.key(key.id));
    if (first && first.fingerprint !== key.fingerprint) return new KeyReusedError();
    if (first) return new StoredDocument(first.json, true);

    const collection = declaration.name;
    const nextId = nextIds.get(collection) ?? state.collection(collection).nextId;
    const id = kind === 'create' ? nextId : write.id;
    if (kind === 'create' && id >= Number.MAX_SAFE_INTEGER)
      return new UnavailableError('No identifier is left.');
    const place = `${collection} ${id}`;
    const stored = () =>
      documents.has(place) ? documents.get(place) : state.collection(collection).get(id)?.json;
    const before = kind === 'create' || kind === 'reserve' ? undefined : stored();
    const json = document && withId(declaration.id, id, body);
    if (kind === 'reserve' && id < nextId) return undefined;
    if (kind === 'restore' && before === json) return undefined;
    if (kind === 'restore' && before !== undefined)
      return new StoreError(
        `Document ${id} of ${collection} differs from the stored one; import into an empty store.`,
      );
    if ((kind === 'replace' || kind === 'remove') && before === undefined) return undefined;
    const growth = sizeOf(json) - sizeOf(before);
    if (growth > 0 && growth > room)
      return new UnavailableError('The store is full: remove documents, or move to PostgreSQL.');

    room -= growth;
    documents.set(place, json);
    nextIds.set(collection, Math.max(nextId, id + 1));
    const result = json ?? before ?? '';
    const record = key && { ...key, made: state.now(), json: result };
    if (record) keys.set(record.id, record);
    if (json !== undefined) changes.push({ collection, id, json, document, key: record });
    else changes.push({ collection, id, json: null });
    if (json === undefined && record)
      changes.push({ collection: null, id, json: result, key: record });
    return new StoredDocument(result);
  };
  return { outcomes: writes.map(outcomeOf), changes, nextIds };
}

/** About how much memory a document needs: its text, and the bytes that it costs beside. */
export function sizeOf(json: string | null | undefined): number {
  return json == null ? 0 : json.length + 128;
}

/** What is recorded of a request. */
function keyOf({ caller, key, fingerprint, status }: KeyedRequest) {
  return { id: hash('sha256', JSON.stringify([caller, key]), 'base64url'), fingerprint, status };
}

function replayOf(record: KeyRecord | undefined, request: KeyedRequest): Replay | undefined {
  if (!record) return undefined;
  if (record.fingerprint !== request.fingerprint) throw new KeyReusedError();
  return { status: record.status, document: new StoredDocument(record.json, true) };
}

/** The JSON of a document without its identifier, and with it as the first member. */
function bodyOf(document: object | undefined, property: string): string {
  if (!document) return '';
  return exactJson(property in document ? { ...document, [property]: undefined } : document);
}

function withId(property: string, id: number, body: string): string {
  return `{"${property}":${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}
