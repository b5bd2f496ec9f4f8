// The interface that the spec describes, as the checks use it.
import type { Schema } from '@petstore/types';

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
