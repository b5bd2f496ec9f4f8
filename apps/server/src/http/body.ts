import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { parseExactly } from './exact-json.ts';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

const waiting = new WeakSet<IncomingMessage>();

/** Notes that a client sends its body only once it is told to (`Expect: 100-continue`). */
export function waitsForContinue(request: IncomingMessage): void {
  waiting.add(request);
}

/** Reads the body of an operation that takes one: JSON in UTF-8, up to `limit` bytes. Other bodies are left alone. */
export function jsonBody(limit: number): RequestHandler {
  const read = express.raw({ type: () => true, limit, inflate: false });
  return (request, response, next) => {
    const mediaType = exchangeOf(response).operation?.body?.mediaType;
    const given = request.headers['content-type'];
    // The validator keeps what it compiles by this header: one value, or a client could fill the memory with them.
    if (mediaType) request.headers['content-type'] = mediaType;
    else delete request.headers['content-type'];
    if (!mediaType || !hasBody(request)) return next();

    if (!isJson(given, mediaType)) {
      const headers = { Accept: mediaType };
      throw new Failure('unsupported_media_type', `The body has to be ${mediaType} in UTF-8.`, { headers });
    }
    if (waiting.has(request)) response.writeContinue();
    read(request, response, (error) => {
      if (error) return next(error);
      try {
        request.body = parseExactly(request.body);
      } catch (failure) {
        return next(failure);
      }
      next();
    });
  };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function isJson(contentType: string | undefined, mediaType: string): boolean {
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  return type === mediaType && parameters.every((one) => one === '' || /^charset="?utf-8"?$/.test(one));
}
