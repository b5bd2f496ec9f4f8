// Parameters that are more than a word: lists and objects in the styles of OpenAPI, and JSON.
import { exactJson } from './bodies.ts';
import { addQuery, type Encoder, fill, type RequestDraft, some } from './build-request.ts';

/** Puts one input that is there. */
function any(name: string, put: (draft: RequestDraft, value: unknown) => void): Encoder {
  return some([name], (draft, inputs) => {
    for (const [, value] of inputs) put(draft, value);
    return [];
  });
}

/** Puts one input that is there; an empty list or object is not (RFC 6570, 2.3). */
function one(name: string, put: (draft: RequestDraft, value: unknown) => void): Encoder {
  return any(name, (draft, value) => {
    const isEmpty = value === null || (typeof value === 'object' && Object.keys(value).length === 0);
    if (!isEmpty) put(draft, value);
  });
}

/** `3,4,5`, and an object as `R,100,G,200` or exploded as `R=100,G=200`. */
export const simplePath = (name: string, explode: boolean) =>
  one(name, (draft, value) => fill(draft, name, joined(value, explode, ',', ',')));

/** `.3.4.5` exploded, `.3,4,5` otherwise. */
export const labelPath = (name: string, explode: boolean) =>
  one(name, (draft, value) => fill(draft, name, `.${joined(value, explode, explode ? '.' : ',', ',')}`));

/** `;id=3;id=4` exploded, `;id=3,4` otherwise. */
export const matrixPath = (name: string, explode: boolean) =>
  one(name, (draft, value) => {
    const key = encodeURIComponent(name);
    if (!explode || typeof value !== 'object' || value === null) {
      const text = joined(value, false, ',', ',');
      return fill(draft, name, `;${key}${text === '' ? '' : `=${text}`}`);
    }
    const pairs = Array.isArray(value) ? value.map((item) => [name, item] as const) : entries(value);
    fill(draft, name, pairs.map(([key, item]) => `;${encodeURIComponent(key)}=${word(item)}`).join(''));
  });

/** A header as `3,4,5`; nothing in it is escaped. */
export const simpleHeader = (name: string, explode: boolean) =>
  one(name, (draft, value) => {
    draft.headers[name.toLowerCase()] = joined(value, explode, ',', ',', raw);
  });

/** `id=3&id=4` and `R=100&G=200` exploded, `id=3,4` and `color=R,100,G,200` otherwise. */
export const formQuery = (name: string, explode: boolean, reserved?: boolean) =>
  one(name, (draft, value) => {
    const text = reserved ? reservedWord : word;
    const key = encodeURIComponent(name);
    if (!explode || typeof value !== 'object' || value === null) {
      return addQuery(draft, `${key}=${joined(value, false, ',', ',', text)}`);
    }
    const pairs = Array.isArray(value) ? value.map((item) => [name, item] as const) : entries(value);
    for (const [part, item] of pairs) addQuery(draft, `${encodeURIComponent(part)}=${text(item)}`);
  });

/** `id=3%204%205` or `id=3|4|5`. */
export const delimitedQuery = (name: string, delimiter: string, reserved?: boolean) =>
  one(name, (draft, value) => {
    const between = encodeURIComponent(decodeURIComponent(delimiter));
    if (Array.isArray(value) && value.some((item) => String(item).includes(decodeURIComponent(delimiter))))
      throw new TypeError(`an element of ${name} holds what stands between elements`);
    addQuery(
      draft,
      `${encodeURIComponent(name)}=${joined(value, false, between, between, reserved ? reservedWord : word)}`,
    );
  });

/** `color[R]=100&color[G]=200`. */
export const deepQuery = (name: string, reserved?: boolean) =>
  one(name, (draft, value) => {
    const text = reserved ? reservedWord : word;
    const key = encodeURIComponent(name);
    if (typeof value !== 'object' || value === null) return addQuery(draft, `${key}=${text(value)}`);
    for (const [part, item] of entries(value)) addQuery(draft, `${key}%5B${encodeURIComponent(part)}%5D=${text(item)}`);
  });

/** Words, as cookies. */
export const inCookies = (...names: string[]) =>
  some(names, (draft, inputs) => {
    for (const [name, value] of inputs) addCookie(draft, name, word(value));
    return [];
  });

/** A cookie as `id=3,4,5`. */
export const formCookie = (name: string) =>
  one(name, (draft, value) => addCookie(draft, name, joined(value, false, ',', ',')));

export const jsonPath = (name: string) =>
  any(name, (draft, value) => fill(draft, name, encodeURIComponent(exactJson(value))));

export const jsonQuery = (name: string) =>
  any(name, (draft, value) => addQuery(draft, `${encodeURIComponent(name)}=${encodeURIComponent(exactJson(value))}`));

/** A header as JSON, in ASCII: a header carries nothing else. */
export const jsonHeader = (name: string) =>
  any(name, (draft, value) => {
    const text = exactJson(value);
    draft.headers[name.toLowerCase()] = text.replace(
      /[^\x20-\x7e]/g,
      (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
  });

export const jsonCookie = (name: string) =>
  any(name, (draft, value) => addCookie(draft, name, encodeURIComponent(exactJson(value))));

/** Adds to the cookies. A browser sends its own instead. */
export function addCookie(draft: RequestDraft, name: string, text: string): void {
  const before = draft.headers.cookie;
  draft.headers.cookie = `${before ? `${before}; ` : ''}${name}=${text}`;
}

/** A list, the names and values of an object, or a word; exploded, an object is pairs. */
function joined(value: unknown, explode: boolean, between: string, inside: string, text = word): string {
  if (Array.isArray(value)) return value.map(text).join(between);
  if (typeof value !== 'object' || value === null) return text(value);
  return entries(value)
    .map(([name, item]) => text(name) + (explode ? '=' : inside) + text(item))
    .join(between);
}

/** What an object holds, without what is not given. */
function entries(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, item]) => item !== undefined);
}

/** A value as it is written. What is no word cannot be. */
function raw(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    throw new TypeError('a list or an object inside of another has no form in a parameter');
  return String(value);
}

function word(value: unknown): string {
  return encodeURIComponent(raw(value));
}

/** Leaves reserved characters as they are, but not those that end a value or mean another one. */
function reservedWord(value: unknown): string {
  return word(value).replace(/%(3A|2F|3F|5B|5D|40|24|2C|3B|3D)/g, decodeURIComponent);
}
