import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import {
  type Field,
  InexactNumberError,
  type Operation,
  operations,
  parseExact,
  parseScalar,
  type RequestBody,
  repeatedKey,
  type Schema,
  typeIn,
} from '@petstore/types';
import { HttpError, invalid, unavailable } from './errors.ts';
import type { Call, Parameters, Target } from './request.ts';

type Values = Record<string, unknown>;
type Done = (error: unknown, call?: Call) => void;

/** Reads the parameters and the body of a request, and calls `done` once. Nothing is coerced or dropped. */
export function read(
  request: IncomingMessage,
  response: ServerResponse,
  operation: Operation,
  target: Target,
  bodyLimit: number,
  done: Done,
): void {
  const finish = (parameters: Parameters, bytes?: Buffer) => {
    let call: Call;
    try {
      call = { operation, parameters, ...(bytes && { body: parseBody(bytes) }) };
    } catch (error) {
      return done(error);
    }
    done(undefined, call);
  };
  let parameters: Parameters;
  try {
    parameters = readParameters(operation, target, request.headers);
    if (operation.body) checkBody(operation.body, request, bodyLimit);
  } catch (error) {
    return done(error);
  }
  if (!operation.body || !hasBody(request)) return finish(parameters);
  receive(request, response, bodyLimit, (error, bytes) => (error ? done(error) : finish(parameters, bytes)));
}

/** Throws for a body that is not read at all. */
function checkBody({ required }: RequestBody, request: IncomingMessage, limit: number): void {
  if (!hasBody(request)) {
    if (required) throw invalid('body: it is missing');
  } else if (!isJson(request)) {
    const message = 'The body has to be application/json in UTF-8, and not compressed.';
    throw new HttpError('unsupported_media_type', message, { headers: { Accept: 'application/json' } });
  } else if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge(limit);
}

/** What an operation reads, by where it is: the types of its parameters, and its idempotency key. */
const inputsOf = new Map(
  Object.values<Operation>(operations).map((operation) => {
    const typesIn = (place: Field['in']) =>
      Object.entries(operation.fields)
        .filter(([, field]) => field.in === place)
        .map(([name, { schema }]) => [name, typeOf(schema)] as const);
    const { header = '', schema } = operation.idempotencyKey ?? {};
    const key = { header, lowerCase: header.toLowerCase(), pattern: new RegExp(schema?.pattern ?? '') };
    const inputs = { query: new Map(typesIn('query')), path: typesIn('path'), header: typesIn('header'), key };
    return [operation, inputs] as const;
  }),
);

/** The type of a parameter, or of its items if it may repeat. */
function typeOf(schema: Schema): { type: string | undefined; isList: boolean } {
  const type = typeIn(schema);
  return type === 'array' ? { type: schema.items && typeIn(schema.items), isList: true } : { type, isList: false };
}

/** Throws for unknown and repeated parameters, and for escapes that are not UTF-8. */
function readParameters(operation: Operation, target: Target, headers: IncomingHttpHeaders): Parameters {
  const inputs = inputsOf.get(operation);
  const values = { query: {} as Values, path: {} as Values, header: {} as Values };
  if (!inputs) return values;
  for (const [name, { type }] of inputs.path) values.path[name] = scalarOf(type, decode(target.params[name] ?? ''));
  for (const pair of target.query.replaceAll('+', ' ').split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const input = inputs.query.get(name);
    if (!input) throw invalid(`query '${name}': there is no such parameter`);
    const value = scalarOf(input.type, at < 0 ? '' : decode(pair.slice(at + 1)));
    if (input.isList) values.query[name] = [...((values.query[name] as unknown[]) ?? []), value];
    else if (Object.hasOwn(values.query, name)) throw invalid(`query '${name}': it appears more than once`);
    else values.query[name] = value;
  }
  for (const [name, { type }] of inputs.header) {
    const text = headers[name.toLowerCase()];
    if (text !== undefined) values.header[name] = scalarOf(type, String(text));
  }
  const { header, lowerCase, pattern } = inputs.key;
  if (header !== '' && headers[lowerCase] !== undefined && !pattern.test(String(headers[lowerCase]))) {
    const problem = 'it is not a valid key: send a UUID, or another text that the spec allows';
    throw invalid(`header '${header}': ${problem}`);
  }
  return values;
}

function scalarOf(type: string | undefined, text: string): unknown {
  return type === undefined || type === 'string' ? text : (parseScalar(text, type) ?? text);
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new HttpError('invalid_request', 'The target of the request has an escape that is not UTF-8.', { cause });
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the body is JSON in UTF-8, and is not compressed. */
function isJson({ headers }: IncomingMessage): boolean {
  const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = headers;
  if (encoding.toLowerCase() !== 'identity') return false;
  return (
    type === 'application/json' || /^application\/json *(;(?! *charset)[^;]*|; *charset="?utf-8"? *)*$/i.test(type)
  );
}

/** The memory for all bodies that are being received. */
const MAX_RECEIVING = 2 ** 26;
let receiving = 0;

const tooLarge = (limit: number) => new HttpError('payload_too_large', `The body has more than ${limit} bytes.`);

/** Receives a body of up to `limit` bytes. */
function receive(
  request: IncomingMessage,
  response: ServerResponse,
  limit: number,
  done: (error: HttpError | undefined, bytes: Buffer) => void,
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    receiving += chunk.length;
    // Small chunks cost more than their bytes.
    if (chunks.push(chunk) % 1024 === 0) chunks.splice(0, chunks.length, Buffer.concat(chunks));
    if (size > limit) finish(tooLarge(limit));
    else if (receiving > MAX_RECEIVING) finish(unavailable('Too many bodies are being received. Retry later.'));
  };
  const onEnd = () => finish();
  const onClose = () => finish(invalid('The body is incomplete.'));
  const finish = (error?: HttpError) => {
    receiving -= size;
    request.off('data', onData).off('end', onEnd).off('close', onClose);
    // The rest is read and forgotten, so that the client gets the response.
    if (error) request.resume();
    done(error, chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
  };
  request.on('data', onData).on('end', onEnd).on('close', onClose);
  // A client that expects it waits for this before it sends the body.
  if (request.headers.expect !== undefined) response.writeContinue();
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_DEPTH = 64;
const tooDeep = () => invalid(`body: it is nested more than ${MAX_DEPTH} deep`);

/** Parses a JSON body exactly. Throws for what `JSON.parse` would change silently, and for deep nesting. */
function parseBody(bytes: Uint8Array): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = parseExact(text);
  } catch (error) {
    if (error instanceof InexactNumberError)
      throw invalid(`body ${error.message.replace(/^(?!')/, ': ')}`.replace(' :', ':'));
    // The stack of the parser is short of memory at deep nesting only.
    if (error instanceof RangeError) throw tooDeep();
    const problem = error instanceof SyntaxError ? 'it is not JSON' : 'it is not UTF-8';
    throw new HttpError('invalid_request', `body: ${problem}`, { cause: error });
  }
  inspect(value, 0);
  const repeated = repeatedKey(text);
  if (repeated !== undefined) throw invalid(`body '${repeated.toWellFormed()}': it appears more than once`);
  return value;
}

/** Throws for deep nesting and for malformed Unicode. */
function inspect(value: unknown, depth: number, name = ''): void {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw invalid(`body${name && ` '${name}'`}: it is not well-formed Unicode`);
  } else if (typeof value === 'object' && value !== null) {
    if (depth >= MAX_DEPTH) throw tooDeep();
    const isArray = Array.isArray(value);
    for (const [key, each] of Object.entries(value)) {
      if (!key.isWellFormed()) throw invalid('body: a name is not well-formed Unicode');
      inspect(each, depth + 1, isArray ? name : key);
    }
  }
}
