import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { type Operation, operations, service } from '../old.ts';

/**
 * The response headers that the spec need not declare: they belong to responses outside its operations, such as a 405, to errors of
 * the server, to one of its options, or to every response.
 */
const undeclaredHeaders = ['Allow', 'RateLimit', 'RateLimit-Policy', 'Retry-After', 'X-Request-Id'];

/** Allows pages of these origins to call the service, and to read the response headers. `*` allows every origin. */
export function crossOrigin(origins: readonly string[]) {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowedHeaders: [
      ...['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'X-Request-Id', 'Traceparent'],
      ...declaredHeaders(),
    ],
    exposedHeaders: [...new Set([...undeclaredHeaders, ...service.responseHeaders])],
    maxAge: 600,
    preflightContinue: true,
  });
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    // A preflight cannot carry an API key, so it gets its response before the key check.
    const preflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    allow(request, response, preflight ? () => void response.writeHead(204).end() : next);
  };
}

/** The request headers that the spec declares: parameters and idempotency keys. */
function declaredHeaders(): string[] {
  const ofOperations = Object.values<Operation>(operations).flatMap(({ fields, idempotencyKey }) => [
    ...Object.keys(fields).filter((name) => fields[name]?.in === 'header'),
    ...(idempotencyKey ? [idempotencyKey.header] : []),
  ]);
  return [...new Set(ofOperations)];
}
