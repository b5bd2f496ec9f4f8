import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { MAX_REQUESTS_PER_KEY } from '../limits.ts';
import type { Operation } from '../old.ts';
import { hash64 } from '../store/idempotency.ts';
import type { Awaitable, Collection, Idempotency, Store, WriteOptions } from '../store/store.ts';
import { HttpError } from './http-error.ts';
import type { Input } from './input.ts';
import { canonical } from './values.ts';

/** A request whose writes are done once, even if it is sent repeatedly. */
export interface IdempotentRequest extends Idempotency {
  /** Whether an earlier request has done the first write. */
  isReplayed: boolean;
}

/**
 * The idempotency key of a request in the scope of its caller. Callers and keys have no spaces, so the result stays unique if the
 * number of a write is appended.
 */
export function idempotencyKeyOf(headers: IncomingHttpHeaders, { idempotencyKey }: Operation, caller = '') {
  const text = idempotencyKey && headers[idempotencyKey.header.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  // Without the quotes of a structured field (RFC 9651).
  const key = text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
  const scopedKey = `${caller} ${key}`;
  return scopedKey.length <= MAX_KEY_LENGTH ? scopedKey : hash('sha256', scopedKey, 'base64url');
}

/** A key up to this length is stored as it is; a longer key is hashed. */
const MAX_KEY_LENGTH = 64;

/** Counts the requests in progress by key. */
export function idempotentRequests() {
  const inFlight = new Map<string, number>();

  return {
    /**
     * Begins a request with validated input. Throws if too many requests with this key are in progress; otherwise call `end`
     * later.
     */
    begin: (operation: Operation, key: string, input: Input): Awaitable<IdempotentRequest> => {
      const inProgress = inFlight.get(key) ?? 0;
      if (inProgress >= MAX_REQUESTS_PER_KEY) throw inFlightError();
      inFlight.set(key, inProgress + 1);
      const requestOf = (hashable: Input): IdempotentRequest => ({
        key,
        fingerprint: hash64(`${operation.method} ${operation.path} ${canonical(hashable)}`),
        isReplayed: false,
      });
      return operation.body?.kind === 'bytes' ? withDigest(input).then(requestOf) : requestOf(input);
    },
    end: (key: string): void => {
      const remaining = (inFlight.get(key) ?? 1) - 1;
      if (remaining > 0) inFlight.set(key, remaining);
      else inFlight.delete(key);
    },
  };
}

function inFlightError(): HttpError {
  const message = 'Too many requests with this idempotency key are in progress. Retry later.';
  return new HttpError('request_in_flight', message, { headers: { 'Retry-After': '1' } });
}

/** A view of a store that does each write of a request once. The number of a write identifies it in every repetition. */
export function writtenOnce(store: Store, request: IdempotentRequest): Store {
  let writes = 0;
  const once = async <Result extends object>(
    options: WriteOptions | undefined,
    write: (options: WriteOptions) => Promise<Result>,
  ): Promise<Result> => {
    const number = writes++;
    const idempotency = number === 0 ? request : { ...request, key: `${request.key} ${number}` };
    const result = await write({ ...options, idempotency });
    if (number === 0) request.isReplayed = 'isReplayed' in result;
    return result;
  };
  const view = (collection: Collection): Collection => ({
    ...collection,
    create: (properties, options) => once(options, (idempotent) => collection.create(properties, idempotent)),
    replace: (id, properties, options) => once(options, (idempotent) => collection.replace(id, properties, idempotent)),
    remove: (id, options) => once(options, (idempotent) => collection.remove(id, idempotent)),
  });
  return { ...store, collection: (name) => view(store.collection(name)) };
}

/** The input with the type and hash of the bytes instead of the bytes. */
async function withDigest({ body, ...input }: Input): Promise<Input> {
  if (!(body instanceof Blob)) return { ...input, body };
  const bytes = hash('sha256', new Uint8Array(await body.arrayBuffer()), 'base64url');
  return { ...input, body: { type: body.type, bytes } };
}
