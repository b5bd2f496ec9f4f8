import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { MAX_TINY_CHUNKS, TINY_CHUNK_BYTES, UNCOUNTED_BODY_BYTES } from '../limits.ts';
import type { BodyKind } from '../old.ts';
import { bodySchemaOf, isAccepted, parseBody } from './body-content.ts';
import { HttpError, unavailable } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';

const BROKEN = Symbol('broken body');
const brokenBodies = new WeakMap<IncomingMessage, HttpError>();
const waitingForContinue = new WeakSet<IncomingMessage>();

/** Records that the client waits for `100 Continue` before it sends the body. */
export function awaitContinue(request: IncomingMessage): void {
  waitingForContinue.add(request);
}

/** Records that the rest of a body will never arrive. Receiving it then ends with this error. */
export function breakBody(request: IncomingMessage, error: HttpError): void {
  brokenBodies.set(request, error);
  request.emit(BROKEN, error);
}

export type BodyBudget = ReturnType<typeof bodyBudget>;

/**
 * A bound for the memory of all request bodies that are being received or processed. The first bytes of each body are not counted,
 * so a few large bodies cannot crowd out small bodies.
 */
export function bodyBudget(maxBytes: number) {
  let held = 0;

  /** Counts the received bytes of a body; false if all bodies together would exceed the limit. */
  function hold(context: RequestContext, bytes: number): boolean {
    const added = Math.max(0, bytes - UNCOUNTED_BODY_BYTES) - context.bodyBytes;
    if (added > 0 && held + added > maxBytes) return false;
    held += added;
    context.bodyBytes += added;
    return true;
  }

  /** Counts a complete body and the memory of its JSON values. Throws an HttpError if all bodies together would exceed the limit. */
  function holdValues(context: RequestContext, bytes: number, valueBytes: number): void {
    if (hold(context, bytes + valueBytes)) return;
    if (bytes + valueBytes - UNCOUNTED_BODY_BYTES <= maxBytes) throw tooManyBodies();
    throw new HttpError('payload_too_large', `The body and its values take more than ${maxBytes} bytes of memory.`);
  }

  /** Stops counting a body. */
  function release(context: RequestContext): void {
    held -= context.bodyBytes;
    context.bodyBytes = 0;
  }

  return { hold, holdValues, release };
}

/** Gets a complete body, or the error that ended it. */
type OnBody = (error: HttpError | undefined, bytes: Uint8Array) => void;

const EMPTY = new Uint8Array();

/**
 * Creates a function that receives a body of up to `limit` bytes. It reports an error at once, and discards the rest of the body.
 */
export function bodyReceiver(limit: number, budget: BodyBudget) {
  return (request: IncomingMessage, context: RequestContext, done: OnBody): void => {
    const broken = brokenBodies.get(request);
    if (broken) return done(broken, EMPTY);
    // No event follows: Node has ended a request without a body, or the embedding program has read the body.
    if (request.readableEnded) return done(undefined, EMPTY);
    if (Number(request.headers['content-length'] ?? 0) > limit) return done(tooLarge(limit), EMPTY);
    let body: Uint8Array = EMPTY;
    let size = 0;
    let tinyChunks = 0;
    const onData = (chunk: Uint8Array) => {
      const start = size;
      size += chunk.length;
      if (size > limit) return fail(tooLarge(limit));
      if (chunk.length < TINY_CHUNK_BYTES && ++tinyChunks > MAX_TINY_CHUNKS) {
        return fail(new HttpError('payload_too_large', 'The body arrives in too many small chunks.'));
      }
      if (!budget.hold(context, size)) return fail(tooManyBodies());
      if (start === 0) {
        body = chunk;
      } else {
        body = withCapacity(body, start, size, limit);
        body.set(chunk, start);
      }
    };
    // No event follows 'end', so the listeners need not be removed.
    const onEnd = () => done(undefined, size === body.length ? body : body.subarray(0, size));
    const fail = (error: HttpError) => {
      request.off('data', onData).off('end', onEnd).off(BROKEN, fail);
      // The rest of the body has to be read, so the next request on this connection can be parsed.
      request.resume();
      done(error, EMPTY);
    };
    request.on('data', onData).on('end', onEnd).on(BROKEN, fail);
  };
}

/** Grows a too small buffer to at least 2 * `used` if `limit` allows, so copying is linear. */
function withCapacity(buffer: Uint8Array, used: number, needed: number, limit: number): Uint8Array {
  if (needed <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.min(limit, Math.max(needed, 2 * used)));
  larger.set(buffer.subarray(0, used));
  return larger;
}

/** Middleware that receives and parses the body if the operation declares one. */
export function bodyParser(receive: ReturnType<typeof bodyReceiver>, { holdValues }: BodyBudget): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const { operation } = context;
    if (!operation?.body) return next();

    const { body } = operation;
    const contentType = request.headers['content-type'];
    if (!hasBody(request) && (contentType === undefined || !CAN_BE_EMPTY.has(body.kind))) {
      if (body.required) throw new HttpError('invalid_request', 'body: it is missing');
      return next();
    }
    if (!isAccepted(contentType, body)) {
      const headers = { Accept: body.mediaType };
      throw new HttpError('unsupported_media_type', `The body has to be ${body.mediaType} in UTF-8.`, { headers });
    }
    if (isEncoded(request)) throw new HttpError('unsupported_media_type', 'The body must not be compressed.');
    const parse = (bytes: Uint8Array) => {
      let valueBytes = 0;
      const onMemory = (added: number) => {
        valueBytes += added;
        holdValues(context, bytes.length, valueBytes);
      };
      request.body = parseBody(bytes, body, bodySchemaOf(operation) ?? {}, contentType ?? '', onMemory);
      next();
    };
    if (context.bodyError) throw context.bodyError;
    if (context.body) return parse(context.body);
    receive(request, context, (error, bytes) => {
      if (error) return next(error);
      try {
        parse(bytes);
      } catch (failure) {
        next(failure);
      }
    });
    if (waitingForContinue.has(request) && !response.headersSent) response.writeContinue();
  };
}

/** The kinds of body for which an empty body is a valid value. */
const CAN_BE_EMPTY: ReadonlySet<BodyKind> = new Set(['text', 'bytes', 'form']);

/** Whether a request has a body. A chunked body may be empty. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body is compressed. */
export function isEncoded({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  return encoding !== undefined && encoding.toLowerCase() !== 'identity';
}

function tooManyBodies(): HttpError {
  return unavailable('Too many request bodies are in progress. Retry later.');
}

function tooLarge(limit: number): HttpError {
  return new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);
}
