/** A type of JSON value, as in JSON Schema. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/**
 * JSON Schema 2020-12 as plain data. References are resolved, except those to a schema that contains itself: `resolved` looks
 * them up in `schemas`.
 */
export interface Schema {
  readonly $ref?: string;
  readonly type?: JsonType | readonly JsonType[];
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly contentEncoding?: string;
  readonly contentMediaType?: string;
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly maxContains?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly unevaluatedProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly deprecated?: boolean;
}

/** The serialization of a value in a path, a query, a header or a form. */
export interface Serialization {
  readonly style?: 'simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject';
  readonly explode?: boolean;
  readonly allowReserved?: true;
  /** The value is written as this media type. */
  readonly contentType?: string;
}

/** The encoding of one property of a form. */
export interface PropertyEncoding extends Serialization {
  /** The headers of its part that have a fixed value. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** One input of an operation: a parameter, a property of the body, or the whole body. Default serializations are left out. */
export interface Field extends Serialization {
  readonly in: 'path' | 'query' | 'header' | 'cookie' | 'body';
  readonly required: boolean;
  readonly description: string;
  readonly deprecated?: true;
  readonly schema: Schema;
}

/** The kind of a body. `multipart` is a form of parts, which can be files. */
export type BodyKind = 'json' | 'form' | 'multipart' | 'text' | 'bytes';

/** The body of a request. */
export interface RequestBody {
  readonly required: boolean;
  readonly mediaType: string;
  readonly kind: BodyKind;
  /** Whether the body is one input, `body`; otherwise each property is an input. */
  readonly whole?: true;
  /** Whether the body may have properties that are not inputs. */
  readonly additional?: true;
  /** The encodings of a form that are not the default. */
  readonly encoding?: Readonly<Record<string, PropertyEncoding>>;
}

/** A declared response. Without `kind` it has no body. */
export interface OperationResponse {
  readonly description: string;
  readonly kind?: 'json' | 'text' | 'bytes';
  readonly mediaType?: string;
  readonly schema?: Schema;
}

/** How to request the next page: by the `Link` header, by a cursor in the body, or by a cursor in the last element. */
export interface Pagination {
  readonly by: 'link' | 'body' | 'last';
  /** The input that takes the cursor. */
  readonly cursor?: string;
  /** The input that sets the size of a page. */
  readonly limit?: string;
  /** The property of the last element that is the cursor. */
  readonly key?: string;
  /** The property of the body with the cursor of the next page. */
  readonly next?: string;
  /** The property of the body that tells whether there are more pages. */
  readonly more?: string;
  /** The property of the body with the elements. Default: the body itself. */
  readonly items?: string;
}

/** The header that makes a request safe to repeat: the server executes requests with the same value once. */
export interface IdempotencyKey {
  readonly header: string;
  readonly description: string;
  readonly schema: Schema;
}

/** A way to authenticate. */
export type SecurityScheme =
  | { readonly type: 'bearer' | 'basic' | 'mutualTLS' | 'other' }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string };

/** One operation of the interface as data, for servers, clients and command lines. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'TRACE';
  /** Relative to the base URL, with `{name}` for path fields. */
  readonly path: string;
  /** The base URL of this operation only, if the spec has one. It may be relative to the service's. */
  readonly server?: string;
  /** The words of its command in petctl. */
  readonly command: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** The date since which the operation is deprecated. */
  readonly deprecatedSince?: string;
  /** The date of the operation's removal. */
  readonly sunset?: string;
  /** The operation to use instead. */
  readonly successor?: string;
  /** The stability of the operation. Default: stable. */
  readonly stability?: 'experimental' | 'beta';
  /** The accepted combinations of security schemes; empty if none is needed. */
  readonly security: readonly (readonly string[])[];
  readonly body?: RequestBody;
  /** The idempotency key, if the operation has one. */
  readonly idempotencyKey?: IdempotencyKey;
  readonly pagination?: Pagination;
  /** All inputs by name. */
  readonly fields: Readonly<Record<string, Field>>;
  /** All declared responses, by status, by a range such as `2XX`, or by `default`. */
  readonly responses: Readonly<Record<string, OperationResponse>>;
  /** The keys of `responses` that are successes. */
  readonly successes: readonly string[];
  /** The status of the success, if there is only one. */
  readonly success?: number;
}

/** The names of the fields in the path, in order. */
export function pathFieldsOf({ path }: Pick<Operation, 'path'>): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** What is declared for a status: for the status itself, for its range, or as the default. */
export function responseOf<Response>(
  { responses }: { readonly responses: Readonly<Record<string, Response>> },
  status: number,
): Response | undefined {
  return responses[status] ?? responses[`${Math.floor(status / 100)}XX`] ?? responses.default;
}
