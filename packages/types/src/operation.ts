/** One value that goes in or comes out, with the rules that hold for it. */
export interface Value {
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'array' | 'object';
  readonly required: boolean;
  readonly description: string;
  readonly format?: string;
  readonly choices?: readonly (string | number)[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly default?: string | number | boolean;
  readonly deprecated?: true;
}

/** One input of an operation: a parameter, or a member of the body. */
export interface Field extends Value {
  readonly in: 'path' | 'query' | 'header' | 'body';
}

/** One operation of the interface as data: all that a server, a client or a command line can know of it from the spec. */
export interface Operation {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS' | 'TRACE';
  /** Relative to the base address, with `{name}` where a path field goes. */
  readonly path: string;
  /** The status of a success. */
  readonly success: number;
  /** Every status that is declared by name; whatever else is answered falls under `default`. */
  readonly statuses: readonly number[];
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly deprecated: boolean;
  /** The date since which the operation is deprecated. */
  readonly deprecatedSince?: string;
  /** The date on which the operation is going to be removed. */
  readonly sunset?: string;
  /** The operation to use instead. */
  readonly successor?: string;
  /** How much the operation may still change. Without it the operation is stable. */
  readonly stability?: 'experimental' | 'beta';
  /** The security schemes of which one is needed; empty where none is. */
  readonly security: readonly string[];
  /** Whether a body has to be sent; absent where there is none. */
  readonly body?: { readonly required: boolean; readonly mediaType: string };
  /** How to get the page behind a full one: the query field `cursor` takes the `key` of the last element; `limit` sets the size. */
  readonly pagination?: { readonly cursor: string; readonly key: string; readonly limit: string };
  /** Every input by its name, parameters and members of the body alike. */
  readonly fields: Readonly<Record<string, Field>>;
  /** What a success carries: one object of these members, or a list of such; absent where it carries nothing. */
  readonly result?: { readonly list: boolean; readonly members: Readonly<Record<string, Value>> };
}
