import type { Schema as JsonSchema } from '@petstore/types';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An OpenAPI 3.0 or 3.1 document. Most of its objects may be references instead, which `resolve` follows. */
export interface Document {
  root: Root;
}

export interface Root {
  openapi: string;
  info: { title: string };
  servers?: Server[];
  security?: Record<string, string[]>[];
  paths?: Record<string, PathItem>;
  components?: { securitySchemes?: Record<string, SecurityScheme>; schemas?: Record<string, Schema> };
}

export interface Server {
  url: string;
  variables?: Record<string, { default: string }>;
}

interface PathItem extends Partial<Record<(typeof METHODS)[number], OperationObject>> {
  servers?: Server[];
  parameters?: Parameter[];
}

interface OperationObject {
  operationId?: string;
  parameters?: Parameter[];
  requestBody?: RequestBody;
  security?: Record<string, string[]>[];
  servers?: Server[];
  responses?: Record<string, unknown>;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header' | 'cookie';
  'x-idempotency-key'?: boolean;
  required?: boolean;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
  schema?: Schema;
  content?: Record<string, MediaType>;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface RequestBody {
  required?: boolean;
  content: Record<string, MediaType>;
}

export interface MediaType {
  schema?: Schema;
  encoding?: Record<string, Encoding>;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
}

export interface Encoding {
  contentType?: string;
  headers?: Record<string, { schema?: Schema }>;
  style?: string;
  explode?: boolean;
  allowReserved?: boolean;
}

export interface SecurityScheme {
  type: string;
  scheme?: string;
  in?: 'query' | 'header' | 'cookie';
  name?: string;
}

/** The keywords of JSON Schema, and those that OpenAPI adds. */
export interface Schema extends Omit<JsonSchema, 'exclusiveMinimum' | 'exclusiveMaximum'> {
  /** A boolean in OpenAPI 3.0. */
  exclusiveMinimum?: number | boolean;
  exclusiveMaximum?: number | boolean;
  discriminator?: { propertyName: string; mapping?: Record<string, string> };
  example?: unknown;
  examples?: unknown[];
}

/** One operation with everything that it inherits from its path and its document. */
export interface Operation {
  /** The operationId; without one, the method and the path, such as `GET /users`. */
  id: string;
  method: string;
  path: string;
  /** The inputs beside the body. */
  parameters: Parameter[];
  /** The header that makes the request safe to repeat. It is not an input. */
  idempotencyKey: Parameter | undefined;
  body: RequestBody | undefined;
  security: Record<string, string[]>[];
  servers: Server[];
  /** The operation as the document declares it. */
  object: OperationObject;
}

/** Follows `$ref` to an object without `$ref`. */
export function resolve<T extends object>(document: Document, node: T): T {
  let target: unknown = node;
  for (let depth = 0; depth < 32; depth++) {
    const { $ref } = target as { $ref?: unknown };
    if (typeof $ref !== 'string') return target as T;
    target = lookUp(document, $ref);
  }
  throw new Error(`The reference ${JSON.stringify(node)} is a cycle.`);
}

export function operationsOf(document: Document): Operation[] {
  const { root } = document;
  return Object.entries(root.paths ?? {}).flatMap(([path, entry]) => {
    const item = resolve(document, entry ?? {});
    return METHODS.flatMap((method) => {
      const object = item[method];
      if (!object) return [];
      const parameters = new Map<string, Parameter>();
      for (const parameter of [...(item.parameters ?? []), ...(object.parameters ?? [])]) {
        const resolved = resolve(document, parameter);
        parameters.set(`${resolved.in} ${resolved.name}`, resolved);
      }
      const isKey = (parameter: Parameter) => parameter['x-idempotency-key'] === true;
      const operation: Operation = {
        id: object.operationId ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        parameters: [...parameters.values()].filter((parameter) => !isKey(parameter)),
        idempotencyKey: [...parameters.values()].find(isKey),
        body: object.requestBody && resolve(document, object.requestBody),
        security: object.security ?? root.security ?? [],
        // An empty list counts as none.
        servers: [object.servers, item.servers, root.servers].find((each) => each?.length) ?? [{ url: '/' }],
        object,
      };
      return [operation];
    });
  });
}

function lookUp({ root }: Document, ref: string): unknown {
  let target: unknown = root;
  for (const token of ref.split('/').slice(1)) {
    const key = decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
    target = (target as Record<string, unknown> | undefined)?.[key];
  }
  if (typeof target !== 'object' || target === null) throw new Error(`${ref} does not exist.`);
  return target;
}
