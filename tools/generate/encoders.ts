// Writes the code that puts inputs into a request.
import type { Field, Operation, PropertyEncoding, RequestBody, Serialization } from '@petstore/types';
import type { Imports } from './code.ts';
import { Code, callCode } from './code.ts';
import { capital } from './operation-names.ts';
import type { Schemas } from './schemas.ts';

/** The code of the encoders that write the inputs into a request. The last encoder writes all remaining inputs. */
export function encodersOf(operation: Operation, schemas: Schemas, imports: Imports): Code[] {
  const { fields, body, idempotencyKey, id, deprecated, sunset } = operation;
  const all = Object.entries(fields);
  const plainNames = (location: Field['in']) =>
    all.filter(([, field]) => field.in === location && isPlain(field, schemas)).map(([name]) => name);
  const [headers, cookies, query] = [plainNames('header'), plainNames('cookie'), plainNames('query')];
  const value = (name: string, from: string) => imports.value(name, from);
  const encoders = all
    .filter(([, field]) => !isPlain(field, schemas))
    .map(([name, field]) => styledOf(name, field, imports));
  if (deprecated) encoders.unshift(callCode(value('deprecated', '../observe.ts'), [id, ...(sunset ? [sunset] : [])]));
  // `inPath` is after the styled encoders, because `inPath` throws if a parameter remains in the path.
  if (all.some(([, field]) => field.in === 'path')) encoders.push(new Code(value('inPath', '../build-request.ts')));
  if (headers.length > 0) encoders.push(callCode(value('inHeaders', '../build-request.ts'), headers));
  if (idempotencyKey)
    encoders.push(callCode(value('withIdempotencyKey', '../build-request.ts'), [idempotencyKey.header.toLowerCase()]));
  if (cookies.length > 0) encoders.push(callCode(value('inCookies', '../parameters.ts'), cookies));
  const isWide = all.some(([, { in: location, schema }]) => location === 'body' && schemas.hasWide(schema));
  if (body?.whole) encoders.push(wholeOf(body, isWide, imports));
  if (!body || body.whole) encoders.push(new Code(value('inQuery', '../build-request.ts')));
  else {
    if (query.length > 0) encoders.push(callCode(value('inQueryOf', '../build-request.ts'), query));
    encoders.push(flatOf(body, isWide, imports));
  }
  return encoders;
}

/** Whether the encoders for single values and for repeated parameters can write the field. */
function isPlain(
  { in: location, style, explode, allowReserved, contentType, schema }: Field,
  schemas: Schemas,
): boolean {
  if (location === 'body') return true;
  if (style !== undefined || allowReserved || contentType !== undefined) return false;
  if (schemas.isScalar(schema)) return true;
  // By default, a query repeats the name for each element of a list.
  return location === 'query' && explode === undefined && !schemas.typesOf(schema).has('object');
}

function styledOf(
  name: string,
  { in: location, style, explode, allowReserved, contentType }: Pick<Field, 'in' | keyof Serialization>,
  imports: Imports,
): Code {
  const isExploded = explode ?? (location === 'query' && (style ?? 'form') === 'form');
  const reserved = allowReserved ? [true] : [];
  const call = (fn: string, from: string, ...args: unknown[]) => callCode(imports.value(fn, from), [name, ...args]);
  if (contentType !== undefined) return call(`json${capital(location)}`, '../parameters.ts');
  if (location === 'path') return call(`${style ?? 'simple'}Path`, '../parameters.ts', isExploded);
  if (location === 'header') return call('simpleHeader', '../parameters.ts', isExploded);
  if (location === 'cookie') return call('formCookie', '../parameters.ts');
  if (style === 'deepObject') return call('deepQuery', '../parameters.ts', ...reserved);
  if (style?.endsWith('Delimited'))
    return call('delimitedQuery', '../parameters.ts', style === 'spaceDelimited' ? '%20' : '|', ...reserved);
  return call('formQuery', '../parameters.ts', isExploded, ...reserved);
}

/** The code of the encoder for a body that is a single input called `body`. */
function wholeOf({ kind, mediaType, encoding }: RequestBody, isWide: boolean, imports: Imports): Code {
  const call = (name: string, ...args: unknown[]) => callCode(imports.value(name, '../bodies.ts'), args);
  if (kind === 'json')
    return call(isWide ? 'wholeExactJson' : 'wholeJson', ...otherThan('application/json', mediaType));
  if (kind === 'text') return call('wholeText', mediaType);
  if (kind === 'bytes') return call('wholeBytes', mediaType);
  return call('wholeForm', formOf(kind, encoding, imports));
}

/** The code of the encoder for a body whose properties are inputs. */
function flatOf({ kind, mediaType, encoding, required }: RequestBody, isWide: boolean, imports: Imports): Code {
  const flat =
    kind === 'json' && isWide
      ? callCode(imports.value('inExactJson', '../bodies.ts'), otherThan('application/json', mediaType))
      : kind === 'json'
        ? mediaType === 'application/json'
          ? new Code(imports.value('inBody', '../build-request.ts'))
          : callCode(imports.value('inJson', '../bodies.ts'), [mediaType])
        : formOf(kind, encoding, imports);
  return required ? flat : callCode(imports.value('ifAny', '../bodies.ts'), [flat]);
}

function formOf(kind: RequestBody['kind'], encoding: RequestBody['encoding'] = {}, imports: Imports): Code {
  if (kind === 'multipart') {
    const all = Object.entries(encoding);
    const written = all.map(([name, rules]) => [name, partOf(name, rules, imports)] as const);
    return callCode(imports.value('inMultipart', '../bodies.ts'), all.length > 0 ? [Object.fromEntries(written)] : []);
  }
  const encoders = Object.entries(encoding).map(([name, rules]) => styledOf(name, { in: 'query', ...rules }, imports));
  return callCode(imports.value('inForm', '../bodies.ts'), encoders);
}

/** How a property is written as parts: the content type, or the code of the function that returns the parts. */
function partOf(name: string, rules: PropertyEncoding, imports: Imports): string | Code {
  if (rules.style !== undefined)
    return callCode(imports.value('styledParts', '../bodies.ts'), [styledOf(name, { in: 'query', ...rules }, imports)]);
  const { contentType, headers = {} } = rules;
  const lines = Object.entries(headers).map(([header, value]) => `\r\n${header}: ${value}`);
  if (lines.length === 0 && contentType !== undefined) return contentType;
  return callCode(imports.value('partWith', '../bodies.ts'), [lines.join(''), ...(contentType ? [contentType] : [])]);
}

/** The value as an argument, which is left out if the value is the default. */
const otherThan = (standard: string, value: string) => (value === standard ? [] : [value]);
