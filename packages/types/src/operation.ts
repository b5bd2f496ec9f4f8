/** A type of JSON value, as in JSON Schema. */
export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/**
 * JSON Schema 2020-12, as far as the generator supports it. A schema that contains itself is a
 * `$ref`, which `resolved` follows; all other references are already replaced by their targets.
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
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** One input of an operation: a parameter, a property of the JSON body, or the whole body. */
export interface Field {
  readonly in: 'path' | 'query' | 'header' | 'body';
  readonly required: boolean;
  readonly description: string;
  readonly deprecated?: true;
  readonly schema: Schema;
}

/** The JSON body of an operation's requests. */
export interface RequestBody {
  readonly required: boolean;
  /** Whether the whole body is one input, named `body`. Otherwise each of its properties is one. */
  readonly whole?: true;
}

/** A response that the spec declares. A response without a schema has no body. */
export interface OperationResponse {
  readonly description: string;
  readonly schema?: Schema;
}

/** How a list is read page by page. The header `Link` of a page leads to the next page. */
export interface Pagination {
  /** The input that takes the cursor. */
  readonly cursor: string;
  /** The input that sets the size of a page. */
  readonly limit: string;
  /** The property of an element whose value is the cursor. */
  readonly key: string;
}

/**
 * The header that makes a request safe to repeat: of several requests with the same value, the
 * server executes one.
 */
export interface IdempotencyKey {
  readonly header: string;
  readonly description: string;
  readonly schema: Schema;
}

/** One operation of the interface as data, for servers, clients and command lines. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to the base URL, with `{name}` for path parameters. */
  readonly path: string;
  /** The words of the petctl command for this operation. */
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
  readonly body?: RequestBody;
  readonly idempotencyKey?: IdempotencyKey;
  readonly pagination?: Pagination;
  /** All inputs by name. */
  readonly fields: Readonly<Record<string, Field>>;
  /** All declared responses, by status or `default`. */
  readonly responses: Readonly<Record<string, OperationResponse>>;
  /** All success statuses. */
  readonly successes: readonly string[];
  /** The success status, if there is only one. */
  readonly success?: number;
}
