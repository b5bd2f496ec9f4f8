import type { IncomingMessage, ServerResponse } from 'node:http';
import { InexactNumberError, parseExact, repeatedKey } from '@petstore/types';
import { HttpError, invalid, unavailable } from './errors.ts';

const MAX_DEPTH = 64;
/** The memory for all bodies that are being received. */
const MAX_RECEIVING = 2 ** 26;
let receiving = 0;

const waitingForContinue = new WeakSet<IncomingMessage>();
const receivers = new WeakMap<IncomingMessage, (error: HttpError) => void>();
const broken = new WeakMap<IncomingMessage, HttpError>();

/** Records that the rest of a body will never arrive. */
export function breakBody(request: IncomingMessage, error: HttpError): void {
  broken.set(request, error);
  receivers.get(request)?.(error);
}

/** Records that the client waits for `100 Continue` before it sends the body. */
export function awaitContinue(request: IncomingMessage): void {
  waitingForContinue.add(request);
}

export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body is JSON in UTF-8, and is not compressed. */
export function isJson({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() !== 'identity') return false;
  return (
    type === 'application/json' || /^application\/json *(;(?! *charset)[^;]*|; *charset="?utf-8"? *)*$/i.test(type)
  );
}

/** Receives a body of up to `limit` bytes. Calls `done` once, with an error or the bytes. */
export function receive(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  done: (error: HttpError | undefined, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const tooLarge = () => new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > limit) return done(tooLarge(), Buffer.alloc(0));
  const failure = broken.get(request);
  if (failure) return done(failure, Buffer.alloc(0));
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    receiving += chunk.length;
    // Small chunks cost more than their bytes.
    if (chunks.push(chunk) % 1024 === 0) chunks.splice(0, chunks.length, Buffer.concat(chunks));
    if (size > limit) finish(tooLarge());
    else if (receiving > MAX_RECEIVING) finish(unavailable('Too many bodies are being received. Retry later.'));
  };
  const onEnd = () => finish();
  const onClose = () => finish(invalid('The body is incomplete.'));
  const finish = (error?: HttpError) => {
    receiving -= size;
    receivers.delete(request);
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    // The rest is read and forgotten, so that the client gets the response.
    if (error) request.resume();
    done(error, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  };
  receivers.set(request, finish);
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  if (waitingForContinue.has(request)) response.writeContinue();
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body exactly. Throws for what `JSON.parse` would change silently, and for deep nesting. */
export function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch (cause) {
    throw new HttpError('invalid_request', 'body: it is not UTF-8', { cause });
  }
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    if (error instanceof InexactNumberError)
      throw invalid(`body ${error.message.replace(/^(?!')/, ': ')}`.replace(' :', ':'));
    // Without a short stack the reviver fails at deep nesting.
    if (error instanceof RangeError) throw tooDeep();
    throw new HttpError('invalid_request', 'body: it is not JSON', { cause: error });
  }
  inspect(value, 0);
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw invalid(`body '${repeated.toWellFormed()}': it appears more than once`);
  return value;
}

const tooDeep = () => invalid(`body: it is nested more than ${MAX_DEPTH} deep`);

/** Throws for deep nesting and for malformed Unicode. */
function inspect(value: unknown, depth: number, name = ''): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(`body${name && ` '${name}'`}: it is not well-formed Unicode`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw tooDeep();
    if (Array.isArray(value)) {
      for (const item of value) inspect(item, depth + 1, name);
      return;
    }
    for (const key in value) {
      if (!key.isWellFormed()) throw invalid('body: a name is not well-formed Unicode');
      inspect((value as Record<string, unknown>)[key], depth + 1, key);
    }
  }
}
