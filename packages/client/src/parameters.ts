// Encoders of rarer parameters: cookies, JSON, and lists and objects in the styles of OpenAPI.
import { exactJson } from '@petstore/types';
import { addCookie, addQuery, type Encoder, fillPath, type RequestDraft, writeEach } from './build-request.ts';

/** Writes a list as `3,4,5`, an object as `R,100,G,200` or exploded as `R=100,G=200`. */
export const simplePath = (name: string, explode: boolean) =>
  ifNotEmpty(name, (draft, value) => fillPath(draft, name, joined(value, explode, ',')));

/** Writes a list as `.3.4.5` exploded, as `.3,4,5` otherwise. */
export const labelPath = (name: string, explode: boolean) =>
  ifNotEmpty(name, (draft, value) => fillPath(draft, name, `.${joined(value, explode, explode ? '.' : ',')}`));

/** Writes a list as `;id=3;id=4` exploded, as `;id=3,4` otherwise, and an empty text as `;id`. */
export const matrixPath = (name: string, explode: boolean) =>
  ifNotEmpty(name, (draft, value) => {
    const pairs = pairsOf(name, value, explode, encoded);
    fillPath(draft, name, pairs.map((pair) => `;${pair.replace(/=$/, '')}`).join(''));
  });

/** Writes a header as `3,4,5`, without escaping. Throws if an element contains a comma. */
export const simpleHeader = (name: string, explode: boolean) =>
  ifNotEmpty(name, (draft, value) => {
    rejectDelimiter(name, value, ',');
    draft.headers[name.toLowerCase()] = joined(value, explode, ',', plain);
  });

/** Writes `id=3&id=4` and `R=100&G=200` exploded, `id=3,4` and `color=R,100,G,200` otherwise. */
export const formQuery = (name: string, explode: boolean, reserved?: boolean) =>
  ifNotEmpty(name, (draft, value) => {
    const pairs = pairsOf(name, value, explode, reserved ? encodedExceptReserved : encoded);
    addQuery(draft, `&${pairs.join('&')}`);
  });

/** Writes a list as `id=3%204%205` or `id=3%7C4%7C5`. Throws if an element contains the delimiter. */
export const delimitedQuery = (name: string, delimiter: ' ' | '|', reserved?: boolean) =>
  ifNotEmpty(name, (draft, value) => {
    rejectDelimiter(name, value, delimiter);
    const text = joined(value, false, encodeURIComponent(delimiter), reserved ? encodedExceptReserved : encoded);
    addQuery(draft, `&${encodeURIComponent(name)}=${text}`);
  });

/** Writes an object as `color[R]=100&color[G]=200`. */
export const deepQuery = (name: string, reserved?: boolean) =>
  ifNotEmpty(name, (draft, value) => {
    const write = reserved ? encodedExceptReserved : encoded;
    const key = encodeURIComponent(name);
    if (typeof value !== 'object') return addQuery(draft, `&${key}=${write(value)}`);
    const pairs = Object.entries(value).map(
      ([part, item]) => `&${key}%5B${encodeURIComponent(part)}%5D=${write(item)}`,
    );
    addQuery(draft, pairs.join(''));
  });

/** Writes the inputs with these names, each a single value, as cookies. */
export const inCookies = (...names: string[]) =>
  writeEach(names, (draft, value, name) => {
    if (value !== null) addCookie(draft, name, encoded(value));
  });

/** Writes a cookie as `id=3,4,5`. */
export const formCookie = (name: string) =>
  ifNotEmpty(name, (draft, value) => addCookie(draft, name, joined(value, false, ',')));

/** Writes JSON as a segment of the path. */
export const jsonPath = (name: string) =>
  writeEach([name], (draft, value) => fillPath(draft, name, encodeURIComponent(exactJson(value))));

/** Writes JSON as a query parameter. */
export const jsonQuery = (name: string) =>
  writeEach([name], (draft, value) =>
    addQuery(draft, `&${encodeURIComponent(name)}=${encodeURIComponent(exactJson(value))}`),
  );

/** Writes JSON as a header. Other characters than ASCII are escaped, because a header cannot contain them. */
export const jsonHeader = (name: string) =>
  writeEach([name], (draft, value) => {
    draft.headers[name.toLowerCase()] = exactJson(value).replace(
      /[^\x20-\x7e]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  });

/** Writes JSON as a cookie. */
export const jsonCookie = (name: string) =>
  writeEach([name], (draft, value) => addCookie(draft, name, encodeURIComponent(exactJson(value))));

/** An input that is not null. */
type Value = NonNullable<unknown>;

/** Writes the input with this name without members that are null. Writes nothing if nothing remains (RFC 6570, 2.3). */
function ifNotEmpty(name: string, write: (draft: RequestDraft, value: Value) => void): Encoder {
  return writeEach([name], (draft, value) => {
    if (value == null) return;
    if (typeof value !== 'object') return write(draft, value);
    const members = Object.entries(value).filter(([, item]) => item != null);
    if (members.length === 0) return;
    write(draft, Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members));
  });
}

/** Throws if a list or an object has a member that contains the delimiter, because it would arrive as two members. */
function rejectDelimiter(name: string, value: Value, delimiter: string): void {
  const parts = typeof value === 'object' ? Object.entries(value).flat() : [];
  if (parts.some((part) => String(part).includes(delimiter)))
    throw new TypeError(`an element of ${name} contains the delimiter '${delimiter}'`);
}

/** The encoded `name=value` of each element or property if the value is exploded, else of the whole value. */
function pairsOf(name: string, value: Value, explode: boolean, write: (value: unknown) => string): string[] {
  if (!explode || typeof value !== 'object') return [`${encodeURIComponent(name)}=${joined(value, false, ',', write)}`];
  const pairs = Array.isArray(value) ? value.map((item) => [name, item] as const) : Object.entries(value);
  return pairs.map(([part, item]) => `${encodeURIComponent(part)}=${write(item)}`);
}

/** A list, the names and values of an object, or a single value as one text. Exploded, an object is `name=value` pairs. */
function joined(value: Value, explode: boolean, delimiter: string, write = encoded): string {
  if (Array.isArray(value)) return value.map(write).join(delimiter);
  if (typeof value !== 'object') return write(value);
  return Object.entries(value)
    .map(([name, item]) => write(name) + (explode ? '=' : delimiter) + write(item))
    .join(delimiter);
}

/** A single value as text. Throws for a list or an object. */
function plain(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    throw new TypeError('a parameter cannot contain a list or an object inside another');
  return String(value);
}

function encoded(value: unknown): string {
  return encodeURIComponent(plain(value));
}

/** Encodes a value, except for the reserved characters that are allowed within a value of a query. */
function encodedExceptReserved(value: unknown): string {
  return encoded(value).replace(/%(3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, decodeURIComponent);
}
