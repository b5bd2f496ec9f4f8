import type { OperationId } from '@petstore/types';
import type { Answer, Hooks } from './connection.ts';

/** That an operation goes away. */
export interface Notice {
  readonly operation: OperationId;
  /** When it goes: the date that the spec names, or the one that the service announces, as it was written. */
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
  const sunset = headers.get('sunset') ?? known?.sunset;
  const message = `${operation} is deprecated${sunset ? ` until ${sunset}` : ''}`;
  if (hook) hook({ operation, sunset, message });
  else console.warn(`@petstore/client: ${message}`);
}
