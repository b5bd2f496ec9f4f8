import type { IncomingMessage } from 'node:http';
import type { BodyKind } from '@petstore/types';
import type { RequestHandler } from 'express';
import { MAX_TINY_CHUNKS, TINY_CHUNK_BYTES, UNCOUNTED_BODY_BYTES } from '../limits.ts';
import { bodySchemaOf, isAccepted, readBody } from './body-content.ts';
import { HttpError, unavailable } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

const BROKEN = Symbol('broken body');
const brokenBodies = new WeakMap<IncomingMessage, HttpError>();
const waitingForContinue = new WeakSet<IncomingMessage>();

/** Notes that a client sends its body only once it is told to (`Expect: 100-continue`). */
export function awaitContinue(request: IncomingMessage): void {
  waitingForContinue.add(request);
}

/** Notes that the rest of a body will never come, for this reason; whoever reads it, now or later, gets the error. */
export function breakBody(request: IncomingMessage, error: HttpError): void {
  brokenBodies.set(request, error);
  request.emit(BROKEN, error);
}

/** The memory of all request bodies that are being received or worked on. */
export interface BodyBudget {
  /** Counts a body of so many bytes so far; false where all bodies together would be too large. */
  hold(context: RequestContext, bytes: number): boolean;
  release(context: RequestContext): void;
}

/** The first bytes of each body are not counted, so that a few large ones never keep out the small ones. */
export function bodyBudget(maxBytes: number): BodyBudget {
  let held = 0;
  return {
    hold: (context, bytes) => {
      const more = Math.max(0, bytes - UNCOUNTED_BODY_BYTES) - context.bodyBytes;
      if (more > 0 && held + more > maxBytes) return false;
      held += more;
      context.bodyBytes += more;
      return true;
    },
    release: (context) => {
      held -= context.bodyBytes;
      context.bodyBytes = 0;
    },
  };
}

export type ReceiveBody = (
  request: IncomingMessage,
  context: RequestContext,
  done: (error: HttpError | undefined, bytes: Uint8Array) => void,
) => void;

const EMPTY = new Uint8Array();

/** Receives bodies of up to `limit` bytes. The error comes as soon as it is known, and the rest of the body is discarded. */
export function bodyReceiver(limit: number, budget: BodyBudget): ReceiveBody {
  return (request, context, done) => {
    const broken = brokenBodies.get(request);
    if (broken) return done(broken, EMPTY);
    if (Number(request.headers['content-length'] ?? 0) > limit) return done(tooLarge(limit), EMPTY);
    let body: Uint8Array = EMPTY;
    let size = 0;
    let tinyChunks = 0;
    const onData = (chunk: Uint8Array) => {
      const start = size;
      size += chunk.length;
      if (size > limit) return end(tooLarge(limit));
      if (chunk.length < TINY_CHUNK_BYTES && ++tinyChunks > MAX_TINY_CHUNKS) {
        return end(new HttpError('payload_too_large', 'The body comes in too many small pieces.'));
      }
      if (!budget.hold(context, size)) return end(unavailable('Too many request bodies are in progress. Retry later.'));
      if (start === 0) {
        body = chunk;
      } else {
        body = withCapacity(body, start, size, limit);
        body.set(chunk, start);
      }
    };
    // Nothing follows it, so the listeners can stay.
    const onEnd = () => done(undefined, size === body.length ? body : body.subarray(0, size));
    const end = (error: HttpError) => {
      request.off('data', onData).off('end', onEnd).off(BROKEN, end);
      // Without a reader the rest would fill the buffers and stop there.
      request.resume();
      done(error, EMPTY);
    };
    request.on('data', onData).on('end', onEnd).on(BROKEN, end);
  };
}

/** A buffer that has room for so many bytes, with the first ones of this one: pieces of a byte cost no more than their bytes. */
function withCapacity(buffer: Uint8Array, used: number, needed: number, limit: number): Uint8Array {
  if (used < buffer.length && needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, 2 * used)));
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** Reads the body of an operation that takes one. Other bodies are left alone. */
export function bodyReader(receive: ReceiveBody): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const { operation } = context;
    const { headers } = request;
    const contentType = headers['content-type'];
    // The validator caches what it compiles by this header: with more values than one, clients could fill the memory.
    if (operation?.body) headers['content-type'] = operation.body.mediaType;
    else delete headers['content-type'];
    if (!operation?.body) return next();

    const { body } = operation;
    if (!hasBody(request) && (contentType === undefined || !CAN_BE_EMPTY.has(body.kind))) {
      if (body.required) throw new HttpError('invalid_request', 'body: it is missing');
      return next();
    }
    if (!isAccepted(contentType, body)) {
      const accepted = { Accept: body.mediaType };
      throw new HttpError('unsupported_media_type', `The body has to be ${body.mediaType} in UTF-8.`, {
        headers: accepted,
      });
    }
    if (isEncoded(request)) throw new HttpError('unsupported_media_type', 'The body must not be compressed.');
    const read = (bytes: Uint8Array) => {
      request.body = readBody(bytes, body, bodySchemaOf(operation) ?? {}, contentType ?? '');
      next();
    };
    if (context.bodyError) throw context.bodyError;
    if (context.body) return read(context.body);
    receive(request, context, (error, bytes) => {
      if (error) return next(error);
      try {
        read(bytes);
      } catch (violation) {
        next(violation);
      }
    });
    if (waitingForContinue.has(request) && !response.headersSent) response.writeContinue();
  };
}

/** The kinds of which nothing at all is a value: text, bytes and a form without fields. */
const CAN_BE_EMPTY: ReadonlySet<BodyKind> = new Set(['text', 'bytes', 'form']);

/** Whether there is anything in the body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the client says that the body is compressed. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

function tooLarge(limit: number): HttpError {
  return new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);
}
