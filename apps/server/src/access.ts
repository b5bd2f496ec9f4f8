// Who may call: origins of web pages, API keys, and how often.
import cors from 'cors';
import type { Request, RequestHandler } from 'express';
import { HttpError } from './errors.ts';
import { exchangeOf } from './exchange.ts';
import type { KeyCheck } from './keys.ts';
import { send } from './send.ts';

/** Lets the pages of these origins call; `*` stands for all. */
export function allowOrigins(origins: readonly string[]): RequestHandler {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    exposedHeaders,
    maxAge: 3600,
    preflightContinue: true,
  });
  return (request, response, next) => {
    allow(request, response, (error?: unknown) => {
      if (error || !isPreflight(request)) return next(error);
      send(exchangeOf(response), { status: 204 });
    });
  };
}

/** Whether a browser asks before it sends a request, without a key. Any other OPTIONS needs one. */
function isPreflight({ method, headers }: Request): boolean {
  if (method !== 'OPTIONS') return false;
  return headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

const exposedHeaders = [
  'Allow',
  'Deprecation',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Sunset',
  'WWW-Authenticate',
  'X-Request-Id',
];

/** Lets requests pass that have a valid API key. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const caller = nameOf(bearerKey(request.headers.authorization));
    if (caller === undefined)
      throw new HttpError('unauthorized', 'The API key is missing or invalid.', {
        headers: { 'WWW-Authenticate': 'Bearer' },
      });
    exchangeOf(response).caller = caller;
    next();
  };
}

/** The key in `Bearer <key>`, whose scheme is case-insensitive (RFC 9110 11.1). Empty, which no key is, without one. */
function bearerKey(authorization = ''): string {
  const [scheme = '', key = '', ...more] = authorization.split(' ').filter((part) => part !== '');
  return scheme.toLowerCase() === 'bearer' && more.length === 0 ? key : '';
}

/** Lets this many requests of an API key pass in a minute. */
export function limitRate(perMinute: number): RequestHandler {
  let limiter: RequestHandler | undefined;
  return async (request, response, next) => {
    // Most servers have no limit, and start sooner without the library.
    const { rateLimit } = await import('express-rate-limit');
    limiter ??= rateLimit({
      limit: perMinute,
      windowMs: 60_000,
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      validate: false,
      keyGenerator: (_request, response) => exchangeOf(response).caller ?? '',
      handler: (_request, _response, next) => {
        const message = 'This key has reached its rate limit. Wait as long as Retry-After says.';
        next(new HttpError('rate_limited', message));
      },
    });
    await limiter(request, response, next);
  };
}
