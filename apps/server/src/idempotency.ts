import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { exactJson, type Operation } from '@petstore/types';
import { HttpError } from './errors.ts';
import type { RequestKey } from './store/store.ts';

/** More requests with the same key at the same time are refused. */
const MAX_IN_FLIGHT = 10;

/** The idempotency key of a request, and what makes it the same request. */
export function requestKeyOf(
  { idempotencyKey, method, path }: Operation,
  headers: IncomingHttpHeaders,
  caller: string,
  input: object,
): RequestKey | undefined {
  const text = idempotencyKey && headers[idempotencyKey.header.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  // Without the quotes of a structured field (RFC 9651).
  const key = text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
  const fingerprint = hash('sha256', `${method} ${path} ${exactJson(sorted(input))}`, 'base64url');
  return { caller, key, fingerprint };
}

/** The value with its members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted(each)]));
}

/** Counts the requests with the same key that are in progress. */
export class InFlight {
  readonly #counts = new Map<string, number>();

  /** Returns the function that ends the request. Throws if too many are in progress. */
  begin({ caller, key }: RequestKey): () => void {
    const id = `${caller} ${key}`;
    const count = this.#counts.get(id) ?? 0;
    if (count >= MAX_IN_FLIGHT) {
      const message = 'Too many requests with this Idempotency-Key are in progress. Retry later.';
      throw new HttpError('request_in_flight', message, { headers: { 'Retry-After': '1' } });
    }
    this.#counts.set(id, count + 1);
    return () => {
      const left = (this.#counts.get(id) ?? 1) - 1;
      if (left > 0) this.#counts.set(id, left);
      else this.#counts.delete(id);
    };
  }
}
