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
  return async <T>(
    operation: Operation,
    key: string,
    caller: string | undefined,
    input: Input,
    work: (request: IdempotentRequest) => Promise<T>,
  ): Promise<T> => {
    // A key has no space in it, so the two cannot run into each other.
    const id = shortHash(`${caller ?? ''} ${key}`);
    const others = inFlight.get(id) ?? 0;
    if (others >= MAX_REQUESTS_PER_KEY)
      throw new HttpError(
        'request_in_flight',
        'A request with this Idempotency-Key is still being worked on. Repeat this one later.',
        { headers: { 'Retry-After': '1' } },
      );
    inFlight.set(id, others + 1);
    try {
      const fingerprint = shortHash(`${operation.method} ${operation.path} ${canonical(await withoutFiles(input))}`);
      return await work({ key: id, fingerprint, isReplayed: false });
    } finally {
      const left = (inFlight.get(id) ?? 1) - 1;
      if (left > 0) inFlight.set(id, left);
      else inFlight.delete(id);
    }
  };
}

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
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** The input with the name, the type and a hash of its bytes in the place of each file. */
async function withoutFiles(input: Input): Promise<Input> {
  let found: Record<string, unknown> | undefined;
  for (const name in input) {
    const value = input[name];
    const list = Array.isArray(value) ? value : [value];
    if (!list.some((one) => one instanceof Blob)) continue;
    found ??= { ...input };
    found[name] = await Promise.all(list.map((one) => (one instanceof Blob ? digestOf(one) : one)));
  }
  return found ?? input;
}

async function digestOf(file: Blob): Promise<object> {
  const bytes = hash('sha256', new Uint8Array(await file.arrayBuffer()), 'base64url');
  return { type: file.type, bytes, ...(file instanceof File && { name: file.name }) };
}
