import { isDeepStrictEqual } from 'node:util';
import { type Body, essenceOf, jsonText } from './body.ts';
import type { ExpectedRequest } from './serialize.ts';

/** A received request. `target` is its path and query after the server's URL. */
export interface SentRequest {
  method: string;
  target: string;
  /** By lower-case name. */
  headers: Record<string, string>;
  body?: Uint8Array;
}

/** Headers that a client sends without an input. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['accept', 'user-agent', 'idempotency-key']);

/**
 * Returns one sentence for each difference between a request and the expected one. Spellings that mean the same to every server
 * are equal: unreserved characters and `!'()*|[]$` encoded or not, the order of query parameters with different names,
 * `+` for a space in forms, and the boundary and charset of a Content-Type.
 */
export function differences(expected: ExpectedRequest, sent: SentRequest): string[] {
  const result: string[] = [];
  const compare = (part: string, expectedPart: unknown, sentPart: unknown) => {
    if (!isDeepStrictEqual(expectedPart, sentPart))
      result.push(`${part}: expected ${show(expectedPart)}, sent ${show(sentPart)}`);
  };
  const [path, query] = splitAt('?', expected.target);
  const [sentPath, sentQuery] = splitAt('?', sent.target);
  compare('method', expected.method, sent.method);
  compare('path', normalize(path), normalize(sentPath));
  compare('query', pairsOf(query), pairsOf(sentQuery));
  for (const [name, value] of Object.entries(expected.headers)) {
    const actual = sent.headers[name];
    if (name === 'content-type') compare(name, essenceOf(value), actual && essenceOf(actual));
    else if (name === 'cookie') compare(name, value.split('; ').sort(), actual?.split('; ').sort());
    else compare(`header ${name}`, value, actual);
  }
  const others = Object.keys(sent.headers).filter((name) => !(name in expected.headers) && !OWN_HEADERS.has(name));
  for (const name of others) compare(`header ${name}`, undefined, sent.headers[name]);
  const { body = new Uint8Array(), headers } = sent;
  if (expected.body) compare('body', ...comparableBodies(expected.body, body, headers['content-type'] ?? ''));
  else compare('body', '', text(body));
  return result;
}

/** Parses JSON. Integers that a double cannot hold become bigints. */
export function parseJson(json: string): unknown {
  const reviver = (_: string, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source ?? '')
      ? BigInt(source ?? '')
      : value;
  return JSON.parse(json, reviver as (key: string, value: unknown) => unknown);
}

/** Parses JSON. Returns an object with the text if it is not JSON. */
export function readJson(json: string): unknown {
  try {
    return parseJson(json);
  } catch {
    return { notJson: json };
  }
}

/** Reads a multipart body into its parts: RFC 2046, RFC 7578. */
export function parseMultipart(body: Uint8Array, contentType: string) {
  const boundary = /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType)?.slice(1).find(Boolean);
  if (boundary === undefined) return [];
  // Latin-1 maps every byte to one character.
  const sections = `\r\n${Buffer.from(body).toString('latin1')}`.split(`\r\n--${boundary}`);
  if (!sections.at(-1)?.startsWith('--')) return [];
  return sections.slice(1, -1).map((section) => {
    const end = section.indexOf('\r\n\r\n');
    const lines = Buffer.from(section.slice(0, end), 'latin1').toString().trim().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => splitAt(':', line)).map(([name, value]) => [name.toLowerCase(), value.trim()]),
    );
    const { 'content-disposition': disposition = '', 'content-type': type = 'text/plain', ...rest } = headers;
    const parameter = (key: string) => new RegExp(`; *${key}="((?:[^"\\\\]|\\\\.)*)"`).exec(disposition)?.[1];
    const filename = parameter('filename');
    return {
      name: parameter('name') ?? '',
      ...(filename !== undefined && { filename }),
      contentType: essenceOf(type),
      headers: rest,
      bytes: Uint8Array.from(Buffer.from(section.slice(end + 4), 'latin1')),
    };
  });
}

/** Both bodies as values that are equal if the bodies are. The sent body is read as the kind that is expected. */
function comparableBodies(expected: Body, sent: Uint8Array, contentType: string): [expected: unknown, sent: unknown] {
  if ('json' in expected) return [plainJson(expected.json), readJson(text(sent))];
  if ('form' in expected) return [expected.form, [...new URLSearchParams(text(sent))]];
  if ('text' in expected) return [expected.text, text(sent)];
  if ('bytes' in expected) return [hex(expected.bytes), hex(sent)];
  const sentParts = parseMultipart(sent, contentType).map(({ bytes, ...part }, index) => {
    const expectedPart = expected.parts[index];
    if (expectedPart?.json !== undefined) return { ...part, content: readJson(text(bytes)) };
    return { ...part, content: expectedPart?.text === undefined ? hex(bytes) : text(bytes) };
  });
  const expectedParts = expected.parts.map(({ json, text, bytes = new Uint8Array(), headers = {}, ...part }) => ({
    ...part,
    contentType: essenceOf(part.contentType),
    headers,
    content: json === undefined ? (text ?? hex(bytes)) : plainJson(json),
  }));
  return [expectedParts, sentParts];
}

/** The value after it is written as JSON and read again: without undefined properties, large integers as bigints. */
export function plainJson(value: unknown): unknown {
  return value === undefined ? undefined : parseJson(jsonText(value));
}

/** The text before and after the first separator. */
function splitAt(separator: string, text: string): [before: string, after: string] {
  const [before = '', ...after] = text.split(separator);
  return [before, after.join(separator)];
}

/** The pairs of a query, sorted by name. Pairs with the same name keep their order. */
function pairsOf(query: string): [name: string, value: string][] {
  const pairs = query.split('&').filter((pair) => pair !== '');
  return pairs.map((pair) => splitAt('=', normalize(pair))).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
}

function normalize(encoded: string): string {
  return encoded
    .replace(/%[\da-f]{2}/gi, (triplet) => triplet.toUpperCase())
    .replace(/%(?:2D|2E|5F|7E|3[0-9]|[46][1-9A-F]|[57][0-9A])/g, decodeURIComponent)
    .replace(/[!'()*|[\]$]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString();
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** The JSON of a value for a message. A bigint becomes a string such as `"1n"`. */
export function show(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item)) ?? 'nothing';
}
