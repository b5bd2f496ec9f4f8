// Reads the spec from the parsed YAML. It shares no code with the generator, so that the checks do
// not repeat a mistake of the generator.
import type { Schema } from '@petstore/types';
import { parse } from 'yaml';
import {
  asObject,
  type Collection,
  type DeclaredResponse,
  type Header,
  type JsonObject,
  kebab,
  type Operation,
  type Parameter,
  parentOf,
  resolve,
  type Spec,
} from './spec.ts';

export function readSpec(text: string): Spec {
  const document = asObject(parse(text));
  const operations = operationsIn(document);
  const deployments = deploymentsIn(document);
  const [firstUrl = ''] = deployments.values();
  const errorCode = asObject(asObject(asObject(document.components).schemas).ErrorCode);
  const statuses = Object.entries(asObject(errorCode['x-statuses']));
  return {
    text,
    document,
    version: String(asObject(document.info).version),
    deployments,
    basePath: new URL(firstUrl).pathname,
    operations,
    collections: collectionsOf(operations),
    errorStatuses: new Map(statuses.map(([code, status]) => [code, Number(status)])),
    commonHeaders: headersIn(document, document['x-common-headers']),
  };
}

const methods = ['get', 'put', 'post', 'delete', 'patch'];

function operationsIn(document: JsonObject): Operation[] {
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(asObject(document.paths))) {
    const declared = asObject(item);
    const shared = asList(declared.parameters);
    for (const method of methods.filter((name) => name in declared))
      found.push(operationOf(document, path, method, shared, asObject(declared[method])));
  }
  return found;
}

function operationOf(
  document: JsonObject,
  path: string,
  method: string,
  shared: readonly unknown[],
  declared: JsonObject,
): Operation {
  const all = parametersIn(document, [...shared, ...asList(declared.parameters)]);
  const key = all.find((each) => 'x-idempotency-key' in each);
  const responses = responsesIn(document, declared.responses);
  return {
    id: String(declared.operationId),
    method: method.toUpperCase(),
    path,
    summary: String(declared.summary ?? ''),
    command: commandOf(declared, path),
    parameters: all.filter((each) => each !== key).map(parameterOf),
    idempotencyKey: key && { ...parameterOf(key), hours: Number(key['x-idempotency-hours']) },
    body: 'requestBody' in declared ? bodyOf(resolve(document, declared.requestBody)) : undefined,
    responses,
    successes: [...responses.keys()].filter((status) => status.startsWith('2')).map(Number),
    pagination: declared['x-pagination'] as Operation['pagination'],
    isDeprecated: declared.deprecated === true,
    deprecatedSince: declared['x-deprecated-since'] as string | undefined,
    sunset: declared['x-sunset'] as string | undefined,
    successor: declared['x-successor'] as string | undefined,
  };
}

/**
 * The parameters of a path and of an operation. Those of the operation are last, and replace the
 * others.
 */
function parametersIn(document: JsonObject, declared: readonly unknown[]): JsonObject[] {
  const parameters = declared.map((each) => resolve(document, each));
  return [...new Map(parameters.map((each) => [`${each.in} ${each.name}`, each])).values()];
}

function parameterOf(declared: JsonObject): Parameter {
  return {
    name: String(declared.name),
    in: String(declared.in),
    required: declared.required === true,
    schema: asObject(declared.schema),
  };
}

function bodyOf(declared: JsonObject): Operation['body'] {
  return { required: declared.required === true, schema: jsonSchemaOf(declared) ?? {} };
}

function responsesIn(document: JsonObject, declared: unknown): Map<string, DeclaredResponse> {
  const responses = new Map<string, DeclaredResponse>();
  for (const [status, value] of Object.entries(asObject(declared))) {
    const response = resolve(document, value);
    const headers = headersIn(document, response.headers);
    responses.set(status, { schema: jsonSchemaOf(response), headers });
  }
  return responses;
}

function headersIn(document: JsonObject, declared: unknown): Map<string, Header> {
  const headers = new Map<string, Header>();
  for (const [name, value] of Object.entries(asObject(declared))) {
    const header = resolve(document, value);
    headers.set(name.toLowerCase(), {
      required: header.required === true,
      requiredWith: asList(header['x-required-with']).map(Number),
      schema: asObject(header.schema),
    });
  }
  return headers;
}

function jsonSchemaOf(declared: JsonObject): Schema | undefined {
  const media = asObject(declared.content)['application/json'];
  return media === undefined ? undefined : asObject(asObject(media).schema);
}

/**
 * `pets list`: the tag, or the first word of the path, and the words of the operationId (listPets)
 * without those of the tag.
 */
function commandOf(declared: JsonObject, path: string): string {
  if (typeof declared['x-command'] === 'string') return declared['x-command'];
  const [tag = firstWordOf(path)] = asList(declared.tags);
  const group = kebab(String(tag));
  const [verb = '', ...others] = kebab(String(declared.operationId)).split('-');
  const nouns = group.split('-').flatMap((noun) => [noun, singularOf(noun)]);
  const rest = others.filter((word) => !nouns.includes(word));
  return `${group} ${[verb, ...rest].join('-')}`;
}

/** `pets` of `/{storeId}/pets/{petId}`. */
function firstWordOf(path: string): string {
  const [, ...parts] = path.split('/');
  return parts.find((part) => !part.startsWith('{')) ?? 'root';
}

function singularOf(noun: string): string {
  if (noun.endsWith('ies')) return `${noun.slice(0, -3)}y`;
  return noun.endsWith('s') ? noun.slice(0, -1) : noun;
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

function deploymentsIn(document: JsonObject): Map<string, string> {
  const deployments = new Map<string, string>();
  for (const server of asList(document.servers).map(asObject)) {
    let url = String(server.url);
    for (const [name, variable] of Object.entries(asObject(server.variables)))
      url = url.replace(`{${name}}`, String(asObject(variable).default));
    deployments.set(String(server['x-deployment']), url);
  }
  return deployments;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
