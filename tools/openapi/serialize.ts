import { type Body, expectedBody, isJson, jsonText, type Part } from './body.ts';
import { type Document, type Operation, operationsOf, type Parameter } from './document.ts';
import { addCredentials, type Credentials } from './security.ts';
import {
  type Encode,
  encodeAll,
  encodeExceptReserved,
  encodeNothing,
  expand,
  expandPairs,
  textOf,
  UnspecifiedError,
} from './styles.ts';

const BOUNDARY = 'boundary-of-a-test-request';
const CRLF = Buffer.from('\r\n');

/** Input values of a call by their OpenAPI location. */
export interface Inputs {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  header?: Record<string, unknown>;
  cookie?: Record<string, unknown>;
  body?: unknown;
  /** The media type of the body, if the operation offers several. */
  contentType?: string;
}

/** The request that OpenAPI defines. */
export interface ExpectedRequest {
  method: string;
  /** The first server with the default of each variable, without a slash at its end. */
  server: string;
  /** Path and query after the server's URL, percent-encoded. */
  target: string;
  /** Headers that the document decides, by lower-case name. */
  headers: Record<string, string>;
  body?: Body;
}

/** A request as fetch takes it; `target` follows the address of a server. */
export interface WireRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The request that the document defines; `operationId` may also be `GET /users`. */
export function expectedRequest(
  document: Document,
  operationId: string,
  inputs: Inputs,
  credentials: Credentials = {},
): ExpectedRequest {
  const operation = operationsOf(document).find(({ id }) => id === operationId);
  if (!operation) throw new Error(`The document has no operation ${operationId}.`);

  const query: string[] = [];
  const cookies: string[] = [];
  const headers: Record<string, string> = {};
  let path = operation.path;
  if (/[?#]/.test(path)) throw new UnspecifiedError('a path with a query or a fragment');
  for (const parameter of operation.parameters) {
    if (isIgnored(parameter)) continue;
    const values = inputs[parameter.in] ?? {};
    // Names such as `constructor` are on every object.
    const value = Object.hasOwn(values, parameter.name) ? values[parameter.name] : undefined;
    if (value === undefined || value === null) {
      if (parameter.required) throw new Error(`${operation.id} needs the ${parameter.in} parameter ${parameter.name}.`);
      continue;
    }
    switch (parameter.in) {
      case 'path':
        path = path.replaceAll(`{${parameter.name}}`, () => inPath(parameter, value));
        break;
      case 'query':
        query.push(...pairsIn(parameter, value, parameter.allowReserved ? encodeExceptReserved : encodeAll));
        break;
      case 'header':
        headers[parameter.name.toLowerCase()] = inHeader(parameter, value);
        break;
      case 'cookie':
        cookies.push(...inCookie(parameter, value));
        break;
    }
  }
  addCredentials(document, operation, credentials, { query, headers, cookies });
  if (cookies.length > 0) headers.cookie = cookies.join('; ');

  const server = serverOf(operation);
  const target = query.length > 0 ? `${path}?${query.join('&')}` : path;
  const request: ExpectedRequest = { method: operation.method, server, target, headers };
  if (inputs.body === undefined) {
    if (operation.body?.required) throw new Error(`${operation.id} needs a body.`);
    return request;
  }
  if (!operation.body) throw new Error(`${operation.id} takes no body.`);
  const { contentType, body } = expectedBody(document, operation.body.content, inputs.contentType, inputs.body);
  return { ...request, headers: { ...headers, 'content-type': contentType }, body };
}

/** The request as it is sent, with its body as text or bytes. */
export function wireRequest({ method, target, headers, body }: ExpectedRequest): WireRequest {
  if (!body) return { method, target, headers };
  if (!('parts' in body)) return { method, target, headers, body: contentOf(body) };
  const type = `${headers['content-type']}; boundary=${BOUNDARY}`;
  const parts = body.parts.map((part) => Buffer.concat([Buffer.from(headOf(part)), bytesOf(part), CRLF]));
  const bytes = Uint8Array.from(Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]));
  return { method, target, headers: { ...headers, 'content-type': type }, body: bytes };
}

/** Header parameters with these names are ignored: https://spec.openapis.org/oas/v3.1.1#fixed-fields-for-use-with-schema */
export function isIgnored({ in: location, name }: Parameter): boolean {
  return location === 'header' && ['accept', 'content-type', 'authorization'].includes(name.toLowerCase());
}

function inPath(parameter: Parameter, value: unknown): string {
  const text = contentText(parameter, value);
  if (text !== undefined) return encodeAll(text);
  const { style = 'simple', explode = false, name } = parameter;
  const expanded = expand(style, explode, name, value, encodeAll);
  if (expanded === '' || expanded === '.' || expanded === '..')
    throw new UnspecifiedError('a path parameter that is empty or a dot segment');
  return expanded;
}

function inHeader(parameter: Parameter, value: unknown): string {
  // A header's value is not part of a URL, so it is not percent-encoded: OpenAPI 3.1.1, appendix D.
  const { style = 'simple', explode = false, name } = parameter;
  return contentText(parameter, value) ?? expand(style, explode, name, value, encodeNothing);
}

function inCookie(parameter: Parameter, value: unknown): string[] {
  const isExploded = parameter.explode ?? true;
  if (!parameter.content && typeof value === 'object' && isExploded)
    throw new UnspecifiedError('an exploded list or object in a cookie');
  return pairsIn(parameter, value, encodeAll);
}

function pairsIn(parameter: Parameter, value: unknown, encode: Encode): string[] {
  const { style = 'form', name } = parameter;
  const text = contentText(parameter, value);
  // `explode` is true by default for `form` only. deepObject ignores it; `content` ignores it and `encode`.
  const explode = parameter.explode ?? style === 'form';
  const pairs =
    text === undefined ? expandPairs(style, explode, name, value, encode) : [[encodeAll(name), encodeAll(text)]];
  return pairs.map((pair) => pair.join('='));
}

/** The text of a parameter that is described by a media type. */
function contentText({ content }: Parameter, value: unknown): string | undefined {
  const mediaType = content && Object.keys(content)[0];
  if (mediaType === undefined) return undefined;
  if (isJson(mediaType)) return jsonText(value);
  if (mediaType.startsWith('text/')) return textOf(value);
  throw new UnspecifiedError(`a parameter as ${mediaType}`);
}

function serverOf({ servers }: Operation): string {
  const { url, variables = {} } = servers[0] ?? { url: '/' };
  return url.replace(/\{([^}]+)\}/g, (_, name: string) => variables[name]?.default ?? '').replace(/\/$/, '');
}

function contentOf(body: Exclude<Body, { parts: unknown }>): string | Uint8Array<ArrayBuffer> {
  if ('json' in body) return jsonText(body.json);
  if ('text' in body) return body.text;
  return 'form' in body ? new URLSearchParams(body.form).toString() : Uint8Array.from(body.bytes);
}

function headOf({ name, filename, contentType, headers = {} }: Part): string {
  const file = filename === undefined ? '' : `; filename="${filename}"`;
  const lines = [`Content-Disposition: form-data; name="${name}"${file}`, `Content-Type: ${contentType}`];
  const more = Object.entries(headers).map(([key, value]) => `${key}: ${value}`);
  return [`--${BOUNDARY}`, ...lines, ...more, '', ''].join('\r\n');
}

function bytesOf(part: Part): Uint8Array {
  return part.bytes ?? Buffer.from('json' in part ? jsonText(part.json) : (part.text ?? ''));
}
