import { JSON_CONTAINER_BYTES, MAX_FORM_VALUES } from '../limits.ts';
import { type BodyKind, type Operation, propertiesOf, type RequestBody, type Schema, typesOf } from '../old.ts';
import { HttpError } from './http-error.ts';
import { type OnMemory, parseJson, utf8Of } from './json.ts';
import { parsePairs, withName } from './parameters.ts';
import { decodeQuery, shapeOf, splitPairs } from './styles.ts';
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
 * Parses a body. Bytes become a blob. The validator checks the values. `onMemory` gets the size of the memory that JSON values
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
      // A received body is never in shared memory.
      return new Blob([bytes as Uint8Array<ArrayBuffer>], { type: contentType });
    case 'text':
      return withName('invalid_request', 'body', () => textParser(schema)(utf8Of(bytes)));
    case 'form':
      return parseForm(utf8Of(bytes), schema, encoding, onMemory);
    default:
      throw new Error(`The server cannot read a body of the kind '${kind}'.`);
  }
}

/** The body for the validator: a string of the same length replaces bytes, because their schema is a string. */
export function withoutFiles(body: unknown, kind: BodyKind | undefined): unknown {
  return kind === 'bytes' && body instanceof Blob ? ' '.repeat(body.size) : body;
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

function hasObjects(schema: Schema): boolean {
  const { isObject, isList } = shapeOf(schema);
  return isObject || (isList && typesOf(itemsOf(schema)).every((type) => type === 'object' || type === 'null'));
}
