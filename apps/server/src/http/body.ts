import type { IncomingMessage } from 'node:http';
import express, { type RequestHandler } from 'express';
import { parseExactly } from './exact-json.ts';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';

const waiting = new WeakSet<IncomingMessage>();
const received = new WeakMap<IncomingMessage, Uint8Array>();

/** Notes that a client sends its body only once it is told to (`Expect: 100-continue`). */
export function waitsForContinue(request: IncomingMessage): void {
  waiting.add(request);
}

/** Notes a body that was read before the request came to Express. */
export function wasReceived(request: IncomingMessage, body: Uint8Array): void {
  received.set(request, body);
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
    const parse = () => {
      request.body = parseExactly(received.get(request) ?? request.body);
      next();
    };
    if (received.has(request)) return parse();
    read(request, response, (error) => {
      if (error) return next(error);
      try {
        parse();
      } catch (failure) {
        next(failure);
      }
    });
  };
}

/** Whether there is anything in the body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether a body of that type is one of the operation's media type, in UTF-8. */
export function isJson(contentType: string | undefined, mediaType: string): boolean {
  if (contentType === mediaType) return true;
  const [type, ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  return type === mediaType && parameters.every((one) => one === '' || /^charset="?utf-8"?$/.test(one));
}
