import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '@petstore/types';
import { MAX_REQUESTS_PER_KEY } from '../limits.ts';
import type { Collection, Document, Idempotency, NotWritten, Removed, Store, WriteOptions } from '../store/store.ts';
import { HttpError } from './http-error.ts';
import type { Input } from './request-context.ts';

/** A request that is done once, however often it is sent. */
export interface IdempotentRequest extends Idempotency {
  /** Whether it was done before. */
  isReplayed: boolean;
}

/** The value of the idempotency key of a request, bare: the quoted string of structured fields (RFC 9651) is the same key. */
export function idempotencyKeyOf(headers: IncomingHttpHeaders, { idempotencyKey }: Operation): string | undefined {
  const text = idempotencyKey && headers[idempotencyKey.header.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

/** The requests with a key. They are told apart by caller, and the same one is worked on a few times at once at most. */
export function idempotentRequests() {
  const inFlight = new Map<string, number>();

  /** Works on a request whose input was accepted. */
  return <T>(
    operation: Operation,
    key: string,
    caller: string | undefined,
    input: Input,
    work: (request: IdempotentRequest) => Promise<T> | undefined,
  ): Promise<T | undefined> => {
    const id = idOf(key, caller);
    const others = inFlight.get(id) ?? 0;
    if (others >= MAX_REQUESTS_PER_KEY) return Promise.reject(inFlightError());
    inFlight.set(id, others + 1);
    const workOn = (read: Input) => {
      const fingerprint = shortHash(`${operation.method} ${operation.path} ${canonical(read)}`);
      return work({ key: id, fingerprint, isReplayed: false });
    };
    const hasFiles = operation.body?.kind === 'bytes' || operation.body?.kind === 'multipart';
    const worked = hasFiles ? withoutFiles(input).then(workOn) : Promise.resolve(workOn(input));
    return worked.finally(() => {
      const left = (inFlight.get(id) ?? 1) - 1;
      if (left > 0) inFlight.set(id, left);
      else inFlight.delete(id);
    });
  };
}

function inFlightError(): HttpError {
  const message = 'A request with this Idempotency-Key is still being worked on. Repeat this one later.';
  return new HttpError('request_in_flight', message, { headers: { 'Retry-After': '1' } });
}

/** The key of a caller. A key has no space in it, so the two cannot run into each other, nor into what a long key becomes. */
function idOf(key: string, caller = ''): string {
  const id = `${caller} ${key}`;
  return id.length <= MAX_KEY_LENGTH ? id : shortHash(id);
}

/** Longer ones are hashed. */
const MAX_KEY_LENGTH = 64;

/** A view of a store in which each write of a request is done once: the first, the second and so on of every repetition are the same. */
export function writtenOnce(store: Store, request: IdempotentRequest): Store {
  let writes = 0;
  const once = async <R extends Document | Removed | NotWritten>(
    options: WriteOptions | undefined,
    write: (options: WriteOptions) => Promise<R>,
  ): Promise<R> => {
    const { key, fingerprint } = request;
    const place = writes++;
    const result = await write({
      ...options,
      idempotency: { key: place === 0 ? key : `${key}.${place}`, fingerprint },
    });
    if (place === 0) request.isReplayed = 'isReplayed' in result;
    return result;
  };
  const view = (collection: Collection): Collection => ({
    ...collection,
    create: (properties, options) => once(options, (more) => collection.create(properties, more)),
    replace: (id, properties, options) => once(options, (more) => collection.replace(id, properties, more)),
    remove: (id, options) => once(options, (more) => collection.remove(id, more)),
  });
  return { ...store, collection: (name) => view(store.collection(name)) };
}

/** 132 bits of a SHA-256: enough that no two texts share them, and short in memory. */
const shortHash = (text: string) => hash('sha256', text, 'base64url').slice(0, 22);

/** JSON that is the same for equal values: members in order, numbers and texts in one way of writing them. */
function canonical(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  let text = '';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += `,${JSON.stringify(name)}:${canonical(member)}`;
  }
  return `{${text}}`;
}

/** The input with the name, the type and a hash of its bytes in the place of each file. */
async function withoutFiles(input: Input): Promise<Input> {
  const found: Record<string, unknown> = { ...input };
  for (const name in found) {
    const value = found[name];
    if (Array.isArray(value)) found[name] = await Promise.all(value.map(digestOf));
    else found[name] = await digestOf(value);
  }
  return found;
}

async function digestOf(value: unknown): Promise<unknown> {
  if (!(value instanceof Blob)) return value;
  const bytes = hash('sha256', new Uint8Array(await value.arrayBuffer()), 'base64url');
  return { type: value.type, bytes, ...(value instanceof File && { name: value.name }) };
}
