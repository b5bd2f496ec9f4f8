import { MAX_CACHED_BYTES, MAX_CACHED_TARGETS, MAX_TARGET_LENGTH } from '../limits.ts';
import type { CollectionState } from '../store/stored.ts';
import type { Input } from './input.ts';
import { matchRoute, type RouteMatch } from './routes.ts';

/** The normalized target of a request, with everything that depends on it alone. */
export interface Target {
  /** The path, normalized. */
  readonly path: string;
  /** The raw query, without the question mark. */
  readonly query: string;
  readonly match: RouteMatch | undefined;
  isCached: boolean;
  /** The checked input of the GET operation, if it depends on the target alone. */
  input: Input | undefined;
  /** The version of the collection from which the last response was read. */
  lastVersion: string | undefined;
  response: CachedResponse | undefined;
}

/** A response to GET as bytes. For each request, only the date and the request identifier change, which have fixed lengths. */
export interface CachedResponse {
  readonly status: number;
  readonly bytes: Buffer;
  readonly idAt: number;
  readonly dateAt: number;
  date: string;
  /** The response is valid while the collection still has the version of this state. */
  readonly state: CollectionState;
}

/** Parses a normalized target, and matches its route. */
export function parseTarget(text: string): Target {
  const queryAt = text.indexOf('?');
  const path = queryAt < 0 ? text : text.slice(0, queryAt);
  const query = queryAt < 0 ? '' : text.slice(queryAt + 1);
  const match = matchRoute(path);
  return { path, query, match, isCached: false, input: undefined, lastVersion: undefined, response: undefined };
}

/** Freezes data, so that no handler changes the input of later requests. */
function frozen<T>(data: T): T {
  if (typeof data === 'object' && data !== null) Object.values(Object.freeze(data)).forEach(frozen);
  return data;
}

/**
 * The targets of accepted requests by their text, with their cached responses. Beyond its bounds the cache evicts the oldest
 * target.
 */
export class TargetCache {
  readonly #byText = new Map<string, Target>();
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_CACHED_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The number of targets, and the bytes of their responses. */
  get size(): { targets: number; bytes: number } {
    return { targets: this.#byText.size, bytes: this.#bytes };
  }

  get(text: string): Target | undefined {
    return this.#byText.get(text);
  }

  /** Adds the target of an accepted request, with its input if the input depends on the target alone. */
  add(text: string, target: Target, input?: Input): void {
    if (!target.isCached) {
      if (text.length > MAX_TARGET_LENGTH || this.#byText.has(text)) return;
      target.isCached = true;
      this.#byText.set(text, target);
      if (this.#byText.size > MAX_CACHED_TARGETS) this.#evictOldest();
    }
    target.input ??= frozen(input);
  }

  /** Sets or removes the cached response of a target. */
  setResponse(target: Target, response: CachedResponse | undefined): void {
    if (!target.isCached) return;
    this.#bytes += (response?.bytes.length ?? 0) - (target.response?.bytes.length ?? 0);
    target.response = response;
    while (this.#bytes > this.#maxBytes) this.#evictOldest();
  }

  #evictOldest(): void {
    for (const [text, target] of this.#byText) {
      this.#byText.delete(text);
      this.setResponse(target, undefined);
      target.isCached = false;
      return;
    }
  }
}
