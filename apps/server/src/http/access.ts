import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys.ts';
import { HttpError } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

/** The name of the known key that a request carries as its bearer token. */
export function callerOf({ headers }: IncomingMessage, nameOf: KeyCheck): string | undefined {
  return nameOf(/^Bearer +([!-~]+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '');
}

/** Refuses a request without a known key where one is needed, before anything else of it is looked at. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const name = callerOf(request, nameOf);
    const context = contextOf(response);
    if (!name && !isPublic(context)) throw unauthorized();
    context.keyName = name;
    next();
  };
}

/** Whether the spec says that the operation needs no credential. */
function isPublic({ operation }: RequestContext): boolean {
  return (
    operation !== undefined && (operation.security.length === 0 || operation.security.some((all) => all.length === 0))
  );
}

export function unauthorized(): HttpError {
  const headers = { 'WWW-Authenticate': 'Bearer' };
  return new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
}

/**
 * Takes one request out of the rate limit of its key, once, whoever asks first, and says so in the headers of the response.
 * Answers how many milliseconds are missing where nothing is left.
 */
export type ApplyRateLimit = (response: ServerResponse, context: RequestContext) => number;

const WINDOW_MS = 60_000;

/** Lets each key call `perMinute` times a minute: all at once after a rest, evenly after that. */
export function rateLimiter(perMinute: number, now = () => performance.now()): ApplyRateLimit {
  const intervalMs = WINDOW_MS / perMinute;
  const policy = `"per-key";q=${perMinute};w=${WINDOW_MS / 1000}`;
  /** By key, the moment at which its whole quota is there again. */
  const restored = new Map<string, number>();
  return (response, context) => {
    if (context.retryAfterMs !== undefined) return context.retryAfterMs;
    const name = context.keyName ?? '';
    const at = now();
    const before = Math.max(at, restored.get(name) ?? 0);
    const missing = before + intervalMs - at - WINDOW_MS;
    const after = missing > 0 ? before : before + intervalMs;
    restored.set(name, after);
    // Sums of fractions of a millisecond are off by a little, which must not count as a whole request or second.
    const remaining = Math.max(0, Math.floor((WINDOW_MS - (after - at)) / intervalMs + 1e-3));
    response.setHeader('RateLimit-Policy', policy);
    response.setHeader('RateLimit', `"per-key";r=${remaining};t=${Math.ceil(Math.round(after - at) / 1000)}`);
    context.retryAfterMs = Math.max(0, missing);
    return context.retryAfterMs;
  };
}

/** Refuses requests beyond the rate limit of their key. */
export function rateLimit(apply: ApplyRateLimit): RequestHandler {
  return (_request, response, next) => {
    const waitMs = apply(response, contextOf(response));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new HttpError(
        'rate_limited',
        `This key has used up its requests of this minute; come back in ${seconds} s.`,
        { headers: { 'Retry-After': String(seconds) } },
      );
    }
    next();
  };
}

export type CrossOrigin = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Lets pages of these origins call the service, and read the headers that it describes. `*` lets all. */
export function crossOrigin(origins: readonly string[]): CrossOrigin {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id', 'Traceparent'],
    exposedHeaders: [
      ...['Link', 'X-Request-Id', 'Retry-After', 'Deprecation', 'Sunset', 'Allow', 'ETag'],
      ...['RateLimit', 'RateLimit-Policy'],
    ],
    maxAge: 600,
    preflightContinue: true,
  });
  return (request, response, next) => {
    // A preflight comes without a key and is answered before one is asked for; any other OPTIONS is handled as usual.
    const preflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    allow(request, response, preflight ? () => void response.writeHead(204).end() : next);
  };
}
