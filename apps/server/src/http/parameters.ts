import { type Field, type Operation, propertiesOf, type Schema, type Serialization } from '@petstore/types';
import { HttpError } from './http-error.ts';
import type { ParameterValues } from './input.ts';
import type { RequestContext } from './request-context.ts';
import {
  decodeQuery,
  parseCookie,
  parseHeader,
  parseObject,
  parsePath,
  parseQuery,
  StyleError,
  shapeOf,
  splitPairs,
} from './styles.ts';
import { type ParseText, propertyOf, textParser } from './values.ts';

/**
 * Parses the parameters of a request in the styles that the spec declares. Throws for unknown and repeated query parameters,
 * and for escapes that are not UTF-8. The validator checks the values.
 */
export function parseParameters(
  operation: Operation,
  { pathParams, query }: RequestContext,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  /** The query parameters that contain API keys. */
  queryKeys: readonly string[],
): ParameterValues {
  const fieldsIn = (location: Field['in']) =>
    Object.entries(operation.fields).filter(([, field]) => field.in === location);
  const params: Record<string, unknown> = {};
  for (const [name, field] of fieldsIn('path')) {
    params[name] = withName('not_found', `There is no ${name} '${pathParams[name]}'`, () =>
      parsePath(name, field, pathParams[name] ?? ''),
    );
  }
  const texts: Record<string, unknown> = { ...headers };
  for (const [name, field] of fieldsIn('header')) {
    const text = headers[name.toLowerCase()];
    if (text === undefined) continue;
    texts[name.toLowerCase()] = withName('invalid_request', `headers '${name}'`, () =>
      parseHeader(field, [text].flat().join(',')),
    );
  }
  const cookies: Record<string, unknown> = {};
  const cookieTexts = fieldsIn('cookie').length > 0 ? cookiesOf(headers.cookie) : new Map<string, string>();
  for (const [name, field] of fieldsIn('cookie')) {
    const text = cookieTexts.get(name);
    if (text !== undefined)
      cookies[name] = withName('invalid_request', `cookies '${name}'`, () => parseCookie(field, text));
  }
  const pairs = splitPairs(query, '&', decodeQuery).filter(([name]) => !queryKeys.includes(name));
  return { query: parsePairs(new Map(fieldsIn('query')), pairs, 'query'), params, headers: texts, cookies };
}

/** The raw cookies of a request by name. If a name is repeated, its first cookie counts. */
export function cookiesOf(header: string | string[] | undefined): Map<string, string> {
  const pairs = splitPairs([header ?? []].flat().join(';'), ';', (name) => name.trim());
  return new Map(pairs.reverse().map(([name, value]) => [name, value.trim()]));
}

/** A field of a query or a form. */
type NamedField = Serialization & { readonly schema: Schema };

/** Parses the pairs of a query or a form. Throws for a name without a field, unless `other` returns a field for it. */
export function parsePairs(
  fields: ReadonlyMap<string, NamedField>,
  pairs: readonly [name: string, text: string][],
  where: 'query' | 'body',
  other?: (name: string) => NamedField,
): Record<string, unknown> {
  const texts = new Map<string, string[]>();
  const objects = new Map<string, [name: string, text: string][]>();
  for (const [name, text] of pairs) {
    const field = fields.get(name);
    const owner = field && !isSpread(field) ? undefined : ownerOf(fields, name);
    if (owner) append(objects, owner.field, [owner.property, text]);
    else if ((field && !isSpread(field)) || other) append(texts, name, text);
    else throw new HttpError('invalid_request', `${where} '${name}': there is no such parameter`);
  }
  const parseField = (name: string, parse: (field: NamedField) => unknown) =>
    withName('invalid_request', `${where} '${name}'`, () => parse(fields.get(name) ?? other?.(name) ?? { schema: {} }));
  return Object.fromEntries([
    ...[...texts].map(([name, all]) => [name, parseField(name, (field) => parseQuery(field, all))]),
    ...[...objects].map(([name, all]) => [
      name,
      parseField(name, ({ schema }) => parseObject(schema, all, decodeQuery)),
    ]),
  ]);
}

/** Whether each property of an object is a query parameter, such as `R=100` or `color[R]=100`. */
function isSpread({ schema, style = 'form', explode = true, contentType }: NamedField): boolean {
  const { isObject, isSingle, isList } = shapeOf(schema);
  return (
    contentType === undefined &&
    isObject &&
    !isSingle &&
    !isList &&
    (style === 'deepObject' || (style === 'form' && explode))
  );
}

/** The object parameter and its property that a name in the query stands for. */
function ownerOf(
  fields: ReadonlyMap<string, NamedField>,
  name: string,
): { field: string; property: string } | undefined {
  const [, before = '', inBrackets] = /^([^[]*)\[([^\]]*)\]$/.exec(name) ?? [];
  if (inBrackets !== undefined && fields.get(before)?.style === 'deepObject')
    return { field: before, property: inBrackets };
  const spread = [...fields].filter(([, field]) => isSpread(field) && field.style !== 'deepObject');
  const [field] =
    spread.find(([, { schema }]) => Object.hasOwn(propertiesOf(schema), name)) ??
    spread.find(([, { schema }]) => propertyOf(schema, name)) ??
    [];
  return field === undefined ? undefined : { field, property: name };
}

function append<T>(lists: Map<string, T[]>, name: string, value: T): void {
  const list = lists.get(name);
  if (list) list.push(value);
  else lists.set(name, [value]);
}

/** Parses a parameter. A StyleError becomes an HttpError that names the parameter. */
function withName<T>(code: 'not_found' | 'invalid_request', where: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof StyleError) throw new HttpError(code, `${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The parameters of an operation for the fast path: single values in path and query. */
export type PlainParameters = Readonly<Record<'path' | 'query', ReadonlyMap<string, ParseText>>>;

/** The parameters for the fast path; undefined if the operation has a parameter of another form. */
export function plainParametersOf({ fields }: Operation): PlainParameters | undefined {
  const parsers = { path: new Map<string, ParseText>(), query: new Map<string, ParseText>() };
  for (const [name, { in: location, schema, style, contentType }] of Object.entries(fields)) {
    if (location === 'body') continue;
    const { isList, isObject } = shapeOf(schema);
    const isPlain = !isList && !isObject && style === undefined && contentType === undefined;
    if (!isPlain || (location !== 'path' && location !== 'query')) return undefined;
    parsers[location].set(name, textParser(schema));
  }
  return parsers;
}

/** Names and values of letters, digits, `_` and `-`, which need no decoding. */
const PLAIN_TARGET = /^[\w/-]*(?:\?[\w&=-]*)?$/;

/** Parses the parameters of a plain target; undefined if a parameter is unknown, repeated or not plain. */
export function parsePlainParameters(
  { path, query: fields }: PlainParameters,
  target: string | undefined,
  { query, pathParams }: RequestContext,
): Pick<ParameterValues, 'query' | 'params'> | undefined {
  if (!PLAIN_TARGET.test(target ?? '')) return undefined;
  const values: Pick<ParameterValues, 'query' | 'params'> = { query: {}, params: {} };
  for (const name in pathParams) values.params[name] = path.get(name)?.(pathParams[name] ?? '');
  if (query === '') return values;
  for (const pair of query.split('&')) {
    const [name = '', value = '', more] = pair.split('=');
    const parse = fields.get(name);
    if (!parse || value === '' || more !== undefined || Object.hasOwn(values.query, name)) return undefined;
    values.query[name] = parse(value);
  }
  return values;
}
