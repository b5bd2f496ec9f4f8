// The spec as the checks use it. `read-spec.ts` reads it.
import type { Schema } from '@petstore/types';

export const specFile = 'spec/openapi.yaml';

/** The paths of the server beside the operations. */
export const otherPaths = [
  '/docs',
  '/healthz',
  '/metrics',
  '/openapi.json',
  '/openapi.yaml',
  '/readyz',
];

/** An object of the document. */
export type Node = Readonly<Record<string, unknown>>;

/** A path, query or header parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: Schema;
}

export interface IdempotencyKey extends Parameter {
  /** For how long a repetition gets the first response. */
  readonly hours: number;
}

export interface Header {
  readonly required: boolean;
  /** The statuses with which it always comes. */
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
  readonly document: Node;
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

/** The object that a value is, or refers to. What stands beside a reference is kept. */
export function resolve(document: Node, value: unknown): Node {
  const { $ref, ...beside } = asNode(value);
  if (typeof $ref !== 'string') return asNode(value);
  let target: unknown = document;
  for (const name of $ref.split('/').slice(1)) target = asNode(target)[name];
  return { ...resolve(document, target), ...beside };
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

/** The operations whose path this can be: `/pets/7` is `/pets/{petId}`. */
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

/** The object itself; an empty one for anything else, so that what is missing reads as absent. */
export function asNode(value: unknown): Node {
  return isNode(value) ? value : {};
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** `categoryId` as `category-id`. */
export function kebab(name: string): string {
  const separated = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const words = separated.split(/[^a-z0-9]+/).filter((word) => word !== '');
  return words.join('-');
}
