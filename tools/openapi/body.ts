import { type Document, type Encoding, type MediaType, resolve } from './document.ts';
import { encodeAll, encodeExceptReserved, expandPairs, type Pair, textOf, UnspecifiedError } from './styles.ts';

/** A body as it is compared: JSON by value, text and bytes exactly, forms by their fields in order. */
export type Body = { json: unknown } | { text: string } | { bytes: Uint8Array } | { form: Pair[] } | { parts: Part[] };

/** One part of a multipart body. */
export interface Part {
  name: string;
  filename?: string;
  contentType: string;
  headers?: Record<string, string>;
  json?: unknown;
  text?: string;
  bytes?: Uint8Array;
}

/** A file as an input value. */
export interface InputFile {
  bytes: Uint8Array;
  name?: string;
  type?: string;
}

export function isFile(value: unknown): value is InputFile {
  return (value as Partial<InputFile> | null)?.bytes instanceof Uint8Array;
}

/**
 * The body and its Content-Type, without the boundary of a multipart body. The media type is the requested one, else the first JSON
 * type, else the first.
 */
export function expectedBody(
  document: Document,
  content: Record<string, MediaType>,
  requested: string | undefined,
  value: unknown,
): { contentType: string; body: Body } {
  const offered = Object.keys(content);
  const mediaType = requested ?? offered.find(isJson) ?? offered[0] ?? 'none';
  if (!offered.includes(mediaType)) throw new UnspecifiedError(`the media type ${mediaType}`);
  const media = resolve(document, content[mediaType] ?? {});
  const essence = essenceOf(mediaType);
  if (isJson(mediaType)) return { contentType: mediaType, body: { json: value } };
  if (essence === 'application/x-www-form-urlencoded')
    return { contentType: mediaType, body: { form: formOf(media, recordOf(value)) } };
  if (essence === 'multipart/form-data')
    return { contentType: mediaType, body: { parts: partsOf(document, media, recordOf(value)) } };
  if (isFile(value)) {
    const type = essence.includes('*') ? (value.type ?? 'application/octet-stream') : mediaType;
    return { contentType: type, body: { bytes: value.bytes } };
  }
  if (typeof value === 'string')
    return { contentType: essence.includes('*') ? 'text/plain' : mediaType, body: { text: value } };
  throw new UnspecifiedError(`${mediaType} with a ${typeof value}`);
}

export function essenceOf(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

export function isJson(mediaType: string): boolean {
  return /^(application|text)\/json$|\/.+\+json$/.test(essenceOf(mediaType));
}

/** Whether a media type is in a range like `image/*`, or equal to it. */
export function covers(range: string, type: string): boolean {
  const [[group, name = ''], [ownGroup, ownName]] = [range.split('/'), type.split('/')];
  return (group === '*' || group === ownGroup) && (name === '*' || name === ownName);
}

/** The fields of a form, each name and value as text. */
function formOf(media: MediaType, value: Record<string, unknown>): Pair[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const encoding = media.encoding?.[name] ?? {};
    const styled = styledPairs(encoding, name, item);
    if (styled) return styled;
    if (isJson(encoding.contentType ?? '')) return [[name, jsonText(item)]];
    // By default a list is repeated, an object is JSON: https://spec.openapis.org/oas/v3.1.1#encoding-object
    const items: unknown[] = Array.isArray(item) ? item : [item];
    return items.map((each): Pair => [name, isObject(each) ? jsonText(each) : textOf(each)]);
  });
}

/** The fields of a property whose encoding has a style. They are decoded, because the form encodes them itself. */
function styledPairs(encoding: Encoding, name: string, value: unknown): Pair[] | undefined {
  const { style = 'form', explode = style === 'form', allowReserved } = encoding;
  if ((encoding.style ?? encoding.explode ?? allowReserved) === undefined) return undefined;
  const pairs = expandPairs(style, explode, name, value, allowReserved ? encodeExceptReserved : encodeAll);
  return pairs.map(([key, text]) => [decodeURIComponent(key), decodeURIComponent(text)]);
}

function partsOf(document: Document, media: MediaType, value: Record<string, unknown>): Part[] {
  return Object.entries(value).flatMap(([name, item]) => {
    if (item === undefined) return [];
    const encoding = media.encoding?.[name] ?? {};
    // OpenAPI 3.0 ignores a style in multipart; since 3.1, a style overrides the content type.
    const styled = document.root.openapi.startsWith('3.0') ? undefined : styledPairs(encoding, name, item);
    if (styled) return styled.map(([key, text]) => ({ name: key, contentType: 'text/plain', text }));
    const schema = propertyOf(document, media, name);
    // A list is one part for each item, unless its encoding is JSON.
    const items: unknown[] = Array.isArray(item) && !isJson(encoding.contentType ?? '') ? item : [item];
    const hasContentEncoding = (schema?.contentEncoding ?? schema?.items?.contentEncoding) !== undefined;
    const textType = hasContentEncoding ? 'application/octet-stream' : 'text/plain';
    return items.map((each) => partOf(document, name, each, encoding, textType));
  });
}

function partOf(document: Document, name: string, value: unknown, encoding: Encoding, textType: string): Part {
  const allowed = encoding.contentType?.split(',').map((type) => type.trim()) ?? ['*/*'];
  const contentType = (defaultType: string): string => {
    if (allowed.some((range) => covers(range, defaultType))) return defaultType;
    return allowed.find((type) => !type.includes('*')) ?? defaultType;
  };
  const headers = headersOf(document, encoding);
  const part = { name, ...(Object.keys(headers).length > 0 && { headers }) };
  if (isFile(value)) {
    const { name: filename, type = 'application/octet-stream', bytes } = value;
    return { ...part, ...(filename !== undefined && { filename }), contentType: contentType(type), bytes };
  }
  if (isObject(value) || Array.isArray(value) || allowed.some(isJson))
    return { ...part, contentType: contentType('application/json'), json: value };
  return { ...part, contentType: contentType(textType), text: textOf(value) };
}

/** The headers of a part that have a fixed value, because no input can set them. */
function headersOf(document: Document, encoding: Encoding): Record<string, string> {
  const values = Object.entries(encoding.headers ?? {}).map(([name, header]) => {
    const { schema } = resolve(document, header);
    return [name.toLowerCase(), schema?.const ?? schema?.default] as const;
  });
  // The client sets Content-Type and Content-Disposition itself.
  const sent = values.filter(([name, value]) => value !== undefined && !/^content-(type|disposition)$/.test(name));
  return Object.fromEntries(sent.map(([name, value]) => [name, textOf(value)]));
}

function propertyOf(document: Document, media: MediaType, name: string) {
  const schema = media.schema && resolve(document, media.schema);
  const property = schema?.properties?.[name];
  return property && resolve(document, property);
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw new UnspecifiedError('a form whose body is no object');
  return value;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isFile(value);
}

/** JSON with the digits of bigints. */
export function jsonText(value: unknown): string {
  // TypeScript's library does not declare rawJSON yet.
  const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? rawJSON(String(item)) : item));
}
