/** How the requests of an operation are written. */
export interface Wire {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly headers?: readonly string[];
  readonly body?: 'properties' | 'whole';
  readonly idempotencyKey?: string;
  readonly cursor?: string;
  readonly limit?: string;
  readonly deprecated?: string | true;
  readonly successes: readonly number[];
}
