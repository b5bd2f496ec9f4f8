// Encoders of bodies: JSON with bigints, text, bytes and forms. `inBody` writes JSON without bigints.
import { exactJson } from '@petstore/types';
import { type Encoder, inQuery, type RequestDraft, randomText, writeEach } from './build-request.ts';
import type { Body } from './connection.ts';

/** Writes the inputs as the properties of JSON with integers that may be bigints. */
export function inExactJson(type = 'application/json'): Encoder {
  return (draft, inputs) => {
    draft.headers['content-type'] = type;
    draft.body = exactJson(Object.fromEntries(inputs));
    return [];
  };
}

/** Writes the inputs with this encoder. If there are no inputs, the request has no body. */
export function ifAny(encode: Encoder): Encoder {
  return (draft, inputs) => (inputs.length > 0 ? encode(draft, inputs) : []);
}

/** Writes the input `body` as JSON of any shape, with integers that may be bigints. */
export const wholeJson = (type = 'application/json') => wholeAs(type, (body) => exactJson(body));

/** Writes the input `body` as text. */
export const wholeText = (type: string) => wholeAs(type, (body) => String(body));

/** Sends the bytes of the input `body`. */
export const wholeBytes = (type: string) =>
  wholeAs(type, (body, draft) => {
    if (body instanceof ReadableStream) draft.duplex = 'half';
    // A range such as image/* is not a content type, so the content type is that of the file.
    if (type.includes('*')) draft.headers['content-type'] = (body as Blob).type || 'application/octet-stream';
    return body as Body;
  });

/** Writes the input `body` as a form. */
export function wholeForm(encode: Encoder): Encoder {
  return writeEach(['body'], (draft, body) => {
    const properties = Object.entries(body as object).filter(([, value]) => value !== undefined);
    encode(draft, properties);
  });
}

/** Writes the inputs as a form: with these encoders, and the remaining inputs as text, lists by repeating the name, objects as JSON. */
export function inForm(...encoders: Encoder[]): Encoder {
  return (draft, inputs) => {
    const form: RequestDraft = { url: '', headers: {} };
    let remaining = inputs;
    for (const encode of encoders) remaining = encode(form, remaining);
    const isTextList = (value: unknown) => Array.isArray(value) && value.every((item) => Object(item) !== item);
    inQuery(
      form,
      remaining.map(([name, value]) => [name, isTextList(value) ? value : textOf(value)]),
    );
    draft.headers['content-type'] = 'application/x-www-form-urlencoded';
    draft.body = form.url.slice(1).replaceAll('%20', '+');
    return [];
  };
}

/** Returns the parts of a property, each with its header and its content. */
type Parts = (name: string, value: unknown) => [header: string, content: string | Blob][];

/**
 * Writes the inputs as a multipart form: a part for each property or element of a list, objects as JSON, files unchanged. `encodings`
 * has the content types of a property, or the function that returns its parts.
 */
export function inMultipart(encodings: Readonly<Record<string, string | Parts>> = {}): Encoder {
  const byName = new Map(Object.entries(encodings));
  return (draft, inputs) => {
    const boundary = `petstore-${randomText()}`;
    const body: (string | Blob)[] = [];
    for (const [name, value] of inputs) {
      const encoding = byName.get(name);
      const parts = typeof encoding === 'function' ? encoding : partWith('', encoding);
      for (const [header, content] of parts(name, value))
        body.push(`--${boundary}\r\n${header}\r\n\r\n`, content, '\r\n');
    }
    draft.headers['content-type'] = `multipart/form-data; boundary=${boundary}`;
    draft.body = new Blob([...body, `--${boundary}--\r\n`]);
    return [];
  };
}

/** Returns parts with a content type and further headers. A list is a single part if its content type is JSON. */
export const partWith =
  (headers: string, type = ''): Parts =>
  (name, value) =>
    (Array.isArray(value) && !/^application\/(.+\+)?json$/.test(type) ? value : [value]).map((item) => [
      partHeader(name, item, type) + headers,
      item instanceof Blob ? item : textOf(item),
    ]);

/** Returns a part for each pair of name and value that an encoder writes. */
export const styledParts =
  (encode: Encoder): Parts =>
  (name, value) => {
    const pairs: RequestDraft = { url: '', headers: {} };
    encode(pairs, [[name, value]]);
    return [...new URLSearchParams(pairs.url.slice(1))].map(([key, text]) => [partHeader(key, text, ''), text]);
  };

function wholeAs(type: string, write: (body: unknown, draft: RequestDraft) => Body): Encoder {
  return writeEach(['body'], (draft, body) => {
    draft.headers['content-type'] = type;
    draft.body = write(body, draft);
  });
}

/** The headers of a part. `allowed` are the content types of the property in the spec, separated by commas. */
function partHeader(name: string, value: unknown, allowed: string): string {
  const valueType = mediaTypeOf(value);
  const types = allowed.split(/\s*,\s*/);
  // The content type is that of the value, if the value's type is among the allowed types or in an allowed range.
  const isAllowed = types.some(
    (range) => range === valueType || (range.endsWith('*') && valueType.startsWith(range.replace(/\*.*/, ''))),
  );
  const type = (!isAllowed && types.find((range) => range !== '' && !range.includes('*'))) || valueType;
  const isFile = value instanceof Blob;
  const file = isFile ? `; filename="${escaped((value as Partial<File>).name ?? 'blob')}"` : '';
  const contentType = type === 'text/plain' && !isFile ? '' : `\r\ncontent-type: ${type}`;
  return `content-disposition: form-data; name="${escaped(name)}"${file}${contentType}`;
}

function mediaTypeOf(value: unknown): string {
  if (value instanceof Blob) return value.type || 'application/octet-stream';
  return Object(value) === value ? 'application/json' : 'text/plain';
}

/** Escapes a name for multipart/form-data, by the rule of HTML. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function textOf(value: unknown): string {
  return Object(value) === value ? exactJson(value) : String(value);
}
