import type { OperationId } from '@petstore/types';
import type { Answer, Hooks } from './connection.ts';

/** That an operation goes away. */
export interface Notice {
  readonly operation: OperationId;
  /** The date from which on it may be gone. */
  readonly sunset: string | undefined;
  readonly message: string;
}

const told = new Set<string>();

/** Tells of a deprecated operation, once per process: one that the spec calls so, or the service since then. */
export function tellDeprecation(
  operation: OperationId,
  known: { readonly sunset?: string } | undefined,
  { headers }: Answer,
  hook: Hooks['deprecated'],
): void {
  if (hook === false || told.has(operation) || !(known || headers.get('deprecation'))) return;
  told.add(operation);
  const announced = headers.get('sunset');
  const sunset =
    announced && !Number.isNaN(Date.parse(announced)) ? new Date(announced).toISOString().slice(0, 10) : known?.sunset;
  const message = `${operation} is deprecated${sunset ? ` and may be gone from ${sunset} on` : ''}.`;
  if (hook) hook({ operation, sunset, message });
  else console.warn(`@petstore/client: ${message}`);
}
