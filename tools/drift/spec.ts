// The spec as the checks use it. `read-spec.ts` reads it.
import type { Schema } from '@petstore/types';

export const specFile = 'spec/openapi.yaml';

/** The paths of the server that are not those of operations. */
export const otherPaths = [
  '/docs',
  '/healthz',
  '/metrics',
  '/openapi.json',
  '/openapi.yaml',
  '/readyz',
];

/** An object of the document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A path, query or header parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface IdempotencyKey extends Parameter {
  /** A repetition within these hours gets the first response. */
  readonly hours: number;
}

export interface Header {
  readonly required: boolean;
  /** Responses with these statuses always have it. */
  readonly requiredWith: readonly number[];
  readonly schema: Schema;
}

export interface DeclaredResponse {
  /** The schema of the JSON body; undefined without a body. */
  readonly schema: Schema | undefined;
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, Header>;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** The words of its petctl command. */
  readonly command: string;
  /** All but the idempotency key. */
  readonly parameters: readonly Parameter[];
  readonly idempotencyKey: IdempotencyKey | undefined;
  readonly body: { readonly required: boolean; readonly schema: Schema } | undefined;
  /** By status, or `default`. */
  readonly responses: ReadonlyMap<string, DeclaredResponse>;
  /** The statuses of its successes. */
  readonly successes: readonly number[];
  readonly pagination:
    | { readonly cursor: string; readonly limit: string; readonly key: string }
    | undefined;
  readonly isDeprecated: boolean;
  readonly deprecatedSince: string | undefined;
  readonly sunset: string | undefined;
  /** The identifier of the operation to use instead. */
  readonly successor: string | undefined;
}

/** Documents of one kind, and the operations on them. */
export interface Collection {
  readonly path: string;
  /** The property that identifies a document. */
  readonly key: string;
  readonly list: Operation;
  readonly create: Operation | undefined;
  readonly get: Operation | undefined;
}

export interface Spec {
  readonly text: string;
  readonly document: JsonObject;
  readonly version: string;
  /** The base URL of each deployment. */
  readonly deployments: ReadonlyMap<string, string>;
  /** The path that each base URL ends with. */
  readonly basePath: string;
  readonly operations: readonly Operation[];
  readonly collections: readonly Collection[];
  /** The status of each error code. */
  readonly errorStatuses: ReadonlyMap<string, number>;
  /** The headers of every response, by their names in lower case. */
  readonly commonHeaders: ReadonlyMap<string, Header>;
}

/** The properties of an object schema. */
export interface Properties {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** The schema, or the one that it refers to. */
export function follow({ document }: Spec, schema: Schema | undefined): Schema {
  return resolve(document, schema);
}

/**
 * The object that a value is, or refers to. The other properties of a reference replace those of
 * its target.
 */
export function resolve(document: JsonObject, value: unknown): JsonObject {
  const { $ref, ...siblings } = asObject(value);
  if (typeof $ref !== 'string') return asObject(value);
  let target: unknown = document;
  for (const name of $ref.split('/').slice(1)) target = asObject(target)[name];
  return { ...resolve(document, target), ...siblings };
}

/** The properties of an object schema, those of its `allOf` included. */
export function propertiesOf(spec: Spec, schema: Schema | undefined): Properties {
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

/**
 * Whether the properties of the body are inputs, like the parameters. Else the whole body is one
 * input.
 */
export function hasPropertiesAsInputs(spec: Spec, { body, parameters }: Operation): boolean {
  if (!body || !listsItsProperties(spec, body.schema)) return false;
  const { properties, required } = propertiesOf(spec, body.schema);
  if (parameters.some(({ name }) => name in properties)) return false;
  // Nobody could leave out an optional body without its required properties.
  if (!body.required && required.length > 0) return false;
  return Object.keys(properties).length > 0;
}

/** Whether a schema is an object, or an `allOf` of objects, that lists all its properties. */
function listsItsProperties(spec: Spec, schema: Schema): boolean {
  const { type, allOf, additionalProperties } = follow(spec, schema);
  if (isObject(additionalProperties)) return false;
  if (type !== 'object' && !allOf) return false;
  return (allOf ?? []).every((part) => listsItsProperties(spec, part));
}

/** The operations whose path fits: `/pets/{petId}` fits `/pets/7`. */
export function operationsAt(spec: Spec, path: string): Operation[] {
  const parts = path.split('/');
  return spec.operations.filter((operation) => {
    const names = operation.path.split('/');
    if (names.length !== parts.length) return false;
    return names.every((name, i) => (name.startsWith('{') ? parts[i] !== '' : name === parts[i]));
  });
}

/** The collection that an operation is on, or on a document of it. */
export function collectionOf(spec: Spec, { path }: Operation): Collection | undefined {
  return spec.collections.find((each) => each.path === path || each.path === parentOf(path));
}

/** The schema of the elements of a list. */
export function elementOf(spec: Spec, list: Operation): Schema | undefined {
  return follow(spec, list.responses.get('200')?.schema).items;
}

/** What an operation declares for a status: by itself, or as `default`. */
export function responseFor(operation: Operation, status: number): DeclaredResponse | undefined {
  return operation.responses.get(String(status)) ?? operation.responses.get('default');
}

/** Whether it has to have an idempotency key, without which no client can try it again. */
export function lacksIdempotencyKey({ method, idempotencyKey }: Operation): boolean {
  return ['POST', 'PATCH'].includes(method) && idempotencyKey === undefined;
}

/** The operation to use instead of a deprecated one. */
export function successorOf(spec: Spec, { successor }: Operation): Operation | undefined {
  return spec.operations.find(({ id }) => id === successor);
}

/** The names of the parameters in a path: `petId` in `/pets/{petId}`. */
export function pathParameters(path: string): string[] {
  const parts = path.split('/').filter((part) => part.startsWith('{'));
  return parts.map((part) => part.slice(1, -1));
}

/** `/pets` for `/pets/{petId}`; undefined for any other form of path. */
export function parentOf(path: string): string | undefined {
  const end = path.lastIndexOf('/');
  return path.startsWith('{', end + 1) ? path.slice(0, end) : undefined;
}

/** The object itself, or an empty one for anything else. */
export function asObject(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `categoryId` as `category-id`, and `photoURL` as `photo-url`. */
export function kebab(name: string): string {
  const separated = name.replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2').toLowerCase();
  const words = separated.split(/[^a-z0-9]+/).filter((word) => word !== '');
  return words.join('-');
}
