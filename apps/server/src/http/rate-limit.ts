import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { HttpError } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/**
 * Creates a function that counts a request towards the rate limit of its key, and sets the `RateLimit` headers. It returns the
 * milliseconds until the limit allows the request, 0 if it is allowed now. A second call for the same request returns the same
 * number without counting.
 */
export function rateLimiter(quotas: Quotas) {
  return (response: ServerResponse, context: RequestContext): number => {
    if (context.retryAfterMs !== undefined) return context.retryAfterMs;
    const { retryAfterMs, remaining, restoredMs } = quotas.use(context.keyName ?? '');
    response.setHeader('RateLimit-Policy', quotas.policy);
    response.setHeader('RateLimit', `"per-key";r=${remaining};t=${Math.ceil(Math.round(restoredMs) / 1000)}`);
    context.retryAfterMs = retryAfterMs;
    return retryAfterMs;
  };
}

/** Rejects requests beyond the rate limit of their key with 429. */
export function rateLimit(applyRateLimit: ReturnType<typeof rateLimiter>): RequestHandler {
  return (_request, response, next) => {
    const seconds = Math.ceil(applyRateLimit(response, contextOf(response)) / 1000);
    if (seconds === 0) return next();
    const headers = { 'Retry-After': String(seconds) };
    throw new HttpError('rate_limited', `This key has reached its rate limit. Retry in ${seconds} s.`, { headers });
  };
}

const WINDOW_MS = 60_000;

/** A rate limit per key: a burst of up to `perMinute` requests, refilled evenly. */
export class Quotas {
  /** The value of the `RateLimit-Policy` header. */
  readonly policy: string;
  readonly #intervalMs: number;
  /** The time at which the whole quota of a key is restored, by key. */
  readonly #restored = new Map<string, number>();

  constructor(perMinute: number) {
    this.policy = `"per-key";q=${perMinute};w=${WINDOW_MS / 1000}`;
    this.#intervalMs = WINDOW_MS / perMinute;
  }

  /**
   * Counts a request, unless the quota of its key is used up. Returns the milliseconds until a request is allowed (0 if this
   * request is), the requests that remain, and the milliseconds until the whole quota is restored.
   */
  use(key: string) {
    const now = performance.now();
    // Only differences are compared: a sum with `now` is rounded, and could exceed the window.
    const usedMs = Math.max(0, (this.#restored.get(key) ?? 0) - now);
    const retryAfterMs = Math.max(0, usedMs + this.#intervalMs - WINDOW_MS);
    const isAllowed = retryAfterMs === 0;
    const restoredMs = isAllowed ? usedMs + this.#intervalMs : usedMs;
    if (isAllowed) this.#restored.set(key, now + restoredMs);
    // The small addend absorbs the rounding errors of fractions of a millisecond.
    const remaining = Math.max(0, Math.floor((WINDOW_MS - restoredMs) / this.#intervalMs + 1e-3));
    return { retryAfterMs, remaining, restoredMs };
  }
}
