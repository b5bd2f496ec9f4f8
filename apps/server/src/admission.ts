import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Context, checkMessage } from './context.ts';
import { HttpError } from './errors.ts';
import type { KeyCheck } from './keys.ts';

const WINDOW_MS = 60_000;

/** Creates the function that admits requests of the service: well-formed, with a valid key, within its rate. It throws for all others. */
export function admission(keys: KeyCheck, perMinute: number | undefined) {
  const limit = perMinute === undefined ? undefined : rateLimit(perMinute);
  return (request: IncomingMessage, response: ServerResponse, context: Context): void => {
    if (context.isCounted) return;
    checkMessage(request);
    const name = keys(tokenOf(request.headers.authorization ?? ''));
    if (name === undefined) {
      const headers = { 'WWW-Authenticate': 'Bearer' };
      throw new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
    }
    context.keyName = name;
    limit?.(name, response);
    context.isCounted = true;
  };
}

function tokenOf(authorization: string): string {
  return /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1] ?? '';
}

/** A limit per key: a burst of up to `perMinute` requests, refilled evenly. */
function rateLimit(perMinute: number) {
  const interval = WINDOW_MS / perMinute;
  /** By key, when its whole quota is there again. */
  const restored = new Map<string, number>();
  return (key: string, response: ServerResponse): void => {
    const now = performance.now();
    const used = Math.max(0, (restored.get(key) ?? 0) - now);
    const wait = Math.max(0, used + interval - WINDOW_MS);
    const next = wait === 0 ? used + interval : used;
    restored.set(key, now + next);
    // The small addend absorbs the rounding of fractions of a millisecond.
    const remaining = Math.max(0, Math.floor((WINDOW_MS - next) / interval + 1e-3));
    response.setHeader('RateLimit-Policy', `"per-key";q=${perMinute};w=${WINDOW_MS / 1000}`);
    response.setHeader('RateLimit', `"per-key";r=${remaining};t=${Math.ceil(Math.round(next) / 1000)}`);
    if (wait === 0) return;
    const seconds = Math.ceil(wait / 1000);
    const headers = { 'Retry-After': String(seconds) };
    throw new HttpError('rate_limited', `This key has reached its rate limit. Retry in ${seconds} s.`, { headers });
  };
}
