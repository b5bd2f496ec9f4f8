import type { ServerResponse } from 'node:http';
import { stringify } from 'node:querystring';
import { type Operation, type OperationId, operations } from '@petstore/types';
import type { Response } from 'express';
import { MAX_PAGE_BYTES } from '../limits.ts';
import { basePath } from '../spec.ts';
import type { JsonText, Page } from '../store/store.ts';
import type { RequestContext } from './request-context.ts';

/** Names and values of headers, one behind the other, as Node takes them fastest. */
export type Headers = readonly string[];

/** JSON text as it is sent: as a string, so that Node sends it in one piece with the head. */
export interface Content {
  readonly text: string;
  /** `latin1` where each character stands for one byte. */
  readonly encoding: 'utf8' | 'latin1';
  readonly bytes: number;
}

/** A response whose body the store has as JSON. */
export interface StoredResponse {
  readonly json: JsonText;
  /** Changes whenever the body does. */
  readonly version: string | undefined;
  /** For a page of a list. */
  readonly page?: Page;
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
  const head = [...responseHeaders(context), ...headers];
  if (content) {
    head.push('Content-Type', 'application/json; charset=utf-8', 'Content-Length', String(content.bytes));
    response.writeHead(status, head).end(content.text, content.encoding);
  } else {
    if (status !== 204 && status !== 304) head.push('Content-Length', '0');
    response.writeHead(status, head).end();
  }
};

/** The same through Express, whose `json` the validator checks first where it checks responses. */
export const writeCheckedResponse: WriteResponse = (response, _context, status, headers, content) => {
  const checked = response as Response;
  checked.status(status);
  for (let i = 0; i < headers.length; i += 2) checked.append(headers[i] ?? '', headers[i + 1] ?? '');
  if (content) checked.json(JSON.parse(Buffer.from(content.text, content.encoding).toString()));
  else checked.end();
};

/** The headers of every response to a request: its identifier, and the deprecation of its operation. */
export function responseHeaders({ requestId, operation }: RequestContext): Headers {
  const deprecated = operation && deprecations.get(operation);
  const always = ['X-Request-Id', requestId, 'X-Content-Type-Options', 'nosniff'];
  return deprecated ? [...always, ...deprecated] : always;
}

const deprecations = new Map(
  Object.values<Operation>(operations)
    .filter(({ deprecated }) => deprecated)
    .map((operation) => [operation, deprecation(operation)]),
);

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
  { pagination, fields }: Operation,
  input: Readonly<Record<string, unknown>>,
  { more, last }: PageInfo,
): Headers {
  const { by, cursor } = pagination ?? {};
  if (by !== 'link' || cursor === undefined || !more) return [];
  const query: Record<string, string> = {};
  for (const name in input) if (fields[name]?.in === 'query') query[name] = String(input[name]);
  query[cursor] = String(last);
  return ['Link', `<?${stringify(query)}>; rel="next"`];
}

export function jsonContent(value: unknown): Content {
  const text = JSON.stringify(value);
  return { text, encoding: 'utf8', bytes: Buffer.byteLength(text) };
}

/** JSON that a store has as text. */
export function storedContent({ text, encoding }: JsonText): Content {
  return { text, encoding, bytes: encoding === 'latin1' ? text.length : Buffer.byteLength(text) };
}

/** A page of these elements, as far as its bytes go: it ends with the element that reaches the bound. */
export function pageContent(
  elements: readonly unknown[],
  key: string,
): { content: Content; count: number; last: unknown } {
  const texts: string[] = [];
  // The brackets; each element brings its comma or takes the place of the one that is missing.
  let bytes = elements.length === 0 ? 2 : 1;
  for (const element of elements) {
    const text = JSON.stringify(element);
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
