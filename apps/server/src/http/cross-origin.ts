import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';

export type CrossOrigin = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Lets pages of these origins call the service, and read the headers that it describes. `*` lets all. */
export function crossOrigin(origins: readonly string[]): CrossOrigin {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
    exposedHeaders: ['Link', 'X-Request-Id', 'Retry-After', 'Deprecation', 'Sunset', 'Allow', 'ETag'],
    maxAge: 600,
    preflightContinue: true,
  });
  return (request, response, next) => {
    // A preflight comes without a key and is answered before one is asked for; any other OPTIONS goes the usual way.
    const preflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    allow(request, response, preflight ? () => void response.writeHead(204).end() : next);
  };
}
