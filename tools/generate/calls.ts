// Writes the client: one thin function per operation, carried by the hand-written runtime.
import type { Field, Operation, PropertyEncoding, RequestBody, SecurityScheme, Serialization } from '@petstore/types';
import { commentOf } from './comment.ts';
import { Code, comment, literal, quoted } from './literal.ts';
import type { Model } from './model.ts';
import { defined } from './node.ts';
import { Schemas } from './schemas.ts';

/** `calls.gen.ts`: a function for each operation. What an operation does not use, its function does not import. */
export function callsModule(model: Model): string {
  const imports = new Imports(model.rows.map(({ operation }) => operation.id));
  const schemas = new Schemas(model.document);
  const functions = model.rows.map(({ operation }) => functionOf(operation, model, schemas, imports));
  return `${imports.written()}\n${functions.join('\n')}`;
}

/** `schemes.gen.ts`: the ways to authenticate, and which of them the API key is for. */
export function schemesModule({ service }: Model): string {
  const imports = new Imports();
  const constants = Object.entries(service.securitySchemes).flatMap(([name, scheme]) => {
    const put = putOf(scheme, imports);
    return put
      ? [
          `export const ${schemeName(name)} = [${quoted(name)}, ${put.text}${name === service.keyScheme ? ", 'apiKey'" : ''}] as const;\n`,
        ]
      : [];
  });
  const usual = authorizeOf(service.security, imports, schemeName);
  const authorize = imports.type('Authorize', '../authorize.ts');
  return [
    imports.written(),
    ...constants,
    comment(['What a request needs of which the spec says nothing else.']),
    `export const authorize: ${authorize} | undefined = ${usual?.text};`,
    '',
  ].join('\n');
}

/** `pages.gen.ts`: how the operations that have pages have them. */
export function pagesModule({ rows }: Model): string {
  const imports = new Imports();
  const rules = rows.map(({ operation }) => [operation.id, pagesOf(operation, imports)] as const);
  const table = literal(defined(Object.fromEntries(rules)));
  return `${imports.written()}\n${comment(['How the operations that have pages have them.'])}\nexport const pageRules = ${table};\n`;
}

/** The code that puts in the credentials that are needed, if any is. */
function authorizeOf(
  security: Operation['security'],
  imports: Imports,
  nameOf: (scheme: string) => string,
): Code | undefined {
  const [only = [], ...others] = security.map((names) => names.map((name) => new Code(nameOf(name))));
  if (security.length === 0) return undefined;
  const isOne = others.length === 0 && only.length === 1;
  const needs = imports.value(isOne ? 'needs' : 'needsOneOf', '../authorize.ts');
  return new Code(
    `/* @__PURE__ */ ${needs}(${(isOne ? only : [only, ...others]).map((one) => literal(one)).join(', ')})`,
  );
}

function functionOf(operation: Operation, model: Model, schemas: Schemas, imports: Imports): string {
  const { id, fields } = operation;
  const needsInput = Object.values(fields).some((field) => field.required);
  const wire = literal(wireOf(operation, model, schemas, imports), '    ');
  const to =
    operation.server === undefined
      ? 'connection'
      : `${imports.value('atServer', '../call.ts')}(connection, ${quoted(operation.server)})`;
  const [send, connection, options, call, input] = [
    imports.value('send', '../call.ts'),
    imports.type('Connection', '../connection.ts'),
    imports.type('CallOptions', '../connection.ts'),
    imports.type('Call', '../call.ts'),
    imports.type('Input', '@petstore/types'),
  ];
  return `${comment(commentOf(operation))}
export function ${id}(connection: ${connection}, input${needsInput ? '' : '?'}: ${input}<'${id}'>, options?: ${options}): ${call}<'${id}'> {
    return ${send}(${to}, ${wire}, input, options);
}
`;
}

/** How to put an operation on the wire, as briefly as it can be said: consumers bundle it with each function. */
function wireOf(operation: Operation, { service: { security } }: Model, schemas: Schemas, imports: Imports): object {
  const { id, method, path } = operation;
  const same = JSON.stringify(operation.security) === JSON.stringify(security);
  return defined({
    id,
    method,
    path,
    encoders: encodersOf(operation, schemas, imports),
    authorize: same
      ? security.length > 0
        ? new Code(imports.value('authorize', './schemes.gen.ts'))
        : undefined
      : authorizeOf(operation.security, imports, (name) => imports.value(schemeName(name), './schemes.gen.ts')),
    accept: acceptOf(operation),
    ok: okOf(operation.successes),
    parse: parserOf(operation, schemas, imports),
    mayRetry:
      /^(GET|HEAD|PUT|DELETE)$/.test(method) || operation.idempotencyKey
        ? undefined
        : new Code(imports.value('mayRetryUnsafe', '../execute.ts')),
  });
}

/** What writes the inputs into a request: each encoder takes its own, the last one all that are left. */
function encodersOf(operation: Operation, schemas: Schemas, imports: Imports): Code[] {
  const { fields, body, idempotencyKey, id, deprecated, sunset } = operation;
  const all = Object.entries(fields);
  const plainly = (place: Field['in']) =>
    all.filter(([, field]) => field.in === place && isPlain(field, schemas)).map(([name]) => name);
  const [headers, cookies, query] = [plainly('header'), plainly('cookie'), plainly('query')];
  const value = (name: string, from: string) => imports.value(name, from);
  const encoders = all
    .filter(([, field]) => !isPlain(field, schemas))
    .map(([name, field]) => styledOf(name, field, imports));
  if (deprecated) encoders.unshift(callOf(value('deprecated', '../observe.ts'), [id, ...(sunset ? [sunset] : [])]));
  // It also sees to it that no name in the path is left as it is.
  if (all.some(([, field]) => field.in === 'path')) encoders.push(new Code(value('inPath', '../build-request.ts')));
  if (headers.length > 0) encoders.push(callOf(value('inHeaders', '../build-request.ts'), headers));
  if (idempotencyKey)
    encoders.push(callOf(value('withIdempotencyKey', '../build-request.ts'), [idempotencyKey.header.toLowerCase()]));
  if (cookies.length > 0) encoders.push(callOf(value('inCookies', '../parameters.ts'), cookies));
  const isWide = all.some(([, { in: place, schema }]) => place === 'body' && schemas.hasWide(schema));
  if (body?.whole) encoders.push(wholeOf(body, isWide, imports));
  if (!body || body.whole) encoders.push(new Code(value('inQuery', '../build-request.ts')));
  else {
    if (query.length > 0) encoders.push(callOf(value('inQueryOf', '../build-request.ts'), query));
    encoders.push(flatOf(body, isWide, imports));
  }
  return encoders;
}

/** Whether the functions for single words and repeated parameters do. */
function isPlain({ in: place, style, explode, allowReserved, contentType, schema }: Field, schemas: Schemas): boolean {
  if (place === 'body') return true;
  if (style !== undefined || allowReserved || contentType !== undefined) return false;
  if (schemas.isScalar(schema)) return true;
  // The default of a query is to repeat the name for each element of a list.
  return place === 'query' && explode === undefined && !schemas.typesOf(schema).has('object');
}

function styledOf(
  name: string,
  { in: place, style, explode, allowReserved, contentType }: Pick<Field, 'in' | keyof Serialization>,
  imports: Imports,
): Code {
  const isExploded = explode ?? (place === 'query' && (style ?? 'form') === 'form');
  const reserved = allowReserved ? [true] : [];
  const call = (fn: string, from: string, ...args: unknown[]) => callOf(imports.value(fn, from), [name, ...args]);
  if (contentType !== undefined) return call(`json${capital(place)}`, '../parameters.ts');
  if (place === 'path') return call(`${style ?? 'simple'}Path`, '../parameters.ts', isExploded);
  if (place === 'header') return call('simpleHeader', '../parameters.ts', isExploded);
  if (place === 'cookie') return call('formCookie', '../parameters.ts');
  if (style === 'deepObject') return call('deepQuery', '../parameters.ts', ...reserved);
  if (style?.endsWith('Delimited'))
    return call('delimitedQuery', '../parameters.ts', style === 'spaceDelimited' ? '%20' : '|', ...reserved);
  return call('formQuery', '../parameters.ts', isExploded, ...reserved);
}

/** The body that is one input called `body`. */
function wholeOf({ kind, mediaType, encoding }: RequestBody, isWide: boolean, imports: Imports): Code {
  const call = (name: string, ...args: unknown[]) => callOf(imports.value(name, '../bodies.ts'), args);
  if (kind === 'json')
    return call(isWide ? 'wholeExactJson' : 'wholeJson', ...otherThan('application/json', mediaType));
  if (kind === 'text') return call('wholeText', mediaType);
  if (kind === 'bytes') return call('wholeBytes', mediaType);
  return call('wholeForm', formOf(kind, encoding, imports));
}

/** The body whose properties are inputs. */
function flatOf({ kind, mediaType, encoding, required }: RequestBody, isWide: boolean, imports: Imports): Code {
  const flat =
    kind === 'json' && isWide
      ? callOf(imports.value('inExactJson', '../bodies.ts'), otherThan('application/json', mediaType))
      : kind === 'json'
        ? mediaType === 'application/json'
          ? new Code(imports.value('inBody', '../build-request.ts'))
          : callOf(imports.value('inJson', '../bodies.ts'), [mediaType])
        : formOf(kind, encoding, imports);
  return required ? flat : callOf(imports.value('ifAny', '../bodies.ts'), [flat]);
}

function formOf(kind: RequestBody['kind'], encoding: RequestBody['encoding'] = {}, imports: Imports): Code {
  if (kind === 'multipart') {
    const all = Object.entries(encoding);
    const written = all.map(([name, said]) => [name, partOf(name, said, imports)] as const);
    return callOf(imports.value('inMultipart', '../bodies.ts'), all.length > 0 ? [Object.fromEntries(written)] : []);
  }
  const encoders = Object.entries(encoding).map(([name, said]) => styledOf(name, { in: 'query', ...said }, imports));
  return callOf(imports.value('inForm', '../bodies.ts'), encoders);
}

/** How a property is written as parts: its content type, or what makes them. */
function partOf(name: string, said: PropertyEncoding, imports: Imports): string | Code {
  if (said.style !== undefined)
    return callOf(imports.value('styledParts', '../bodies.ts'), [styledOf(name, { in: 'query', ...said }, imports)]);
  const { contentType, headers = {} } = said;
  const lines = Object.entries(headers).map(([header, value]) => `\r\n${header}: ${value}`);
  if (lines.length === 0 && contentType !== undefined) return contentType;
  return callOf(imports.value('partWith', '../bodies.ts'), [lines.join(''), ...(contentType ? [contentType] : [])]);
}

/** A pattern of the statuses that are a success, where it is not 200 alone. */
function okOf(successes: Operation['successes']): Code | undefined {
  const statuses = successes.map((status) => (status === 'default' ? '2..' : status.replaceAll('X', '.')));
  return statuses.join() === '200' ? undefined : new Code(`/${statuses.join('|')}/`);
}

/** What parses the response, where it is not JSON with one success. */
function parserOf({ successes, responses }: Operation, schemas: Schemas, imports: Imports): Code | undefined {
  const parser = (status: string) => {
    const { kind, schema = {} } = responses[status] ?? {};
    if (kind === 'json')
      return new Code(imports.value(schemas.hasWide(schema) ? 'parseExactJson' : 'parseJson', '../parse-response.ts'));
    return new Code(
      imports.value(
        kind === 'text' ? 'parseText' : kind === 'bytes' ? 'parseBytes' : 'parseNothing',
        '../parse-response.ts',
      ),
    );
  };
  const [only = '', ...others] = successes;
  if (others.length > 0)
    return callOf(imports.value('byStatus', '../parse-response.ts'), [
      Object.fromEntries(successes.map((status) => [status, parser(status)])),
    ]);
  const { kind, schema = {} } = responses[only] ?? {};
  return kind === 'json' && !schemas.hasWide(schema) ? undefined : parser(only);
}

/** What is accepted, where it is more than JSON. */
function acceptOf({ successes, responses }: Operation): string | undefined {
  const types = successes.flatMap((status) => responses[status]?.mediaType ?? []);
  if (types.length === 0) return undefined;
  const accepted = [...new Set([...types, 'application/json'])].join(', ');
  return accepted === 'application/json' ? undefined : accepted;
}

/** What leads to the next page. */
function pagesOf({ pagination }: Operation, imports: Imports): Code | undefined {
  if (!pagination) return undefined;
  const { by, cursor, key, next, more, items } = pagination;
  if (by === 'link') {
    const linked = imports.value('linkPages', '../page-rules.ts');
    return items === undefined ? new Code(linked) : callOf(imports.value('linkPagesOf', '../page-rules.ts'), [items]);
  }
  const options = defined({ cursor, key, next, more, items });
  return callOf(imports.value(by === 'body' ? 'bodyPages' : 'lastPages', '../page-rules.ts'), [options]);
}

/** The code that a scheme's credential is put in a request by. */
function putOf(scheme: SecurityScheme, imports: Imports): Code | undefined {
  if (scheme.type === 'bearer') return new Code(imports.value('bearer', '../authorize.ts'));
  if (scheme.type === 'basic') return new Code(imports.value('basic', '../authorize.ts'));
  if (scheme.type !== 'apiKey') return undefined;
  return new Code(
    `/* @__PURE__ */ ${imports.value(`keyIn${capital(scheme.in)}`, '../authorize.ts')}(${quoted(scheme.name)})`,
  );
}

function callOf(name: string, args: readonly unknown[]): Code {
  return new Code(`${name}(${args.map((arg) => literal(arg, '        ')).join(', ')})`);
}

const otherThan = (usual: string, one: string) => (one === usual ? [] : [one]);
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
const schemeName = (name: string) => `${name.replace(/[^A-Za-z0-9]+/g, '_').replace(/^(\d)/, '_$1')}Scheme`;

/** The imports of a module, as they are asked for. */
class Imports {
  readonly #values = new Map<string, Set<string>>();
  readonly #types = new Map<string, Set<string>>();
  readonly #own: ReadonlySet<string>;

  /** `own` are the names that the module itself declares. */
  constructor(own: readonly string[] = []) {
    this.#own = new Set(own);
  }

  value(name: string, from: string): string {
    const isTaken = this.#own.has(name);
    note(this.#values, isTaken ? `${name} as ${name}_` : name, from);
    return isTaken ? `${name}_` : name;
  }

  type(name: string, from: string): string {
    return note(this.#types, name, from);
  }

  written(): string {
    const lines = (all: ReadonlyMap<string, ReadonlySet<string>>, keyword: string) =>
      [...all].map(([from, names]) => `${keyword} { ${[...names].sort().join(', ')} } from '${from}';`);
    return [...lines(this.#types, 'import type'), ...lines(this.#values, 'import')].map((line) => `${line}\n`).join('');
  }
}

function note(all: Map<string, Set<string>>, name: string, from: string): string {
  all.set(from, (all.get(from) ?? new Set()).add(name));
  return name;
}
