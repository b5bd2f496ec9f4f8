import type { IncomingHttpHeaders } from 'node:http';
import { type Field, type Operation, operations, propertiesOf, type Schema, type Serialization } from '../old.ts';
import { HttpError } from './http-error.ts';
import type { ParameterValues } from './input.ts';
import {
  cookiesOf,
  decodeQuery,
  type Pair,
  parseObject,
  parseQueryValue,
  parseText,
  shapeOf,
  splitPairs,
} from './styles.ts';
import type { Target } from './target-cache.ts';
import { propertyOf, StyleError } from './values.ts';

/**
 * Parses the parameters of a request in the styles that the spec declares. Throws for unknown and repeated query parameters,
 * and for escapes that are not UTF-8. The validator checks the values.
 */
export function parseParameters(
  operation: Operation,
  { query, match }: Target,
  headers: IncomingHttpHeaders,
): ParameterValues {
  const declared = parametersOf.get(operation) ?? declaredIn(operation);
  const params: Record<string, unknown> = {};
  for (const [name, field] of declared.path) {
    const text = match?.params[name] ?? '';
    params[name] = withName('not_found', `path '${name}'`, () => parseText(name, field, text));
  }
  const headerValues: Record<string, unknown> = declared.header.length > 0 ? { ...headers } : headers;
  for (const [name, field] of declared.header) {
    const text = headers[name.toLowerCase()];
    if (text === undefined) continue;
    const parse = () => parseText(name, field, [text].flat().join(','));
    headerValues[name.toLowerCase()] = withName('invalid_request', `header '${name}'`, parse);
  }
  const cookies: Record<string, unknown> = {};
  const cookieTexts = declared.cookie.length > 0 ? cookiesOf(headers.cookie) : undefined;
  for (const [name, field] of declared.cookie) {
    const text = cookieTexts?.get(name);
    if (text === undefined) continue;
    cookies[name] = withName('invalid_request', `cookie '${name}'`, () => parseText(name, field, text));
  }
  const queryValues = parsePairs(declared.query, splitPairs(query, '&', decodeQuery), 'query');
  for (const name of declared.objects) queryValues[name] ??= {};
  return { query: queryValues, params, headers: headerValues, cookies };
}

const parametersOf = new Map(
  Object.values<Operation>(operations).map((operation) => [operation, declaredIn(operation)]),
);

/**
 * The parameters of an operation by location, and the names of `objects`: required objects whose properties are query parameters, so an
 * empty object sends nothing.
 */
function declaredIn(operation: Operation) {
  const fieldsIn = (location: Field['in']) =>
    Object.entries(operation.fields).filter(([, field]) => field.in === location);
  const query = fieldsIn('query');
  return {
    path: fieldsIn('path'),
    header: fieldsIn('header'),
    cookie: fieldsIn('cookie'),
    query: new Map(query),
    objects: query.filter(([, field]) => field.required && isSpread(field)).map(([name]) => name),
  };
}

/** A field of a query or a form. */
type SerializedField = Serialization & { readonly schema: Schema };

/** Parses the pairs of a query or a form. Throws for a name without a field, unless `undeclared` returns a field for it. */
export function parsePairs(
  fields: ReadonlyMap<string, SerializedField>,
  pairs: readonly Pair[],
  where: 'query' | 'body',
  undeclared?: (name: string) => SerializedField,
): Record<string, unknown> {
  const owned = pairs.map(([name, text]) => {
    const owner = ownerOf(fields, name) ?? (undeclared && { name });
    if (!owner) throw new HttpError('invalid_request', `${where} '${name}': there is no such parameter`);
    return { ...owner, text };
  });
  const values = [...Map.groupBy(owned, ({ name }) => name)].map(([name, all]) => {
    const field = fields.get(name) ?? undeclared?.(name) ?? { schema: {} };
    const properties = all.flatMap(({ property, text }): Pair[] => (property === undefined ? [] : [[property, text]]));
    const texts = all.map(({ text }) => text);
    const parse = () =>
      properties.length > 0 ? parseObject(field.schema, properties, decodeQuery) : parseQueryValue(field, texts);
    return [name, withName('invalid_request', `${where} '${name}'`, parse)];
  });
  return Object.fromEntries(values);
}

/** The field of a name in a query or form, and if the field is spread (`isSpread`), the property that the name stands for. */
function ownerOf(
  fields: ReadonlyMap<string, SerializedField>,
  name: string,
): { name: string; property?: string } | undefined {
  const field = fields.get(name);
  if (field && !isSpread(field)) return { name };
  const [, before = '', inBrackets] = /^([^[]*)\[([^\]]*)\]$/.exec(name) ?? [];
  if (inBrackets !== undefined && fields.get(before)?.style === 'deepObject')
    return { name: before, property: inBrackets };
  const spread = [...fields].filter(([, field]) => isSpread(field) && field.style !== 'deepObject');
  const [owner] =
    spread.find(([, { schema }]) => Object.hasOwn(propertiesOf(schema), name)) ??
    spread.find(([, { schema }]) => propertyOf(schema, name)) ??
    [];
  return owner === undefined ? undefined : { name: owner, property: name };
}

/** Whether each property of an object is a query parameter, such as `R=100` or `color[R]=100`. */
function isSpread({ schema, style = 'form', explode = true, contentType }: SerializedField): boolean {
  const { isObject, isSingle, isList } = shapeOf(schema);
  const isObjectOnly = isObject && !isSingle && !isList;
  return isObjectOnly && contentType === undefined && (style === 'deepObject' || (style === 'form' && explode));
}

/** Parses a parameter or property. A StyleError becomes an HttpError that names it. */
export function withName<T>(code: 'not_found' | 'invalid_request', where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StyleError) throw new HttpError(code, `${where}: ${error.message}`, { cause: error });
    throw error;
  }
}
