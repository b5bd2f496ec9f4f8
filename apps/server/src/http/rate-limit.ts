import type { RequestHandler } from 'express';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

/** Lets each key call `perMinute` times a minute: all at once after a rest, evenly after that. */
export function rateLimit(perMinute: number, now = () => performance.now()): RequestHandler {
  const interval = 60_000 / perMinute;
  /** By key, the moment at which its whole allowance is there again. */
  const restored = new Map<string, number>();
  return (_request, response, next) => {
    const name = exchangeOf(response).keyName ?? '';
    const at = now();
    const then = Math.max(at, restored.get(name) ?? 0) + interval;
    const wait = then - at - 60_000;
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000);
      const headers = { 'Retry-After': String(seconds) };
      throw new Failure(
        'rate_limited',
        `This key has used up its ${perMinute} requests a minute; come back in ${seconds} s.`,
        { headers },
      );
    }
    restored.set(name, then);
    next();
  };
}
