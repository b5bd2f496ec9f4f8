import { type Field, type Schema, type Serialization, typesOf } from '../old.ts';
import { HttpError } from './http-error.ts';
import { type OnMemory, parseJson } from './json.ts';
import { allowsAnyText, decodedText, itemsOf, propertyOf, StyleError, textParser } from './values.ts';

/** A decoded name in a request, and its raw text. */
export type Pair = readonly [name: string, text: string];

/** How text in a request represents a value: the separator of its parts, and how to decode a part. */
interface Notation {
  readonly separator: string;
  readonly isExploded: boolean;
  readonly decode: Decode;
}

type Decode = (text: string) => string;

/** The kinds of values that a schema accepts. Styles differ for lists, objects and single values. */
export function shapeOf(schema: Schema) {
  const types = typesOf(schema);
  const isOpen = allowsAnyText(types);
  return {
    isList: !isOpen && types.includes('array'),
    isObject: !isOpen && types.includes('object'),
    isSingle: isOpen || types.some((type) => type !== 'array' && type !== 'object' && type !== 'null'),
  };
}

/** The value of a path parameter, a header or a cookie from its raw text. */
export function parseText(name: string, field: Field, text: string): unknown {
  const { in: location, schema, style, explode = false, contentType } = field;
  // Headers have no escapes.
  const decode = location === 'header' ? withoutBlanks : decodeText;
  if (contentType !== undefined) return parseJsonText(schema, decode(text));
  const notation = { separator: ',', isExploded: explode, decode };
  if (style === 'label') {
    if (!text.startsWith('.')) throw new StyleError(`'${text}' does not begin with a dot`);
    return parseJoined(schema, text.slice(1), explode ? { ...notation, separator: '.' } : notation);
  }
  if (style === 'matrix') return parseMatrix(name, schema, text, notation);
  return parseJoined(schema, text, notation);
}

function parseMatrix(name: string, schema: Schema, text: string, notation: Notation): unknown {
  const { isSingle, isList } = shapeOf(schema);
  if (notation.isExploded && !isSingle && text.startsWith(';')) {
    const pairs = splitPairs(text.slice(1), ';', decodeText);
    if (!isList) return parseObject(schema, pairs);
    const texts = pairs.filter(([pairName]) => pairName === name).map(([, value]) => decodeText(value));
    return parseList(schema, texts);
  }
  const [start = '', ...rest] = text.split('=');
  if (start !== `;${encodeURIComponent(name)}`) throw new StyleError(`'${text}' does not begin with ;${name}`);
  return parseJoined(schema, rest.join('='), notation);
}

/** Trims blanks in linear time, which a regular expression would not do. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === ' ' || text[start] === '\t') start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(start, end);
}

/** The value of a query parameter or a form property, from all texts with its name. */
export function parseQueryValue(
  { schema, style, explode, contentType }: Serialization & { schema: Schema },
  texts: readonly string[],
): unknown {
  const [text = ''] = texts;
  const { isList, isSingle } = shapeOf(schema);
  const separator = SEPARATORS[style ?? ''];
  const isJoined = separator !== undefined || explode === false;
  if (texts.length > 1 && (!isList || isJoined || contentType !== undefined))
    throw new StyleError('it appears more than once');
  if (contentType !== undefined) return parseJsonText(schema, decodeQuery(text));
  if (!isJoined) {
    if (!isList || (isSingle && texts.length === 1)) return textParser(schema)(decodeQuery(text));
    return parseList(schema, texts.map(decodeQuery));
  }
  if (separator === undefined) {
    return parseJoined(schema, text, { separator: ',', isExploded: false, decode: decodeQuery });
  }
  // A URL always escapes blanks and bars, so decode before splitting.
  return parseJoined(schema, decodeQuery(text), { separator, isExploded: false, decode: (part) => part });
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: ' ', pipeDelimited: '|' };

/**
 * The raw cookies of a request by name. If a name is repeated, its first cookie counts: browsers send the cookies of all matching paths,
 * the most specific path first (RFC 6265, 5.4).
 */
export function cookiesOf(header: string | string[] | undefined): Map<string, string> {
  const pairs = splitPairs([header ?? []].flat().join(';'), ';', (name) => name.trim());
  return new Map(pairs.reverse().map(([name, value]) => [name, value.trim()]));
}

/** The pairs of a query or a form. */
export function splitPairs(text: string, separator: string, decode: Decode): Pair[] {
  const pairs = text.split(separator).filter((pair) => pair !== '');
  return pairs.map((pair) => splitPair(pair, decode));
}

function splitPair(pair: string, decode: Decode): Pair {
  const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
  return [decode(pair.slice(0, end)), pair.slice(end + 1)];
}

/** The object whose properties are these pairs. Throws for a repeated name. */
export function parseObject(schema: Schema, pairs: readonly Pair[], decode: Decode = decodeText): object {
  const properties = new Map<string, unknown>();
  for (const [name, text] of pairs) {
    if (properties.has(name)) throw new StyleError(`'${name}' appears more than once`);
    properties.set(name, textParser(propertyOf(schema, name) ?? {})(decode(text)));
  }
  return Object.fromEntries(properties);
}

export function decodeText(text: string): string {
  const decoded = decodedText(text);
  if (decoded === undefined)
    throw new HttpError('invalid_request', `'${text}' in the URL, form or cookies is not percent-encoded UTF-8`);
  return decoded;
}

/** Decodes a text of a query, where a plus sign is a blank. */
export function decodeQuery(text: string): string {
  return decodeText(text.replaceAll('+', ' '));
}

export function parseJsonText(schema: Schema, text: string, onMemory?: OnMemory): unknown {
  try {
    return parseJson(Buffer.from(text), schema, 'its value', onMemory);
  } catch (error) {
    throw error instanceof HttpError && error.code === 'invalid_request'
      ? new StyleError(error.message, { cause: error })
      : error;
  }
}

/** The value of one text that may have several parts. */
function parseJoined(schema: Schema, text: string, { separator, isExploded, decode }: Notation): unknown {
  const { isList, isObject, isSingle } = shapeOf(schema);
  const parts = text.split(separator);
  if (isList && (!isSingle || parts.length > 1)) return parseList(schema, parts.map(decode));
  if (!isObject || (isSingle && parts.length === 1)) return textParser(schema)(decode(text));
  if (!isExploded && parts.length % 2 !== 0) throw new StyleError(`'${text}' is not a list of names and values`);
  const pairs = isExploded
    ? parts.map((part) => splitPair(part, decode))
    : parts.flatMap((part, i): Pair[] => (i % 2 === 0 ? [[decode(part), parts[i + 1] ?? '']] : []));
  return parseObject(schema, pairs, decode);
}

function parseList(schema: Schema, texts: readonly string[]): unknown[] {
  return texts.map(textParser(itemsOf(schema)));
}
