// RFC 6570 as OpenAPI uses it: https://spec.openapis.org/oas/v3.1.1#style-values
/** OpenAPI does not define how this is sent. */
export class UnspecifiedError extends Error {
  override name = 'UnspecifiedError';
}

export type Encode = (text: string) => string;
/** Name and value of a query parameter or form field, both encoded. */
export type Pair = [name: string, value: string];

/** Everything but unreserved characters is percent-encoded. */
export const encodeAll: Encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, percent);

/** For `allowReserved`: reserved characters stay where the query of a URL may hold them as part of a value. */
export const encodeExceptReserved: Encode = (text) =>
  encodeAll(text).replace(/%(?:2F|3A|3F|40|21|24|27|28|29|2A|2C|3B)/g, decodeURIComponent);

export const encodeNothing: Encode = (text) => text;

/** `simple`, `label` and `matrix`: the text in a path or in a header. */
export function expand(style: string, explode: boolean, name: string, value: unknown, encode: Encode): string {
  const items = listOf(value, encode);
  const pairs = pairsOf(value, encode);
  const joined = (separator: string) =>
    items
      ? items.join(separator)
      : pairs
        ? pairs.map((pair) => pair.join(explode ? '=' : ',')).join(separator)
        : encode(textOf(value));
  switch (style) {
    case 'simple':
      return joined(',');
    case 'label':
      return `.${joined(explode ? '.' : ',')}`;
    case 'matrix': {
      const named = (key: string, text: string) => (text === '' ? `;${key}` : `;${key}=${text}`);
      if (explode && items) return items.map((item) => named(encodeAll(name), item)).join('');
      if (explode && pairs) return pairs.map(([key, text]) => named(key, text)).join('');
      return named(encodeAll(name), joined(','));
    }
    default:
      throw new UnspecifiedError(`style ${style} in this location`);
  }
}

/** `form`, `spaceDelimited`, `pipeDelimited` and `deepObject`: the pairs of a query string, form or cookie. */
export function expandPairs(style: string, explode: boolean, name: string, value: unknown, encode: Encode): Pair[] {
  const items = listOf(value, encode);
  const pairs = pairsOf(value, encode);
  const key = encodeAll(name);
  // RFC 6570, section 2.3: a list or an object without members is undefined, and expands to nothing.
  if (items?.length === 0 || pairs?.length === 0) return [];
  if (style === 'deepObject') {
    if (!pairs) throw new UnspecifiedError('deepObject with a value that is not an object');
    return pairs.map(([property, text]) => [`${key}%5B${property}%5D`, text]);
  }
  const separator = SEPARATORS[style];
  if (separator === undefined) throw new UnspecifiedError(`style ${style} in this location`);
  if (style !== 'form' && (explode || (!items && !pairs)))
    throw new UnspecifiedError(`${style} with explode, or with a value that is not a list`);
  // A value that contains the encoded separator of these styles would be ambiguous.
  if (style !== 'form' && [...(items ?? []), ...(pairs?.flat() ?? [])].some((text) => text.includes(separator)))
    throw new UnspecifiedError(`${style} with its separator within a value`);
  if (items) return explode ? items.map((item) => [key, item]) : [[key, items.join(separator)]];
  if (pairs) return explode ? pairs : [[key, pairs.flat().join(separator)]];
  return [[key, encode(textOf(value))]];
}

/** The text of a boolean, number or string. */
export function textOf(value: unknown): string {
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value)) return String(value);
  throw new UnspecifiedError(`${value === null ? 'null' : typeof value} as a value of a parameter`);
}

const SEPARATORS: Record<string, string> = { form: ',', spaceDelimited: '%20', pipeDelimited: '%7C' };

function listOf(value: unknown, encode: Encode): string[] | undefined {
  return Array.isArray(value) ? value.map((item) => encode(textOf(item))) : undefined;
}

function pairsOf(value: unknown, encode: Encode): Pair[] | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [encode(key), encode(textOf(item))]);
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
