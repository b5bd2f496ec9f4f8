import {
  type BodyKind,
  isBinary,
  type Operation,
  propertiesOf,
  type RequestBody,
  type Schema,
  typesOf,
} from '@petstore/types';
import { JSON_CONTAINER_BYTES, MAX_FORM_VALUES } from '../limits.ts';
import { HttpError } from './http-error.ts';
import { type OnMemory, parseJson, utf8Of } from './json.ts';
import { type Part, parseParts } from './multipart.ts';
import { parsePairs, withName } from './parameters.ts';
import { decodeQuery, type Pair, parseJsonText, shapeOf, splitPairs } from './styles.ts';
import { itemsOf, propertyOf, textParser } from './values.ts';

/** The schema of an operation's body: the schema of the field `body`, or of an object with the fields that are in the body. */
export function bodySchemaOf({ body, fields }: Operation): Schema | undefined {
  if (body?.whole) return fields.body?.schema;
  const inBody = Object.entries(fields).filter(([, field]) => field.in === 'body');
  return body && { properties: Object.fromEntries(inBody.map(([name, { schema }]) => [name, schema])) };
}

/** Whether a `Content-Type` matches the declared media type. A declared `application/octet-stream` accepts all. Text has to be UTF-8. */
export function isAccepted(contentType: string | undefined, { mediaType, kind }: RequestBody): boolean {
  if (contentType === mediaType) return true;
  const [type = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const [expected = ''] = mediaType.toLowerCase().split(';');
  const isType = expected.includes('*') ? type.startsWith(expected.slice(0, expected.indexOf('*'))) : type === expected;
  if (kind === 'bytes') return isType || expected === 'application/octet-stream';
  return (
    isType && parameters.every((text) => !text.startsWith('charset') || /^charset="?(utf-8|us-ascii)"?$/.test(text))
  );
}

/**
 * Parses a body. Files and bytes become blobs. The validator checks the values. `onMemory` gets the size of the memory that JSON values
 * will take, before they are parsed.
 */
export function parseBody(
  bytes: Uint8Array,
  { kind, encoding = {} }: RequestBody,
  schema: Schema,
  contentType: string,
  onMemory: OnMemory = () => {},
): unknown {
  switch (kind) {
    case 'json':
      return parseJson(bytes, schema, 'body', onMemory);
    case 'bytes':
      return new Blob([unshared(bytes)], { type: contentType });
    case 'text':
      return withName('invalid_request', 'body', () => textParser(schema)(utf8Of(bytes)));
    case 'form':
      return parseForm(utf8Of(bytes), schema, encoding, onMemory);
    case 'multipart':
      return parseMultipart(parseParts(bytes, contentType), schema, encoding, onMemory);
  }
}

/** The body for the validator: a string of the same length replaces each file, because the schema of a file is a string. */
export function withoutFiles(body: unknown, kind: BodyKind | undefined): unknown {
  if (kind === 'bytes') return blanksForFiles(body);
  if (kind !== 'multipart' || body === undefined) return body;
  return Object.fromEntries(Object.entries(Object(body)).map(([name, value]) => [name, blanksForFiles(value)]));
}

/** Replaces a file, or each file of a list, by blanks. */
function blanksForFiles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blanksForFiles);
  return value instanceof Blob ? ' '.repeat(value.size) : value;
}

type Encoding = NonNullable<RequestBody['encoding']>;

/** Parses a form. Lists repeat the name and objects are JSON, unless the encoding differs. */
function parseForm(text: string, schema: Schema, encoding: Encoding, onMemory: OnMemory): object {
  const fieldOf = (name: string) => {
    const property = propertyOf(schema, name) ?? {};
    return { schema: property, ...(encoding[name] ?? (hasObjects(property) && { contentType: 'application/json' })) };
  };
  const fields = new Map(Object.keys(propertiesOf(schema)).map((name) => [name, fieldOf(name)]));
  if (text.split('&', MAX_FORM_VALUES + 1).length > MAX_FORM_VALUES)
    throw new HttpError('invalid_request', `body: it has more than ${MAX_FORM_VALUES} values`);
  // An upper bound: it counts as if every field were JSON.
  onMemory((text.match(/[,[{]|%2c|%5b|%7b/gi)?.length ?? 0) * JSON_CONTAINER_BYTES);
  // `fieldOf` is for the names that the schema does not declare.
  return parsePairs(fields, splitPairs(text, '&', decodeQuery), 'body', fieldOf);
}

/** Parses a multipart form: a part per property or list element, or text in a query style if the encoding names one. */
function parseMultipart(parts: readonly Part[], schema: Schema, encoding: Encoding, onMemory: OnMemory): object {
  const styles = Object.entries(encoding).filter(([, { style, explode }]) => (style ?? explode) !== undefined);
  const styled = new Map(styles.map(([name, entry]) => [name, { ...entry, schema: propertyOf(schema, name) ?? {} }]));
  // The parts of a styled object are named `name[property]`, or `property` if the form itself has no such property.
  const isStyled = (name: string) =>
    styled.has(name.split('[', 1)[0] ?? '') ||
    (!Object.hasOwn(propertiesOf(schema), name) &&
      [...styled.values()].some((field) => Object.hasOwn(propertiesOf(field.schema), name)));
  const isStyledText = ({ name, fileName }: Part) => fileName === undefined && isStyled(name);
  // `parsePairs` expects the values of a query: percent-encoded, with plain commas between them.
  const escaped = (bytes: Uint8Array) => encodeURIComponent(utf8Of(bytes)).replaceAll('%2C', ',');
  const pairs = parts.filter(isStyledText).map(({ name, bytes }): Pair => [name, escaped(bytes)]);
  const others = parts.filter((part) => !isStyledText(part));
  const values = [...Map.groupBy(others, ({ name }) => name)].map(([name, all]) => {
    const isJson = encoding[name]?.contentType === 'application/json';
    return [name, valueOfParts(name, all, propertyOf(schema, name) ?? {}, isJson, onMemory)];
  });
  return { ...Object.fromEntries(values), ...parsePairs(styled, pairs, 'body') };
}

/** The value of a property: one part, or a part for each element of a list, unless the list is JSON. */
function valueOfParts(
  name: string,
  parts: readonly Part[],
  schema: Schema,
  isJson: boolean,
  onMemory: OnMemory,
): unknown {
  const isList = !isJson && shapeOf(schema).isList;
  if (!isList && parts.length > 1) throw new HttpError('invalid_request', `body '${name}': it appears more than once`);
  const partSchema = isList ? itemsOf(schema) : schema;
  const parse = (part: Part) =>
    isJson ? parseJsonText(partSchema, utf8Of(part.bytes), onMemory) : valueOfPart(part, partSchema, onMemory);
  const values = withName('invalid_request', `body '${name}'`, () => parts.map(parse));
  return isList ? values : values[0];
}

function valueOfPart({ fileName, type, bytes }: Part, schema: Schema, onMemory: OnMemory): unknown {
  const isDeclared = Object.keys(schema).length > 0;
  if (isBinary(schema) || (!isDeclared && fileName !== undefined)) {
    return new File([unshared(bytes)], fileName ?? 'blob', { type: type ?? 'application/octet-stream' });
  }
  const text = utf8Of(bytes);
  return shapeOf(schema).isObject ? parseJsonText(schema, text, onMemory) : textParser(schema)(text);
}

function hasObjects(schema: Schema): boolean {
  const { isObject, isList } = shapeOf(schema);
  return isObject || (isList && typesOf(itemsOf(schema)).every((type) => type === 'object' || type === 'null'));
}

/** Narrows the type for Blob and File: a received body is never in shared memory. */
const unshared = (bytes: Uint8Array) => bytes as Uint8Array<ArrayBuffer>;
