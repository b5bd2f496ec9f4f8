// Writes the client: one thin function per operation, on top of the hand-written runtime.
import { isDeepStrictEqual } from 'node:util';
import type { Operation, SecurityScheme } from '@petstore/types';
import { Code, docComment, Imports, identifier, literal, operationComment, quoted } from './code.ts';
import { defined, unusedName } from './document.ts';
import { encodersOf } from './encoders.ts';
import type { Model } from './model.ts';
import { capital } from './operation-names.ts';
import { Schemas } from './schemas.ts';
import type { Service } from './service.ts';

const [credentials, response] = ['../credentials.ts', '../parse-response.ts'] as const;

/** `calls.gen.ts`: a function for each operation. */
export function callsModule(model: Model): string {
  const imports = new Imports(model.operations.map(({ operation }) => operation.id));
  const schemas = new Schemas(model.document);
  const functions = model.operations.map(({ operation }) => functionOf(operation, model, schemas, imports));
  return `${imports}\n${functions.join('\n')}`;
}

/** `schemes.gen.ts`: the security schemes, the names of API keys in requests, and the default authorization. */
export function schemesModule({ service }: Model): string {
  const imports = new Imports();
  const names = schemeNames(service);
  const constants = Object.entries(service.securitySchemes).flatMap(([name, scheme]) => {
    const addCredential = addCredentialOf(scheme, imports);
    if (!addCredential) return [];
    const key = name === service.keyScheme ? ", 'apiKey'" : '';
    return `export const ${names.get(name)} = [${quoted(name)}, ${addCredential}${key}] as const;\n`;
  });
  const defaultAuthorize = authorizeOf(service.security, imports, (name) => new Code(names.get(name) ?? ''));
  const authorize = imports.type('Authorize', '../build-request.ts');
  const apiKeyNames = Object.values(service.securitySchemes).flatMap((scheme) =>
    scheme.type === 'apiKey' ? [encodeURIComponent(scheme.name).toLowerCase()] : [],
  );
  return [
    imports,
    ...constants,
    docComment(['The headers, query parameters and cookies that are API keys, as in a URL and in lower case.']),
    `export const apiKeyNames: readonly string[] = ${literal(apiKeyNames)};`,
    '',
    docComment(['Adds the credentials that the spec requires by default.']),
    `export const authorize: ${authorize} | undefined = ${defaultAuthorize};`,
    '',
  ].join('\n');
}

/** `pages.gen.ts`: the paging rules of operations. */
export function pagesModule({ operations }: Model): string {
  const imports = new Imports();
  const type = imports.type('Pagination', '@petstore/types');
  const rules = Object.fromEntries(operations.map(({ operation }) => [operation.id, operation.pagination]));
  const comment = docComment(['The paging rules of the operations that have pages.']);
  return `${imports}\n${comment}\nexport const pageRules: Readonly<Record<string, ${type}>> = ${literal(rules)};\n`;
}

/** The code that adds the required credentials; undefined if no credentials are required. */
function authorizeOf(
  security: Operation['security'],
  imports: Imports,
  schemeOf: (name: string) => Code,
): Code | undefined {
  if (security.length === 0) return undefined;
  const alternatives = security.map((names) => names.map(schemeOf));
  const [only = [], ...others] = alternatives;
  return others.length === 0 && only.length === 1
    ? pure(imports.call('authorizeBy', credentials, only))
    : pure(imports.call('authorizeByOneOf', credentials, alternatives));
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
  return `${docComment(operationComment(operation))}
export function ${id}(connection: ${connection}, input${needsInput ? '' : '?'}: ${input}<'${id}'>, options?: ${options}): ${call}<'${id}'> {
    return ${send}(${to}, ${wire}, input, options);
}
`;
}

/** The wire format of an operation, as short as possible, because consumers bundle it with each function. */
function wireOf(operation: Operation, { service }: Model, schemas: Schemas, imports: Imports): object {
  const { id, method, path } = operation;
  const { security } = operation;
  const names = schemeNames(service);
  const isDefault = security.length > 0 && isDeepStrictEqual(security, service.security);
  return defined({
    id,
    method,
    path,
    encoders: encodersOf(operation, schemas, imports),
    authorize: isDefault
      ? imports.value('authorize', './schemes.gen.ts')
      : authorizeOf(security, imports, (name) => imports.value(names.get(name) ?? '', './schemes.gen.ts')),
    accept: acceptOf(operation),
    ok: okOf(operation.successes),
    parse: parserOf(operation, schemas, imports),
    mayRetry:
      /^(GET|HEAD|OPTIONS|PUT|DELETE)$/.test(method) || operation.idempotencyKey
        ? undefined
        : imports.value('mayRetryNonIdempotent', '../execute.ts'),
  });
}

/** A pattern of the successful statuses; undefined for the default, 200 only. */
function okOf(successes: Operation['successes']): Code | undefined {
  const statuses = successes.map((status) => (status === 'default' ? '2..' : status.replaceAll('X', '.')));
  return statuses.join() === '200' ? undefined : new Code(`/${statuses.join('|')}/`);
}

/** The parser of the response; undefined for the default, JSON with one success. */
function parserOf({ successes, responses }: Operation, schemas: Schemas, imports: Imports): Code | undefined {
  const nameOf = (status: string) => {
    const { kind, schema = {} } = responses[status] ?? {};
    if (kind === 'json') return schemas.hasWide(schema) ? 'parseExactJson' : 'parseJson';
    return kind === 'text' ? 'parseText' : kind === 'bytes' ? 'parseBytes' : 'parseNothing';
  };
  const [only = '', ...others] = successes;
  if (others.length > 0) {
    const parsers = successes.map((status) => [status, imports.value(nameOf(status), response)] as const);
    return imports.call('byStatus', response, [Object.fromEntries(parsers)]);
  }
  const name = nameOf(only);
  return name === 'parseJson' ? undefined : imports.value(name, response);
}

/** The accepted media types; undefined for the default, JSON only. */
function acceptOf({ successes, responses }: Operation): string | undefined {
  const types = successes.flatMap((status) => responses[status]?.mediaType ?? []);
  if (types.length === 0) return undefined;
  const accepted = [...new Set([...types, 'application/json'])].join(', ');
  return accepted === 'application/json' ? undefined : accepted;
}

/** The code that adds a scheme's credential to a request. */
function addCredentialOf(scheme: SecurityScheme, imports: Imports): Code | undefined {
  if (scheme.type === 'bearer' || scheme.type === 'basic') return imports.value(scheme.type, credentials);
  if (scheme.type !== 'apiKey') return undefined;
  return pure(imports.call(`keyIn${capital(scheme.in)}`, credentials, [scheme.name]));
}

/** Lets bundlers leave out an unused call. */
const pure = (call: Code) => new Code(`/* @__PURE__ */ ${call}`);

/** The constants of the security schemes by the names in the spec, which may differ only in punctuation. */
function schemeNames({ securitySchemes }: Service): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const name of Object.keys(securitySchemes))
    names.set(name, unusedName(`${identifier(name)}Scheme`, [...names.values()]));
  return names;
}
