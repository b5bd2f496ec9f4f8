import { type Field, type Operation, propertiesOf, type Schema, type Serialization } from '@petstore/types';
import { HttpError } from './http-error.ts';
import type { ParameterValues } from './input.ts';
import type { RequestContext } from './request-context.ts';
import {
  decodeQuery,
  readCookie,
  readHeader,
  readObject,
  readPath,
  readQuery,
  StyleError,
  shapeOf,
  splitPairs,
} from './styles.ts';
import { propertyOf, type ReadText, textReader } from './values.ts';

/**
 * Reads the parameters of a request, in the style that the spec gives each. Refuses what is not described: parameters of
 * the query that are unknown or repeated, and escapes that are not UTF-8. Whether values are right is left to the validator.
 */
export function readParameters(
  operation: Operation,
  { pathParams, query }: RequestContext,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  /** Keys that may stand in the query. */
  queryKeys: readonly string[],
): ParameterValues {
  const of = (place: Field['in']) => Object.entries(operation.fields).filter(([, field]) => field.in === place);
  const params: Record<string, unknown> = {};
  for (const [name, field] of of('path')) {
    params[name] = styled('not_found', `There is no ${name} '${pathParams[name]}'`, () =>
      readPath(name, field, pathParams[name] ?? ''),
    );
  }
  const texts: Record<string, unknown> = { ...headers };
  for (const [name, field] of of('header')) {
    const text = headers[name.toLowerCase()];
    if (text === undefined) continue;
    texts[name.toLowerCase()] = styled('invalid_request', `headers '${name}'`, () =>
      readHeader(field, [text].flat().join(',')),
    );
  }
  const cookies: Record<string, unknown> = {};
  const sent = of('cookie').length > 0 ? cookiesOf(headers.cookie) : new Map<string, string>();
  for (const [name, field] of of('cookie')) {
    const text = sent.get(name);
    if (text !== undefined)
      cookies[name] = styled('invalid_request', `cookies '${name}'`, () => readCookie(field, text));
  }
  const pairs = splitPairs(query, '&', decodeQuery).filter(([name]) => !queryKeys.includes(name));
  return { query: readNamed(new Map(of('query')), pairs, 'query'), params, headers: texts, cookies };
}

/** The cookies of a request by name, as they were sent; the first one of a name. */
export function cookiesOf(header: string | string[] | undefined): Map<string, string> {
  const pairs = splitPairs([header ?? []].flat().join(';'), ';', (name) => name.trim());
  return new Map(pairs.reverse().map(([name, value]) => [name, value.trim()]));
}

/** A value that is written as in a query. */
type Named = Serialization & { readonly schema: Schema };

/** Reads the pairs of a query or a form into values. A name that belongs to none is refused, unless `other` says what it is. */
export function readNamed(
  fields: ReadonlyMap<string, Named>,
  pairs: readonly [name: string, text: string][],
  where: 'query' | 'body',
  other?: (name: string) => Named,
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
  const read = (name: string, how: (field: Named) => unknown) =>
    styled('invalid_request', `${where} '${name}'`, () => how(fields.get(name) ?? other?.(name) ?? { schema: {} }));
  return Object.fromEntries([
    ...[...texts].map(([name, all]) => [name, read(name, (field) => readQuery(field, all))]),
    ...[...objects].map(([name, all]) => [name, read(name, ({ schema }) => readObject(schema, all, decodeQuery))]),
  ]);
}

/** Whether the properties of an object stand in the query by themselves, as `R=100`, or as `color[R]=100`. */
function isSpread({ schema, style = 'form', explode = true, contentType }: Named): boolean {
  const { isObject, isSingle, isList } = shapeOf(schema);
  return (
    contentType === undefined &&
    isObject &&
    !isSingle &&
    !isList &&
    (style === 'deepObject' || (style === 'form' && explode))
  );
}

/** The parameter that a name in the query is a property of, and which one. */
function ownerOf(fields: ReadonlyMap<string, Named>, name: string): { field: string; property: string } | undefined {
  const [, before = '', inside] = /^([^[]*)\[([^\]]*)\]$/.exec(name) ?? [];
  if (inside !== undefined && fields.get(before)?.style === 'deepObject') return { field: before, property: inside };
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

/** Gives an error in the style of a parameter its name. */
function styled<T>(code: 'not_found' | 'invalid_request', where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof StyleError) throw new HttpError(code, `${where}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The parameters of an operation that a fast path can read: single values in path and query. */
export type PlainParameters = Readonly<Record<'path' | 'query', ReadonlyMap<string, ReadText>>>;

/** Nothing where the operation has other ones. */
export function plainParametersOf({ fields }: Operation): PlainParameters | undefined {
  const found = { path: new Map<string, ReadText>(), query: new Map<string, ReadText>() };
  for (const [name, { in: place, schema, style, contentType }] of Object.entries(fields)) {
    if (place === 'body') continue;
    const { isList, isObject } = shapeOf(schema);
    const isPlain = !isList && !isObject && style === undefined && contentType === undefined;
    if (!isPlain || (place !== 'path' && place !== 'query')) return undefined;
    found[place].set(name, textReader(schema));
  }
  return found;
}

/** Letters, digits, `_` and `-`: nothing that would have to be decoded. */
const PLAIN_TARGET = /^[\w/-]*(?:\?[\w&=-]*)?$/;

/** The parameters of a plain target, each known and given once; nothing for any other target. */
export function readPlainParameters(
  { path, query: fields }: PlainParameters,
  target: string | undefined,
  { query, pathParams }: RequestContext,
): Pick<ParameterValues, 'query' | 'params'> | undefined {
  if (!PLAIN_TARGET.test(target ?? '')) return undefined;
  const found: Pick<ParameterValues, 'query' | 'params'> = { query: {}, params: {} };
  for (const name in pathParams) found.params[name] = path.get(name)?.(pathParams[name] ?? '');
  if (query === '') return found;
  for (const pair of query.split('&')) {
    const [name = '', value = '', more] = pair.split('=');
    const read = fields.get(name);
    if (!read || value === '' || more !== undefined || Object.hasOwn(found.query, name)) return undefined;
    found.query[name] = read(value);
  }
  return found;
}
