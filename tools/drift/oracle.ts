// The spec as the checks understand it: the parsed YAML and nothing else. It shares no code with the generator, so that a mistake of
// the generator is not a mistake of its judge.
import type { Schema } from '@petstore/types';
import { parse } from 'yaml';
import type {
  Collection,
  DeclaredResponse,
  Header,
  Node,
  Operation,
  Parameter,
  Spec,
} from './interface.ts';

export const specFile = 'spec/openapi.yaml';

export function readSpec(text: string): Spec {
  const document = asNode(parse(text));
  const info = asNode(document.info);
  const operations = operationsIn(document);
  const deployments = deploymentsIn(document);
  const [firstUrl = ''] = deployments.values();
  const errorCode = asNode(asNode(asNode(document.components).schemas).ErrorCode);
  return {
    text,
    document,
    version: String(info.version),
    deployments,
    basePath: new URL(firstUrl).pathname,
    operations,
    collections: collectionsOf(operations),
    errorStatuses: new Map(
      Object.entries(asNode(errorCode['x-statuses'])).map(([code, status]) => [
        code,
        Number(status),
      ]),
    ),
    commonHeaders: headersIn(document, document['x-common-headers']),
  };
}

/** The schema, or the one that it refers to. */
export function follow(spec: Spec, schema: Schema | undefined): Schema {
  return followed(spec.document, schema);
}

/** The properties of an object schema and the names of the required ones, those of its `allOf` included. */
export function propertiesOf(spec: Spec, schema: Schema | undefined): PropertySchemas {
  const { properties, required = [], allOf = [] } = follow(spec, schema);
  const all: Record<string, Schema> = {};
  const names = [...required];
  for (const part of allOf) {
    const inherited = propertiesOf(spec, part);
    Object.assign(all, inherited.properties);
    names.push(...inherited.required);
  }
  return { properties: Object.assign(all, properties), required: names };
}

interface PropertySchemas {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** What an operation declares for a status: by itself, or as `default`. */
export function responseFor(operation: Operation, status: number): DeclaredResponse | undefined {
  return operation.responses.get(String(status)) ?? operation.responses.get('default');
}

/** The names of the parameters in a path: `petId` in `/pets/{petId}`. */
export function pathParameters(path: string): string[] {
  const parts = path.split('/').filter((part) => part.startsWith('{'));
  return parts.map((part) => part.slice(1, -1));
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

function operationsIn(document: Node): Operation[] {
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(asNode(document.paths))) {
    const declared = asNode(item);
    const shared = asList(declared.parameters);
    for (const method of methods.filter((name) => name in declared))
      found.push(operationOf(document, path, method, shared, asNode(declared[method])));
  }
  return found;
}

function operationOf(
  document: Node,
  path: string,
  method: string,
  shared: readonly unknown[],
  declared: Node,
): Operation {
  const all = parametersIn(document, [...shared, ...asList(declared.parameters)]);
  const key = all.find((each) => 'x-idempotency-key' in each);
  const responses = new Map(
    Object.entries(asNode(declared.responses)).map(([status, response]) => [
      status,
      responseOf(document, followed(document, response)),
    ]),
  );
  const requestBody =
    declared.requestBody === undefined ? undefined : followed(document, declared.requestBody);
  return {
    id: String(declared.operationId),
    method: method.toUpperCase(),
    path,
    summary: String(declared.summary ?? ''),
    command: commandOf(declared),
    parameters: all.filter((each) => each !== key).map(parameterOf),
    idempotencyKey: key && { ...parameterOf(key), hours: Number(key['x-idempotency-hours']) },
    body: requestBody && {
      required: requestBody.required === true,
      schema: jsonSchemaOf(requestBody) ?? {},
    },
    responses,
    successes: [...responses.keys()].filter((status) => status.startsWith('2')).map(Number),
    pagination: declared['x-pagination'] as Operation['pagination'],
    isDeprecated: declared.deprecated === true,
    deprecatedSince: declared['x-deprecated-since'] as string | undefined,
    sunset: declared['x-sunset'] as string | undefined,
    successor: declared['x-successor'] as string | undefined,
  };
}

/** The parameters of an operation. They come after those of the path, and replace them. */
function parametersIn(document: Node, declared: readonly unknown[]): Node[] {
  const parameters = declared.map((each) => followed(document, each));
  return [...new Map(parameters.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

function parameterOf(declared: Node): Parameter {
  return {
    name: String(declared.name),
    in: String(declared.in),
    required: declared.required === true,
    schema: asNode(declared.schema),
  };
}

function responseOf(document: Node, declared: Node): DeclaredResponse {
  return { schema: jsonSchemaOf(declared), headers: headersIn(document, declared.headers) };
}

function headersIn(document: Node, declared: unknown): Map<string, Header> {
  const headers = new Map<string, Header>();
  for (const [name, value] of Object.entries(asNode(declared))) {
    const header = followed(document, value);
    headers.set(name.toLowerCase(), {
      required: header.required === true,
      requiredWith: asList(header['x-required-with']).map(Number),
      schema: asNode(header.schema),
    });
  }
  return headers;
}

function jsonSchemaOf(declared: Node): Schema | undefined {
  const media = asNode(declared.content)['application/json'];
  return media === undefined ? undefined : asNode(asNode(media).schema);
}

/** `pets list`: the tag, and the words of the operationId (listPets) without those of the tag. */
function commandOf(declared: Node): string {
  if (typeof declared['x-command'] === 'string') return declared['x-command'];
  const group = kebab(String(asList(declared.tags)[0] ?? ''));
  const [verb = '', ...others] = kebab(String(declared.operationId)).split('-');
  const nouns = group.split('-').flatMap((noun) => [noun, singularOf(noun)]);
  const rest = others.filter((word) => !nouns.includes(word));
  return `${group} ${[verb, ...rest].join('-')}`;
}

function singularOf(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
}

/** `categoryId` as `category-id`. */
export function kebab(name: string): string {
  const separated = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const words = separated.split(/[^a-z0-9]+/).filter((word) => word !== '');
  return words.join('-');
}

function collectionsOf(operations: readonly Operation[]): Collection[] {
  return operations.flatMap((list) => {
    const { path, pagination } = list;
    if (!pagination) return [];
    const create = operations.find((each) => each.method === 'POST' && each.path === path);
    const below = operations.filter((each) => parentOf(each.path) === path);
    const get = below.find((each) => each.method === 'GET');
    return [{ path, key: pagination.key, list, create, get }];
  });
}

/** `/pets` for `/pets/{petId}`; undefined for any other form of path. */
export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return path.startsWith('{', end + 1) ? path.slice(0, end) : undefined;
}

function deploymentsIn(document: Node): Map<string, string> {
  const deployments = new Map<string, string>();
  for (const server of asList(document.servers).map(asNode)) {
    let url = String(server.url);
    for (const [name, variable] of Object.entries(asNode(server.variables)))
      url = url.replace(`{${name}}`, String(asNode(variable).default));
    deployments.set(String(server['x-deployment']), url);
  }
  return deployments;
}

/** The object that a value is, or refers to. What stands beside a reference is kept. */
function followed(document: Node, value: unknown): Node {
  const { $ref, ...beside } = asNode(value);
  if (typeof $ref !== 'string') return asNode(value);
  let target: unknown = document;
  for (const name of $ref.split('/').slice(1)) target = asNode(target)[name];
  return { ...followed(document, target), ...beside };
}

/** The object itself; an empty one for anything else, so that what is missing reads as absent. */
export function asNode(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
