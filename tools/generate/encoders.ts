// Writes the code that puts inputs into a request.
import type { Field, Operation, PropertyEncoding, RequestBody, Serialization } from '@petstore/types';
import type { Code, Imports } from './code.ts';
import { mapped, nonEmpty } from './document.ts';
import { capital } from './operation-names.ts';
import type { Schemas } from './schemas.ts';

const [request, parameters, bodies] = ['../build-request.ts', '../parameters.ts', '../bodies.ts'] as const;

/** The code of the encoders that write the inputs into a request. The last encoder writes all remaining inputs. */
export function encodersOf(operation: Operation, schemas: Schemas, imports: Imports): Code[] {
  const { fields, body, idempotencyKey, id, deprecated, sunset } = operation;
  const all = Object.entries(fields);
  const plainNames = (location: Field['in']) =>
    all.filter(([, field]) => field.in === location && isPlain(field, schemas)).map(([name]) => name);
  const [headers, cookies, query] = [plainNames('header'), plainNames('cookie'), plainNames('query')];
  const encoders = all
    .filter(([, field]) => !isPlain(field, schemas))
    .map(([name, field]) => styledOf(name, field, imports));
  if (deprecated) encoders.unshift(imports.call('deprecated', '../observe.ts', [id, ...(sunset ? [sunset] : [])]));
  // `inPath` is after the styled encoders, because `inPath` throws if a parameter remains in the path.
  if (all.some(([, field]) => field.in === 'path')) encoders.push(imports.value('inPath', request));
  if (headers.length > 0) encoders.push(imports.call('inHeaders', request, headers));
  if (idempotencyKey) encoders.push(imports.call('withIdempotencyKey', request, [idempotencyKey.header.toLowerCase()]));
  if (cookies.length > 0) encoders.push(imports.call('inCookies', parameters, cookies));
  const isWide = all.some(([, { in: location, schema }]) => location === 'body' && schemas.hasWide(schema));
  if (body?.whole) encoders.push(wholeOf(body, imports));
  if (!body || body.whole) encoders.push(imports.value('inQuery', request));
  else {
    if (query.length > 0) encoders.push(imports.call('inQueryOf', request, query));
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

/** The code of the encoder for one input. A property of a form is written like a query parameter. */
function styledOf(
  name: string,
  { in: location, style, explode, allowReserved, contentType }: Pick<Field, 'in' | keyof Serialization>,
  imports: Imports,
): Code {
  const isExploded = explode ?? (location === 'query' && (style ?? 'form') === 'form');
  const reserved = allowReserved ? [true] : [];
  const call = (encoder: string, ...args: unknown[]) => imports.call(encoder, parameters, [name, ...args]);
  if (contentType !== undefined) return call(`json${capital(location)}`);
  if (location === 'path') return call(`${style ?? 'simple'}Path`, isExploded);
  if (location === 'header') return call('simpleHeader', isExploded);
  if (location === 'cookie') return call('formCookie');
  if (style === 'deepObject') return call('deepQuery', ...reserved);
  if (style?.endsWith('Delimited')) return call('delimitedQuery', style === 'spaceDelimited' ? ' ' : '|', ...reserved);
  return call('formQuery', isExploded, ...reserved);
}

/** The code of the encoder for a body that is a single input called `body`. */
function wholeOf({ kind, mediaType, encoding }: RequestBody, imports: Imports): Code {
  const call = (encoder: string, ...args: unknown[]) => imports.call(encoder, bodies, args);
  if (kind === 'json') return call('wholeJson', ...unlessJson(mediaType));
  if (kind === 'text') return call('wholeText', mediaType);
  if (kind === 'bytes') return call('wholeBytes', mediaType);
  return call('wholeForm', formOf(kind, encoding, imports));
}

/** The code of the encoder for a body whose properties are inputs. */
function flatOf({ kind, mediaType, encoding, required }: RequestBody, isWide: boolean, imports: Imports): Code {
  const type = unlessJson(mediaType);
  const flat =
    kind !== 'json'
      ? formOf(kind, encoding, imports)
      : isWide || type.length > 0
        ? imports.call('inExactJson', bodies, type)
        : imports.value('inBody', request);
  return required ? flat : imports.call('ifAny', bodies, [flat]);
}

function formOf(kind: RequestBody['kind'], encoding: RequestBody['encoding'] = {}, imports: Imports): Code {
  if (kind === 'multipart') {
    const parts = nonEmpty(mapped(encoding, (property, name) => partOf(name, property, imports)));
    return imports.call('inMultipart', bodies, parts ? [parts] : []);
  }
  const encoders = Object.entries(encoding).map(([name, property]) =>
    styledOf(name, { in: 'query', ...property }, imports),
  );
  return imports.call('inForm', bodies, encoders);
}

/** The content type of a property's parts, or the code of the function that returns the parts. */
function partOf(name: string, encoding: PropertyEncoding, imports: Imports): string | Code {
  if (encoding.style !== undefined)
    return imports.call('styledParts', bodies, [styledOf(name, { in: 'query', ...encoding }, imports)]);
  const { contentType, headers = {} } = encoding;
  const lines = Object.entries(headers).map(([header, value]) => `\r\n${header}: ${value}`);
  if (lines.length === 0 && contentType !== undefined) return contentType;
  return imports.call('partWith', bodies, [lines.join(''), ...(contentType ? [contentType] : [])]);
}

/** The media type as an argument, which is left out if it is the default. */
const unlessJson = (mediaType: string) => (mediaType === 'application/json' ? [] : [mediaType]);
