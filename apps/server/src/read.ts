import type { IncomingMessage } from 'node:http';
import {
  InexactNumberError,
  type Operation,
  operations,
  parseExact,
  parseScalar,
  repeatedKey,
  typeIn,
} from '@petstore/types';
import { HttpError, invalid, unavailable } from './errors.ts';
import type { Exchange, Input } from './request.ts';
import { plain } from './validators.ts';

/** Reads the parameters and the body of a request. Nothing is coerced or dropped. */
export function read(
  exchange: Exchange,
  operation: Operation,
  bodyLimit: number,
): Input | Promise<Input> {
  const parameters = readParameters(exchange, operation);
  const { body } = operation;
  if (!body || (!body.required && !hasBody(exchange.request))) return parameters;
  if (!hasBody(exchange.request)) throw invalid('body: it is missing');
  if (!isJson(exchange.request)) {
    const message = 'The body has to be application/json in UTF-8, and not compressed.';
    throw new HttpError('unsupported_media_type', message, {
      headers: { Accept: 'application/json' },
    });
  }
  return receive(exchange, bodyLimit).then((bytes) => ({ ...parameters, ...parseBody(bytes) }));
}

/** The fields of each operation with their type, or that of their items. */
const fieldsOf = new Map(
  Object.values<Operation>(operations).map((operation) => {
    const fields = Object.entries(operation.fields).map(([name, { in: place, schema }]) => {
      const isList = typeIn(schema) === 'array';
      return { name, place, isList, type: typeIn(isList ? (schema.items ?? {}) : schema) };
    });
    return [operation, fields];
  }),
);

/** Throws for unknown and repeated parameters. */
function readParameters({ target, request: { headers } }: Exchange, operation: Operation): Input {
  const query: Record<string, unknown> = {};
  const path: Record<string, unknown> = {};
  const header: Record<string, unknown> = {};
  const fields = fieldsOf.get(operation) ?? [];
  for (const { name, place, type } of fields) {
    const text = place === 'header' ? headers[name.toLowerCase()] : undefined;
    if (text !== undefined) header[name] = parameterOf('header', name, type, String(text));
    if (place === 'path') path[name] = parameterOf('path', name, type, target.params[name] ?? '');
  }
  for (const [name, text] of target.query) {
    const field = fields.find((each) => each.place === 'query' && each.name === name);
    if (!field) throw invalid(`query '${name}': there is no such parameter`);
    const value = parameterOf('query', name, field.type, text);
    if (field.isList) query[name] = [query[name] ?? [], value].flat();
    else if (Object.hasOwn(query, name))
      throw invalid(`query '${name}': it appears more than once`);
    else query[name] = value;
  }
  return { query, path, header, idempotencyKey: idempotencyKeyOf(operation, headers) };
}

/** The value of a text. An integer of more than 64 bits stays a text, which no validator accepts. */
function parameterOf(place: string, name: string, type = 'string', text: string): unknown {
  const value = type === 'string' ? text : parseScalar(text, type);
  if (value !== undefined || /^-?[1-9]\d*$/.test(text)) return value ?? text;
  // No pet can have an invalid identifier, so the path leads nowhere.
  throw new HttpError(
    place === 'path' ? 'not_found' : 'invalid_request',
    `${place} '${name}': must be ${type}`,
  );
}

function idempotencyKeyOf(
  { idempotencyKey }: Operation,
  headers: IncomingMessage['headers'],
): string | undefined {
  const text = idempotencyKey && headers[idempotencyKey.header.toLowerCase()];
  if (typeof text !== 'string') return undefined;
  if (!new RegExp(idempotencyKey?.schema.pattern ?? '').test(text))
    throw invalid(
      `header '${idempotencyKey?.header}': it is not a valid key: send a UUID, or what the spec allows`,
    );
  // Without the quotes of a structured field (RFC 9651).
  return text.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : text;
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body is JSON in UTF-8, and is not compressed. */
function isJson({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() !== 'identity') return false;
  return /^application\/json *(;(?! *charset)[^;]*|; *charset="?utf-8"? *)*$/i.test(type);
}

/** The memory for all bodies that are being received. */
const MAX_RECEIVING = 2 ** 26;
let receiving = 0;

/** Receives a body of up to `limit` bytes. */
function receive({ request, response }: Exchange, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLarge = () =>
    new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);
  const chunks: Buffer[] = [];
  let [size, isFinished] = [0, false];
  const finish = (error?: HttpError) => {
    isFinished = true;
    receiving -= size;
    if (!error)
      return resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    // The rest is read and forgotten, so that the client gets the response.
    chunks.length = 0;
    reject(error);
  };
  const onData = (chunk: Buffer) => {
    if (isFinished) return;
    size += chunk.length;
    receiving += chunk.length;
    // Small chunks cost more than their bytes.
    if (chunks.push(chunk) % 1024 === 0) chunks.splice(0, chunks.length, Buffer.concat(chunks));
    if (size > limit) finish(tooLarge());
    else if (receiving > MAX_RECEIVING)
      finish(unavailable('Too many bodies are being received. Retry later.'));
  };
  if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge();
  request.on('data', onData).once('end', () => isFinished || finish());
  request.once('close', () => isFinished || finish(invalid('The body is incomplete.')));
  // A client that expects it waits for this before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
  return promise;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Parses a JSON body exactly. Throws for what `JSON.parse` would change silently. */
function parseBody(bytes: Uint8Array): Pick<Input, 'body' | 'plainBody'> {
  try {
    const text = utf8.decode(bytes);
    const body = parseExact(text);
    const plainBody = plain(body);
    const repeated = repeatedKey(text);
    if (repeated === undefined) return { body, plainBody };
    throw invalid(`body '${repeated.toWellFormed()}': it appears more than once`);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    const { message } = error as Error;
    if (error instanceof InexactNumberError)
      throw invalid(`body${message.startsWith("'") ? ' ' : ': '}${message}`);
    if (error instanceof SyntaxError) throw invalid('body: it is not JSON');
    // The stack of the parser is short of memory at deep nesting only.
    throw invalid(
      error instanceof RangeError ? 'body: it is nested too deep' : 'body: it is not UTF-8',
    );
  }
}
