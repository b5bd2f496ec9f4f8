import type { ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { type Operation, type OperationId, type OperationResponse, operations, propertiesOf } from '@petstore/types';
import type { Response } from 'express';
import { MAX_PAGE_BYTES } from '../limits.ts';
import { basePath } from '../spec.ts';
import { decodeText, encode } from '../store/document.ts';
import type { JsonText, Page } from '../store/store.ts';
import { STATUS_CODES } from './node-http.ts';
import type { RequestContext } from './request-context.ts';
import type { CollectionState } from './targets.ts';
import { WholeResponse } from './whole-response.ts';

/** Names and values of headers, one behind the other, as Node takes them fastest. */
export type Headers = readonly string[];

/** The body of a response. */
export type Content = TextContent | StreamContent;

/** Text as it is sent: as a string, so that Node sends it in one piece with the head. */
export interface TextContent {
  readonly text: string;
  /** `latin1` where each character stands for one byte. */
  readonly encoding: 'utf8' | 'latin1';
  readonly bytes: number;
  /** JSON, unless it is another one. */
  readonly type?: string;
}

/** Bytes as they come. */
export interface StreamContent {
  readonly stream: ReadableStream<Uint8Array>;
  readonly type: string;
}

/** A response whose body the store has as JSON. */
export interface StoredResponse {
  readonly json: JsonText;
  /** Changes whenever the body does. */
  readonly version?: string | undefined;
  /** For a page of a list. */
  readonly page?: Page;
  /** The response is the same for as long as this is. */
  readonly state?: CollectionState;
}

/** The elements of a list response. */
export interface PageInfo {
  /** Whether more elements may follow. */
  more: boolean;
  last: unknown;
}

/** Writes a whole response. */
export type WriteResponse = (
  response: ServerResponse,
  context: RequestContext,
  status: number,
  headers: Headers,
  content?: Content,
) => void;

export const writeResponse: WriteResponse = (response, context, status, headers, content) => {
  if (content && 'text' in content && status < 300 && canBeWhole(response)) {
    response.statusCode = status;
    response.send(wholeText(response.keepAlive, context, status, headers, content), content.encoding);
    return;
  }
  const head = [...responseHeaders(context), ...headers];
  if (content === undefined) {
    if (status !== 204 && status !== 304) head.push('Content-Length', '0');
    response.writeHead(status, head).end();
  } else if ('stream' in content) {
    head.push('Content-Type', content.type);
    writeStream(response.writeHead(status, head), context, content.stream);
  } else {
    head.push('Content-Type', content.type ?? JSON_TYPE, 'Content-Length', String(content.bytes));
    response.writeHead(status, head).end(content.text, content.encoding);
  }
};

const JSON_TYPE = 'application/json; charset=utf-8';

/** Whether the head need not be Node's: nothing has set a header so far, and the request is an ordinary one. */
export function canBeWhole(response: ServerResponse): response is WholeResponse & { keepAlive: string } {
  return (
    response instanceof WholeResponse && response.keepAlive !== undefined && response.getHeaderNames().length === 0
  );
}

/**
 * A success with its head, as Node would write it. Node would check every name and value again: those here are fixed, made
 * by this server, or were checked when the request was accepted.
 */
export function wholeText(
  keepAlive: string,
  { requestId, operation }: RequestContext,
  status: number,
  headers: Headers,
  { type = JSON_TYPE, bytes, text }: TextContent,
): string {
  const begin = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nX-Request-Id: ${requestId}\r\n${fixedLines.get(operation)}`;
  const end = `Content-Type: ${type}\r\nContent-Length: ${bytes}\r\nDate: ${dateText()}\r\n${keepAlive}\r\n`;
  return begin + linesOf(headers) + end + text;
}

let [second, date] = [0, ''];

/** The date as HTTP writes it; it changes once a second. */
export function dateText(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) [second, date] = [now, new Date(1000 * now).toUTCString()];
  return date;
}

/** A stream that fails breaks the response off, so that the client sees that it is not whole. */
function writeStream(response: ServerResponse, { method }: RequestContext, stream: ReadableStream<Uint8Array>): void {
  if (method === 'HEAD') {
    void stream.cancel();
    response.end();
    return;
  }
  pipeline(Readable.fromWeb(stream as WebStream), response, (error) => {
    if (error) response.destroy();
  });
}

/** The same through Express, whose `json` the validator checks first where it checks responses. */
export const writeCheckedResponse: WriteResponse = (response, context, status, headers, content) => {
  const checked = response as Response;
  checked.status(status);
  for (let i = 0; i < headers.length; i += 2) checked.append(headers[i] ?? '', headers[i + 1] ?? '');
  if (content === undefined) checked.end();
  else if ('stream' in content) writeStream(checked.type(content.type), context, content.stream);
  else if (content.type !== undefined && !/[/+]json\b/.test(content.type))
    checked.type(content.type).send(content.text);
  else {
    if (content.type !== undefined) checked.type(content.type);
    checked.json(decodeText(Buffer.from(content.text, content.encoding).toString()));
  }
};

/** The headers of every response to a request: its identifier, and the deprecation of its operation. */
export function responseHeaders({ requestId, operation }: RequestContext): Headers {
  return ['X-Request-Id', requestId, ...(fixedHeaders.get(operation) ?? [])];
}

const NO_SNIFF = ['X-Content-Type-Options', 'nosniff'];

/** The headers that every response to an operation has. */
const fixedHeaders = new Map<Operation | undefined, Headers>([
  [undefined, NO_SNIFF],
  ...Object.values<Operation>(operations).map(
    (operation) => [operation, operation.deprecated ? [...NO_SNIFF, ...deprecation(operation)] : NO_SNIFF] as const,
  ),
]);
const fixedLines = new Map([...fixedHeaders].map(([operation, headers]) => [operation, linesOf(headers)]));

function linesOf(headers: Headers): string {
  let lines = '';
  for (let i = 0; i < headers.length; i += 2) lines += `${headers[i]}: ${headers[i + 1]}\r\n`;
  return lines;
}

function deprecation({ deprecatedSince, sunset, successor }: Operation): string[] {
  return [
    ...(deprecatedSince ? ['Deprecation', `@${Date.parse(deprecatedSince) / 1000}`] : []),
    ...(sunset ? ['Sunset', new Date(sunset).toUTCString()] : []),
    ...(successor
      ? ['Link', `<${basePath}${operations[successor as OperationId].path}>; rel="successor-version"`]
      : []),
  ];
}

/**
 * The header that leads to the next page, where this one is full or ended early for its size: the same request, from the last
 * element on. It is relative to the request, so it also works when a proxy has put the service under a path of its own.
 */
export function nextPage(
  context: RequestContext,
  { pagination, fields }: Operation,
  input: Readonly<Record<string, unknown>>,
  { more, last }: PageInfo,
): Headers {
  const { by, cursor } = pagination ?? {};
  if (by !== 'link' || cursor === undefined || !more) return [];
  const query: Record<string, string> = {};
  let isPlain = true;
  for (const name in input) {
    if (fields[name]?.in !== 'query') continue;
    if (typeof input[name] === 'object') isPlain = false;
    else query[name] = String(input[name]);
  }
  query[cursor] = String(last);
  // Lists and objects stand there as they came.
  const others = isPlain
    ? []
    : context.query.split('&').filter((pair) => !Object.hasOwn(query, nameOf(pair)) && isField(nameOf(pair)));
  return ['Link', `<?${[stringify(query), ...others].join('&')}>; rel="next"`];

  function isField(name: string): boolean {
    return (
      Object.hasOwn(fields, name.split('[', 1)[0] ?? '') ||
      Object.values(fields).some(({ schema }) => Object.hasOwn(propertiesOf(schema), name))
    );
  }
}

const nameOf = (pair: string) => decodeURIComponent(pair.split('=')[0] ?? '').replaceAll('+', ' ');

/** The body that a result is, by what the spec says of the response. */
export function contentOf(described: OperationResponse | undefined, value: unknown): Content | undefined {
  const { kind, mediaType = '' } = described ?? {};
  if (value === undefined || kind === undefined) return undefined;
  if (kind === 'bytes')
    return {
      stream: value as ReadableStream<Uint8Array>,
      type: mediaType.includes('*') ? 'application/octet-stream' : mediaType,
    };
  if (kind === 'text') {
    const text = String(value);
    const type = /charset=/i.test(mediaType)
      ? mediaType
      : `${mediaType.includes('*') ? 'text/plain' : mediaType}; charset=utf-8`;
    return { text, encoding: 'utf8', bytes: Buffer.byteLength(text), type };
  }
  const isUsual = mediaType === 'application/json' || mediaType.includes('*');
  return isUsual ? jsonContent(value) : { ...jsonContent(value), type: mediaType };
}

export function jsonContent(value: unknown): TextContent {
  const text = encode(value);
  return { text, encoding: 'utf8', bytes: Buffer.byteLength(text) };
}

/** JSON that a store has as text. */
export function storedContent({ text, encoding }: JsonText): TextContent {
  return { text, encoding, bytes: encoding === 'latin1' ? text.length : Buffer.byteLength(text) };
}

/** A page of these elements, as far as its bytes go: it ends with the element that reaches the bound. */
export function pageContent(
  elements: readonly unknown[],
  key: string,
): { content: TextContent; count: number; last: unknown } {
  const texts: string[] = [];
  // The brackets; each element brings its comma or takes the place of the one that is missing.
  let bytes = elements.length === 0 ? 2 : 1;
  for (const element of elements) {
    const text = encode(element);
    texts.push(text);
    bytes += Buffer.byteLength(text) + 1;
    if (bytes >= MAX_PAGE_BYTES) break;
  }
  const last = elements[texts.length - 1] as Record<string, unknown> | undefined;
  return {
    content: { text: `[${texts.join(',')}]`, encoding: 'utf8', bytes },
    count: texts.length,
    last: last?.[key],
  };
}
