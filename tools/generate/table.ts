// Reads a parsed document into the table of operations. Nothing is checked here, because the
// document has passed the refusals.
import type { Field, IdempotencyKey, Operation, OperationResponse, Schema } from '@petstore/types';
import {
  type DeclaredOperation,
  deploymentsOf,
  followed,
  isRecord,
  isRecursive,
  jsonSchemaOf,
  listOf,
  type Node,
  operationsIn,
  parametersOf,
  reachableFrom,
  recordOf,
  schemasOf,
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

export function tableOf(document: Node): Table {
  const operations = operationsIn(document).map((declared) => operationOf(declared, document));
  const schemas = schemasOf(document);
  const { title, version, summary = '' } = recordOf(document.info);
  const deployments = deploymentsOf(document);
  return {
    operations,
    schemas: usedSchemas(schemas, operations),
    recursive: new Set(Object.keys(schemas).filter((name) => isRecursive(name, schemas))),
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
  const used = reachableFrom(operations, schemas);
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
  const parameters = parametersOf(declared, document);
  const key = parameters.find((parameter) => parameter['x-idempotency-key'] === true);
  const inputs = parameters.filter((parameter) => parameter !== key);
  const body = bodyOf(operation.requestBody, inputs, document);
  const responses = responsesOf(operation, document);
  const successes = Object.keys(responses).filter((status) => status.startsWith('2'));
  return withoutUndefined<Operation>({
    id: String(operation.operationId),
    method: method.toUpperCase() as Operation['method'],
    path,
    command: commandOf(operation, path),
    // The operations of a path share its summary and description, unless they have their own.
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

function responsesOf(operation: Node, document: Node): Record<string, OperationResponse> {
  const responses: Record<string, OperationResponse> = {};
  for (const [status, declared] of Object.entries(recordOf(operation.responses))) {
    const response = followed(document, declared);
    const description = String(response.description);
    const hasBody = 'application/json' in recordOf(response.content);
    responses[status] = hasBody ? { description, schema: jsonSchemaOf(response) } : { description };
  }
  return responses;
}

interface Body {
  readonly requestBody: NonNullable<Operation['body']>;
  /** Its properties as inputs, or the whole body as the input `body`. */
  readonly fields: Record<string, Field>;
}

function bodyOf(declared: unknown, parameters: readonly Node[], document: Node): Body | undefined {
  if (declared === undefined) return undefined;
  const body = followed(document, declared);
  const required = body.required === true;
  const fields = propertyFields(jsonSchemaOf(body), document);
  const names = parameters.map(({ name }) => String(name));
  if (fields !== undefined && canBeInputs(fields, names, required))
    return { requestBody: { required }, fields };
  const field = fieldOf({ ...body, in: 'body', schema: jsonSchemaOf(body) });
  return { requestBody: { required, whole: true }, fields: { body: field } };
}

/** Whether the properties of a body can be inputs, if the parameters have these names. */
function canBeInputs(
  fields: Readonly<Record<string, Field>>,
  parameters: readonly string[],
  isBodyRequired: boolean,
): boolean {
  if (Object.keys(fields).length === 0) return false;
  if (parameters.some((name) => Object.hasOwn(fields, name))) return false;
  // Nobody could leave out an optional body without its required properties.
  return isBodyRequired || !Object.values(fields).some(({ required }) => required);
}

/** The properties of a body as inputs; undefined if its schema does not list all of them. */
function propertyFields(schema: Node, document: Node): Record<string, Field> | undefined {
  const parts = partsOf(schema, document);
  if (!parts.every(listsAllProperties)) return undefined;
  const required = parts.flatMap((part) => listOf(part.required));
  const fields: Record<string, Field> = {};
  for (const part of parts)
    for (const [name, property] of Object.entries(recordOf(part.properties)))
      fields[name] = propertyField(recordOf(property), required.includes(name), document);
  return fields;
}

function propertyField(property: Node, required: boolean, document: Node): Field {
  const { description = followed(document, property).description, deprecated } = property;
  return fieldOf({ in: 'body', required, description, deprecated, schema: property });
}

/** The schema and the parts of its `allOf`, with references followed. */
function partsOf(schema: Node, document: Node): Node[] {
  const target = followed(document, schema);
  return [target, ...listOf(target.allOf).flatMap((part) => partsOf(recordOf(part), document))];
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
