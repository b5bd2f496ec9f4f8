import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Operation } from '@petstore/types';
import { MAX_REQUESTS_PER_KEY } from '../limits.ts';
import { hash64 } from '../store/idempotency.ts';
import type {
  Awaitable,
  Collection,
  Document,
  Idempotency,
  NotWritten,
  Removed,
  Store,
  WriteOptions,
} from '../store/store.ts';
import { HttpError } from './http-error.ts';
import type { Input } from './input.ts';

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

/** The requests with a key that are being worked on, by the identifiers that `scopedKey` makes of key and caller. */
export function idempotentRequests() {
  const inFlight = new Map<string, number>();

  return {
    /** Begins to work on a request whose input was accepted. Throws where enough are at work with its key; else `end` has to follow. */
    begin: (operation: Operation, id: string, input: Input): Awaitable<IdempotentRequest> => {
      const others = inFlight.get(id) ?? 0;
      if (others >= MAX_REQUESTS_PER_KEY) throw inFlightError();
      inFlight.set(id, others + 1);
      const requestOf = (read: Input): IdempotentRequest => ({
        key: id,
        fingerprint: hash64(`${operation.method} ${operation.path} ${canonical(read)}`),
        isReplayed: false,
      });
      const hasFiles = operation.body?.kind === 'bytes' || operation.body?.kind === 'multipart';
      return hasFiles ? withoutFiles(input).then(requestOf) : requestOf(input);
    },
    end: (id: string): void => {
      const left = (inFlight.get(id) ?? 1) - 1;
      if (left > 0) inFlight.set(id, left);
      else inFlight.delete(id);
    },
  };
}

function inFlightError(): HttpError {
  const message = 'A request with this Idempotency-Key is in progress. Retry later.';
  return new HttpError('request_in_flight', message, { headers: { 'Retry-After': '1' } });
}

/** The key of a caller. No name or key has a space in it, so neither they nor the places of writes can run into each other. */
export function scopedKey(key: string, caller = ''): string {
  const id = `${caller} ${key}`;
  return id.length <= MAX_KEY_LENGTH ? id : hash('sha256', id, 'base64url');
}

/** Longer ones are hashed. */
const MAX_KEY_LENGTH = 64;

/** A view of a store in which each write of a request is done once: the first, the second and so on of every repetition are the same. */
export function writtenOnce(store: Store, request: IdempotentRequest): Store {
  let writes = 0;
  const once = <R extends Document | Removed | NotWritten>(
    options: WriteOptions | undefined,
    write: (options: WriteOptions) => Promise<R>,
  ): Promise<R> => {
    const place = writes++;
    const idempotency = place === 0 ? request : { ...request, key: `${request.key} ${place}` };
    const written = write(options ? { ...options, idempotency } : { idempotency });
    if (place > 0) return written;
    return written.then((result) => {
      request.isReplayed = 'isReplayed' in result;
      return result;
    });
  };
  const view = (collection: Collection): Collection => ({
    ...collection,
    create: (properties, options) => once(options, (more) => collection.create(properties, more)),
    replace: (id, properties, options) => once(options, (more) => collection.replace(id, properties, more)),
    remove: (id, options) => once(options, (more) => collection.remove(id, more)),
  });
  return { ...store, collection: (name) => view(store.collection(name)) };
}

/** A text that is the same for equal values alone: members in order, the length of each text before it, an end behind the others. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return `#${value};`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  let text = '{';
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += canonical(name) + canonical(member);
  }
  return `${text}}`;
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
