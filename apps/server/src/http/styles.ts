import { type Field, type Schema, type Serialization, typesOf } from '@petstore/types';
import { HttpError } from './http-error.ts';
import { parseJson } from './json.ts';
import { itemsOf, propertyOf, textReader } from './values.ts';

/** How text in a request represents a value: the separator of its parts, and how to decode a part. */
interface Notation {
  readonly separator: string;
  readonly isExploded: boolean;
  readonly decode: (text: string) => string;
}

/** Text that does not follow the style of its parameter. */
export class StyleError extends Error {
  override readonly name = 'StyleError';
}

/** The kinds of values that a schema accepts. Styles differ for lists, objects and single values. */
export interface Shape {
  readonly isList: boolean;
  readonly isObject: boolean;
  readonly isSingle: boolean;
}

export function shapeOf(schema: Schema): Shape {
  const types = typesOf(schema);
  // A schema without a type accepts text.
  const isOpen = types.includes('string') && types.includes('object');
  return {
    isList: !isOpen && types.includes('array'),
    isObject: !isOpen && types.includes('object'),
    isSingle: isOpen || types.some((type) => type !== 'array' && type !== 'object' && type !== 'null'),
  };
}

/** The value of a path parameter, from its segment of the path. */
export function readPath(
  name: string,
  { schema, style = 'simple', explode = false, contentType }: Field,
  text: string,
): unknown {
  if (contentType !== undefined) return readJson(schema, decodeText(text));
  const { isSingle, isList } = shapeOf(schema);
  const notation = { separator: ',', isExploded: explode, decode: decodeText };
  if (style === 'simple') return readJoined(schema, text, notation);
  if (style === 'label') {
    if (!text.startsWith('.')) throw new StyleError(`'${text}' does not begin with a dot`);
    return readJoined(schema, text.slice(1), explode ? { ...notation, separator: '.' } : notation);
  }
  const key = encodeURIComponent(name);
  if (explode && !isSingle && text.startsWith(';')) {
    const pairs = splitPairs(text.slice(1), ';', decodeText);
    return isList
      ? readList(
          schema,
          pairs.filter(([one]) => one === name).map(([, value]) => decodeText(value)),
        )
      : readObject(schema, pairs);
  }
  const [start = '', ...rest] = text.split('=');
  if (start !== `;${key}`) throw new StyleError(`'${text}' does not begin with ;${name}`);
  return readJoined(schema, rest.join('='), notation);
}

/** The value of a header, which has no escapes. */
export function readHeader({ schema, explode = false, contentType }: Field, text: string): unknown {
  if (contentType !== undefined) return readJson(schema, text);
  const parts = text.split(',').map(withoutBlanks).join(',');
  return readJoined(schema, parts, { separator: ',', isExploded: explode, decode: (part) => part });
}

/** Trims blanks in linear time, which a regular expression would not do. */
function withoutBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === ' ' || text[start] === '\t') start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return text.slice(start, end);
}

/** The value of a cookie. */
export function readCookie({ schema, contentType }: Field, text: string): unknown {
  if (contentType !== undefined) return readJson(schema, decodeText(text));
  return readJoined(schema, text, { separator: ',', isExploded: false, decode: decodeText });
}

/** The value of a query parameter or a form property, from all texts with its name. */
export function readQuery(
  { schema, style, explode, contentType }: Serialization & { schema: Schema },
  texts: readonly string[],
): unknown {
  const [text = ''] = texts;
  const { isList, isSingle } = shapeOf(schema);
  const isJoined = style === 'spaceDelimited' || style === 'pipeDelimited' || explode === false;
  if (texts.length > 1 && (!isList || isJoined || contentType !== undefined))
    throw new StyleError('it appears more than once');
  if (contentType !== undefined) return readJson(schema, decodeQuery(text));
  if (!isJoined) {
    if (!isList || (isSingle && texts.length === 1)) return textReader(schema)(decodeQuery(text));
    return readList(schema, texts.map(decodeQuery));
  }
  // A URL always escapes blanks and bars, so decode before splitting.
  if (style === 'spaceDelimited' || style === 'pipeDelimited') {
    const separator = style === 'spaceDelimited' ? ' ' : '|';
    return readJoined(schema, decodeQuery(text), { separator, isExploded: false, decode: (part) => part });
  }
  return readJoined(schema, text, { separator: ',', isExploded: false, decode: decodeQuery });
}

/** The pairs of a query or a form, with decoded names and raw values. */
export function splitPairs(
  text: string,
  separator: string,
  decode: (text: string) => string,
): [name: string, value: string][] {
  return text
    .split(separator)
    .filter((pair) => pair !== '')
    .map((pair) => {
      const end = pair.includes('=') ? pair.indexOf('=') : pair.length;
      return [decode(pair.slice(0, end)), pair.slice(end + 1)];
    });
}

/** The object of named texts. Throws for a repeated name. */
export function readObject(
  schema: Schema,
  pairs: Iterable<readonly [name: string, text: string]>,
  decode = decodeText,
): object {
  const found = new Map<string, unknown>();
  for (const [name, text] of pairs) {
    if (found.has(name)) throw new StyleError(`'${name}' appears more than once`);
    found.set(name, textReader(propertyOf(schema, name) ?? {})(decode(text)));
  }
  return Object.fromEntries(found);
}

export function decodeText(text: string): string {
  const decoded = decodedText(text);
  if (decoded === undefined) throw new HttpError('invalid_request', `'${text}' is not percent-encoded UTF-8`);
  return decoded;
}

/** Decodes a text; undefined if it is not percent-encoded UTF-8. */
export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes a text of a query, where a plus sign is a blank. */
export function decodeQuery(text: string): string {
  return decodeText(text.replaceAll('+', ' '));
}

export function readJson(schema: Schema, text: string): unknown {
  return parseJson(Buffer.from(text), schema, 'its value');
}

/** The value of one text that may have several parts. */
function readJoined(schema: Schema, text: string, { separator, isExploded, decode }: Notation): unknown {
  const { isList, isObject, isSingle } = shapeOf(schema);
  const parts = text.split(separator);
  if (isList && (!isSingle || parts.length > 1)) return readList(schema, parts.map(decode));
  if (!isObject || (isSingle && parts.length === 1)) return textReader(schema)(decode(text));
  if (isExploded) {
    return readObject(
      schema,
      parts.map((part) => splitPairs(part, '\n', decode)[0] ?? ['', '']),
      decode,
    );
  }
  if (parts.length % 2 !== 0) throw new StyleError(`'${text}' is no list of names and values`);
  const pairs = parts.flatMap((part, i) => (i % 2 === 0 ? [[decode(part), parts[i + 1] ?? ''] as const] : []));
  return readObject(schema, pairs, decode);
}

function readList(schema: Schema, texts: readonly string[]): unknown[] {
  return texts.map(textReader(itemsOf(schema)));
}
