// Receives and parses the body of a request, within bounds. Nothing is coerced or dropped.
import type { IncomingMessage } from 'node:http';
import { InexactNumberError, type Operation, parseExact, repeatedKey } from '@petstore/types';
import type { RequestHandler } from 'express';
import { HttpError, invalid, unavailable } from './errors.ts';
import { Budget, type Exchange, exchangeOf } from './exchange.ts';

/** The memory for all bodies that are being received. */
export const MAX_RECEIVING = 2 ** 26;

/** Reads the body of requests whose operation has one. */
export function readBody(limit: number): RequestHandler {
  const budget = new Budget(MAX_RECEIVING);
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    const { routedOperation: operation, parsedInput: input } = exchange;
    if (!expectsBody(exchange, operation)) return next();
    return receiveBody(exchange, limit, budget).then((bytes) => {
      input.body = parseBody(bytes);
      next();
    });
  };
}

/** Whether the body of a request has to be read. Throws if it is missing, or not of a type that can be read. */
function expectsBody({ request }: Exchange, { body }: Operation): boolean {
  if (!body) return false;
  if (!hasBody(request)) {
    if (body.required) throw invalid('body: it is missing');
    return false;
  }
  if (request.readableDidRead)
    throw new HttpError(
      'internal_error',
      'The body was read before: mount the service before body parsers.',
    );
  if (isJson(request)) return true;
  const message = 'The body has to be application/json in UTF-8, and not compressed.';
  throw new HttpError('unsupported_media_type', message, {
    headers: { Accept: 'application/json' },
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body is JSON in UTF-8, and is not compressed. */
function isJson({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (type === 'application/json' && encoding === 'identity') return true;
  if (encoding.toLowerCase() !== 'identity') return false;
  const [media = '', ...parameters] = type.toLowerCase().split(';');
  if (media.trimEnd() !== 'application/json') return false;
  return parameters.every((parameter) => {
    const [name = '', value = ''] = parameter.trim().split('=', 2);
    return name !== 'charset' || value === 'utf-8' || value === '"utf-8"';
  });
}

/** Each chunk costs memory besides its bytes. So when there are this many, they become one. */
const MAX_CHUNKS = 1024;

/** Receives a body of up to `limit` bytes. */
function receiveBody(
  { request, response }: Exchange,
  limit: number,
  budget: Budget,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
  const received = new Promise<Buffer>((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    let isComplete = false;
    const add = (chunk: Buffer) => {
      size += chunk.length;
      budget.use(chunk.length);
      chunks.push(chunk);
      if (chunks.length >= MAX_CHUNKS) chunks = [Buffer.concat(chunks)];
      if (size > limit) refuse(tooLarge(limit));
      else if (budget.isExceeded)
        refuse(unavailable('Too many bodies are being received. Retry later.'));
    };
    const finish = () => {
      isComplete = true;
      budget.release(size);
      resolve(Buffer.concat(chunks));
      // An idle connection keeps its last request, and with it this function.
      chunks = [];
    };
    const close = () => {
      if (!isComplete) refuse(invalid('The body is incomplete.'));
    };
    const refuse = (error: HttpError) => {
      budget.release(size);
      // The rest is read and forgotten, so that the client gets the response.
      request.off('data', add).off('end', finish).off('close', close).resume();
      reject(error);
    };
    request.on('data', add).on('end', finish).on('close', close);
  });
  // A client that expects it waits for this before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  return received;
}

function tooLarge(limit: number): HttpError {
  return new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body exactly. Throws for what `JSON.parse` would change silently. */
function parseBody(bytes: Uint8Array): unknown {
  try {
    const text = utf8.decode(bytes);
    const body = parseExact(text);
    const repeated = repeatedKey(text);
    if (repeated === undefined) return body;
    throw invalid(`body '${repeated.toWellFormed()}': it appears more than once`);
  } catch (error) {
    throw error instanceof HttpError ? error : invalid(reasonOf(error));
  }
}

/** What is wrong with a body, by what its parsers have thrown. */
function reasonOf(error: unknown): string {
  if (error instanceof InexactNumberError)
    return error.message.startsWith("'") ? `body ${error.message}` : `body: ${error.message}`;
  if (error instanceof SyntaxError) return 'body: it is not JSON';
  // The stack of the parser is short of memory at deep nesting only.
  if (error instanceof RangeError) return 'body: it is nested too deep';
  return 'body: it is not UTF-8';
}
