// Bodies that are more than a JSON object whose properties are inputs.
import { addQuery, type Encoder, type Inputs, inBody, inQuery, type RequestDraft, some } from './build-request.ts';
import type { Body } from './connection.ts';

/** The properties as JSON of another media type. */
export function inJson(type: string): Encoder {
  return (draft, inputs) => {
    inBody(draft, inputs);
    draft.headers['content-type'] = type;
    return [];
  };
}

/** The properties as JSON in which integers may be bigints. */
export function inExactJson(type = 'application/json'): Encoder {
  return (draft, inputs) => {
    draft.headers['content-type'] = type;
    draft.body = exactJson(Object.fromEntries(inputs));
    return [];
  };
}

/** Sends a body only where there is an input for it. */
export function ifAny(put: Encoder): Encoder {
  return (draft, inputs) => (inputs.length > 0 ? put(draft, inputs) : []);
}

/** The input `body` as JSON of any shape. */
export const wholeJson = (type = 'application/json') => wholeAs(type, (body) => JSON.stringify(body));

/** The input `body` as JSON of any shape in which integers may be bigints. */
export const wholeExactJson = (type = 'application/json') => wholeAs(type, exactJson);

/** The input `body` as text. */
export const wholeText = (type: string) => wholeAs(type, (body) => String(body));

/** The input `body` as the bytes that it is. */
export const wholeBytes = (type: string) =>
  wholeAs(type, (body, draft) => {
    if (body instanceof ReadableStream) draft.duplex = 'half';
    // One type of a range is the file's own to say.
    if (type.includes('*')) draft.headers['content-type'] = (body as Blob).type || 'application/octet-stream';
    return body as Body;
  });

/** The input `body` as a form. */
export function wholeForm(put: Encoder): Encoder {
  return some(['body'], (draft, inputs) => {
    for (const [, body] of inputs) put(draft, given(body as object));
    return [];
  });
}

/** Written as in an address: lists by repeating the name, objects as JSON, unless an encoder before says otherwise. */
export function inForm(...styled: Encoder[]): Encoder {
  return (draft, inputs) => {
    const form: RequestDraft = { url: '', headers: {} };
    let left = inputs;
    for (const put of styled) left = put(form, left);
    for (const [name, value] of left) {
      if (Array.isArray(value) && value.every((one) => Object(one) !== one)) inQuery(form, [[name, value]]);
      else addQuery(form, `${encodeURIComponent(name)}=${encodeURIComponent(asText(value))}`);
    }
    draft.headers['content-type'] = 'application/x-www-form-urlencoded';
    draft.body = form.url.slice(1).replaceAll('%20', '+');
    return [];
  };
}

/** The parts that the value of a property makes: headers and content. */
type Parts = (name: string, value: unknown) => [head: string, content: string | Blob][];

/** A part for each property, for each element of a list; objects as JSON, files as they are. */
export function inMultipart(encodings: Readonly<Record<string, string | Parts>> = {}): Encoder {
  const byName = new Map(Object.entries(encodings));
  return (draft, inputs) => {
    const boundary = `petstore-${crypto.randomUUID()}`;
    const body: (string | Blob)[] = [];
    for (const [name, value] of inputs) {
      const encoding = byName.get(name);
      const parts = typeof encoding === 'function' ? encoding : partWith('', encoding);
      for (const [head, content] of parts(name, value)) body.push(`--${boundary}\r\n${head}\r\n\r\n`, content, '\r\n');
    }
    draft.headers['content-type'] = `multipart/form-data; boundary=${boundary}`;
    draft.body = new Blob([...body, `--${boundary}--\r\n`]);
    return [];
  };
}

/** Parts of a content type, with more headers. A list is one part only where it is JSON. */
export const partWith =
  (headers: string, type = ''): Parts =>
  (name, value) =>
    (Array.isArray(value) && !/^application\/(.+\+)?json$/.test(type) ? value : [value]).map((one) => [
      headOf(name, one, type) + headers,
      one instanceof Blob ? one : asText(one),
    ]);

/** Parts as the pairs that a style makes. */
export const styledParts =
  (put: Encoder): Parts =>
  (name, value) => {
    const pairs: RequestDraft = { url: '', headers: {} };
    put(pairs, [[name, value]]);
    return [...new URLSearchParams(pairs.url.slice(1))].map(([key, text]) => [headOf(key, text, ''), text]);
  };

function headOf(name: string, value: unknown, type: string): string {
  const isFile = value instanceof Blob;
  const own = isFile
    ? value.type || 'application/octet-stream'
    : Object(value) === value
      ? 'application/json'
      : 'text/plain';
  // One of several types that are allowed, or of a range, is the value's own to say.
  const listed = type.split(/\s*,\s*/);
  const isAllowed = listed.some((one) => one === own || (one.endsWith('*') && own.startsWith(one.replace(/\*.*/, ''))));
  const written = (!isAllowed && listed.find((one) => one !== '' && !one.includes('*'))) || own;
  const file = isFile ? `; filename="${escaped((value as Partial<File>).name ?? 'blob')}"` : '';
  const typed = written === 'text/plain' && !isFile ? '' : `\r\ncontent-type: ${written}`;
  return `content-disposition: form-data; name="${escaped(name)}"${file}${typed}`;
}

/** As HTML says for names in multipart/form-data. */
function escaped(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function asText(value: unknown): string {
  return Object(value) === value ? exactJson(value) : String(value);
}

/** JSON with the digits of bigints. `rawJSON` is in every runtime from 2025 on; before, a bigint is refused by JSON itself. */
export function exactJson(value: unknown): string {
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  return JSON.stringify(value, (_, one) => (typeof one === 'bigint' && rawJSON ? rawJSON(String(one)) : one));
}

function given(body: object): Inputs {
  return Object.entries(body).filter(([, value]) => value !== undefined);
}

function wholeAs(type: string, write: (body: unknown, draft: RequestDraft) => Body): Encoder {
  return some(['body'], (draft, inputs) => {
    for (const [, body] of inputs) {
      draft.headers['content-type'] = type;
      draft.body = write(body, draft);
    }
    return [];
  });
}
