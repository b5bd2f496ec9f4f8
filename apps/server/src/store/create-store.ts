import { hash } from 'node:crypto';
import { exactJson } from '@petstore/types';
import { batched } from './batch.ts';
import {
  type Awaitable,
  type Declaration,
  KeyReusedError,
  type Reader,
  type RequestKey,
  type Store,
  type Stored,
  StoreError,
  UnavailableError,
} from './store.ts';

/** Where a store keeps its data: in memory, in a folder, or in a database. */
export interface Backend {
  /** Changes with every write; undefined where only the database knows. */
  readonly version?: number;
  collection(name: string): Reader;
  nextId(collection: string): Awaitable<number>;
  /** How many idempotency keys were forgotten before their time. */
  readonly keys: { readonly forgotten: number };
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
  readonly key: { readonly id: string; readonly fingerprint: string } | undefined;
}

/** The result of a write. An error rejects this write alone. */
export type Outcome = Stored | undefined | Error;

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
  /** A hash of the caller, the key, and which write of the request it is. */
  readonly id: string;
  readonly fingerprint: string;
  /** When it was made, in milliseconds. */
  readonly made: number;
  /** The document that the write returned. */
  readonly json: string;
}

/** What a commit has to know of the stored data. */
export interface State {
  collection(name: string): { readonly nextId: number; get(id: number): Stored | undefined };
  readonly keys: { get(id: string): KeyRecord | undefined };
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
  /** The function that writes to a collection. */
  const writing = (declaration: Declaration, requestKey?: RequestKey) => {
    return async (kind: Write['kind'], id: number, document?: object) => {
      checkOpen();
      const key = requestKey && nextKey(requestKey);
      return batch.add({
        kind,
        declaration,
        id,
        document,
        body: bodyOf(document, declaration.id),
        key,
      });
    };
  };
  return {
    collection: (name, requestKey) => {
      const declaration = declared(name);
      const reader = backend.collection(name);
      const write = writing(declaration, requestKey);
      return {
        get: (id) => reader.get(id),
        list: (query) => reader.list(query),
        // A create always returns its document.
        create: (document) => write('create', 0, document) as Promise<Stored>,
        replace: (id, document) => write('replace', id, document),
        remove: (id) => write('remove', id),
      };
    },
    version: () => backend.version ?? Number.NaN,
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
    forgottenKeys: () => backend.keys.forgotten,
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
    const first = key && (keys.get(key.id) ?? state.keys.get(key.id));
    if (first && first.fingerprint !== key.fingerprint)
      return new KeyReusedError('The idempotency key was already used for another request.');
    if (first) return { json: first.json, isReplayed: true };

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
    const record = key && { ...key, made: Date.now(), json: result };
    if (record) keys.set(record.id, record);
    if (json !== undefined) changes.push({ collection, id, json, document, key: record });
    else changes.push({ collection, id, json: null });
    if (json === undefined && record)
      changes.push({ collection: null, id, json: result, key: record });
    return { json: result };
  };
  return { outcomes: writes.map(outcomeOf), changes, nextIds };
}

/** About how much memory a document needs: its text, and the bytes that it costs beside. */
export function sizeOf(json: string | null | undefined): number {
  return json == null ? 0 : json.length + 128;
}

/** The stored key of the next write of a request. */
function nextKey(request: RequestKey): Write['key'] {
  const { caller, key, fingerprint, writes = 0 } = request;
  request.writes = writes + 1;
  return { id: hash('sha256', JSON.stringify([caller, key, writes]), 'base64url'), fingerprint };
}

/** The JSON of a document without its identifier, and with it as the first member. */
function bodyOf(document: object | undefined, property: string): string {
  if (!document) return '';
  return exactJson(property in document ? { ...document, [property]: undefined } : document);
}

function withId(property: string, id: number, body: string): string {
  return `{"${property}":${id}${body === '{}' ? '' : ','}${body.slice(1)}`;
}
