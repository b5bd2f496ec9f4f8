// The parsed document as the table of operations. The document has passed the refusals, so nothing
// is checked here.
import type { Field, IdempotencyKey, Operation, OperationResponse, Schema } from '@petstore/types';
import {
  type DeclaredOperation,
  deploymentsOf,
  followed,
  isRecord,
  jsonSchemaOf,
  listOf,
  type Node,
  operationsIn,
  parametersOf,
  reachableFrom,
  recordOf,
  recursiveIn,
  referencesIn,
} from './document.ts';
import { commandOf } from './names.ts';

/** What is generated as data. A schema may be a `$ref` to one of `schemas`. */
export interface Table {
  readonly operations: readonly Operation[];
  /** The schemas that operations use, without extensions. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The names of the schemas that contain themselves. */
  readonly recursive: ReadonlySet<string>;
  readonly version: string;
  readonly service: Service;
  readonly deployments: Readonly<Record<string, string>>;
}

interface Service {
  readonly title: string;
  readonly summary: string;
  /** The status of each error code. */
  readonly statuses: Readonly<Record<string, number>>;
  /** The path that every address of the service ends with. */
  readonly basePath: string;
}

type Follow = (value: unknown) => Node;

export function tableOf(document: Node): Table {
  const operations = operationsIn(document).map((declared) => operationOf(declared, document));
  const schemas = recordOf(recordOf(document.components).schemas);
  const { title, version, summary = '' } = recordOf(document.info);
  const deployments = deploymentsOf(document);
  return {
    operations,
    schemas: usedSchemas(schemas, operations),
    recursive: recursiveIn(schemas),
    version: String(version),
    service: {
      title: String(title),
      summary: String(summary),
      statuses: recordOf(recordOf(schemas.ErrorCode)['x-statuses']) as Service['statuses'],
      basePath: basePathOf(deployments),
    },
    deployments,
  };
}

function usedSchemas(schemas: Node, operations: readonly Operation[]): Record<string, Schema> {
  const used = referencesIn(operations);
  const reachable = reachableFrom(schemas);
  for (const name of [...used]) for (const further of reachable.get(name) ?? []) used.add(further);
  const entries = Object.entries(schemas).filter(([name]) => used.has(name));
  return Object.fromEntries(entries.map(([name, schema]) => [name, withoutExtensions(schema)]));
}

function withoutExtensions(schema: unknown): Schema {
  const entries = Object.entries(recordOf(schema)).filter(([key]) => !key.startsWith('x-'));
  return Object.fromEntries(entries);
}

/** All deployments have the same path. */
function basePathOf(deployments: Readonly<Record<string, string>>): string {
  const [url = '/'] = Object.values(deployments);
  return new URL(url, 'http://localhost').pathname.replace(/\/$/, '');
}

function operationOf(declared: DeclaredOperation, document: Node): Operation {
  const { path, method, item, operation } = declared;
  const follow: Follow = (value) => followed(document, value);
  const parameters = parametersOf(declared, document);
  const key = parameters.find((parameter) => parameter['x-idempotency-key'] === true);
  const inputs = parameters.filter((parameter) => parameter !== key);
  const body = bodyOf(operation.requestBody, inputs, follow);
  const responses = responsesOf(operation, follow);
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
  return withoutUndefined<Operation>({
    id: String(operation.operationId),
    method: method.toUpperCase() as Operation['method'],
    path,
    command: commandOf(operation, path),
    // A summary or description of the path is that of its operations.
    summary: textOf(operation.summary ?? item.summary) || `${method.toUpperCase()} ${path}`,
    description: textOf(operation.description ?? item.description),
    tags: listOf(operation.tags).map(String),
    deprecated: operation.deprecated === true,
    deprecatedSince: operation['x-deprecated-since'] as string | undefined,
    sunset: operation['x-sunset'] as string | undefined,
    successor: operation['x-successor'] as string | undefined,
    stability: operation['x-stability-level'] as Operation['stability'],
    body: body?.requestBody,
    idempotencyKey: key && idempotencyKeyOf(key),
    pagination: operation['x-pagination'] as Operation['pagination'],
    fields: { ...parameterFields(inputs), ...body?.fields },
    responses,
    successes,
    success: successes.length === 1 ? Number(successes[0]) : undefined,
  });
}

function parameterFields(parameters: readonly Node[]): Record<string, Field> {
  return Object.fromEntries(
    parameters.map((parameter) => [String(parameter.name), fieldOf(parameter)]),
  );
}

function fieldOf({ in: place, required, description, deprecated, schema }: Node): Field {
  return withoutUndefined<Field>({
    in: place as Field['in'],
    required: required === true,
    description: String(description ?? ''),
    deprecated: deprecated === true || undefined,
    schema: recordOf(schema),
  });
}

function idempotencyKeyOf({ name, description, schema }: Node): IdempotencyKey {
  return { header: String(name), description: textOf(description), schema: recordOf(schema) };
}

function responsesOf(operation: Node, follow: Follow): Record<string, OperationResponse> {
  const responses: Record<string, OperationResponse> = {};
  for (const [status, declared] of Object.entries(recordOf(operation.responses))) {
    const response = follow(declared);
    const description = String(response.description);
    const hasBody = 'application/json' in recordOf(response.content);
    responses[status] = hasBody ? { description, schema: jsonSchemaOf(response) } : { description };
  }
  return responses;
}

interface Body {
  readonly requestBody: NonNullable<Operation['body']>;
  /** Its inputs: its properties, or all of it as the input `body`. */
  readonly fields: Record<string, Field>;
}

function bodyOf(declared: unknown, parameters: readonly Node[], follow: Follow): Body | undefined {
  if (declared === undefined) return undefined;
  const body = follow(declared);
  const required = body.required === true;
  const schema = jsonSchemaOf(body);
  const parts = partsOf(schema, follow);
  const properties: Node = Object.assign({}, ...parts.map((part) => part.properties));
  const needed = new Set(parts.flatMap((part) => listOf(part.required)));
  const isWhole =
    !parts.every(listsAllProperties) ||
    Object.keys(properties).length === 0 ||
    parameters.some(({ name }) => Object.hasOwn(properties, String(name))) ||
    (!required && needed.size > 0);
  if (isWhole) {
    const field = fieldOf({ in: 'body', required, description: body.description, schema });
    return { requestBody: { required, whole: true }, fields: { body: field } };
  }
  const fields: Record<string, Field> = {};
  for (const [name, property] of Object.entries(properties))
    fields[name] = propertyField(recordOf(property), needed.has(name), follow);
  return { requestBody: { required }, fields };
}

function propertyField(property: Node, required: boolean, follow: Follow): Field {
  const { description = follow(property).description, deprecated } = property;
  return fieldOf({ in: 'body', required, description, deprecated, schema: property });
}

/** The schema and the parts of its `allOf`, with references followed. */
function partsOf(schema: Node, follow: Follow): Node[] {
  const target = follow(schema);
  return [target, ...listOf(target.allOf).flatMap((part) => partsOf(recordOf(part), follow))];
}

/** Whether the part is an object, or an `allOf` of objects, that lists all its properties. */
function listsAllProperties({ type, allOf, additionalProperties }: Node): boolean {
  const isObject = type === 'object' || allOf !== undefined;
  return isObject && !isRecord(additionalProperties);
}

const textOf = (value: unknown) => String(value ?? '').trim();

/** The object without the properties that are undefined. */
function withoutUndefined<T extends object>(object: { [K in keyof T]: T[K] | undefined }): T {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}
