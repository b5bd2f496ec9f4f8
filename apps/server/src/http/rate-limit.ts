import type { RequestHandler } from 'express';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/** What each key may still do. */
export interface Allowance {
  readonly perMinute: number;
  /** Takes one request out of a key's allowance. Where it is used up, takes none and says how many milliseconds are missing. */
  take(keyName: string): number;
}

/** Lets each key call `perMinute` times a minute: all at once after a rest, evenly after that. */
export function allowance(perMinute: number, now = () => performance.now()): Allowance {
  const interval = 60_000 / perMinute;
  /** By key, the moment at which its whole allowance is there again. */
  const restored = new Map<string, number>();
  return {
    perMinute,
    take: (name) => {
      const at = now();
      const then = Math.max(at, restored.get(name) ?? 0) + interval;
      const wait = then - at - 60_000;
      if (wait > 0) return wait;
      restored.set(name, then);
      return 0;
    },
  };
}

/** Refuses what is more than a key may do. */
export function rateLimit(allowance: Allowance): RequestHandler {
  return (_request, response, next) => {
    const wait = allowance.take(exchangeOf(response).keyName ?? '');
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000);
      const headers = { 'Retry-After': String(seconds) };
      throw new Failure(
        'rate_limited',
        `This key has used up its ${allowance.perMinute} requests a minute; come back in ${seconds} s.`,
        { headers },
      );
    }
    next();
  };
}
