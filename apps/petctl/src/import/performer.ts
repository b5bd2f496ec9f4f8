import { petstore } from '@petstore/client';
import type { Operation } from '@petstore/types';
import { createCall } from '../call/run-operation.ts';
import { credentialsFor, serviceFor } from '../call/service.ts';
import type { Invocation } from '../invocation.ts';

/** How a line is sent; not at all where it is only to be checked. */
export interface Performer {
  readonly perform?: (input: Record<string, unknown>) => Promise<unknown>;
  readonly tellDeprecation: () => Promise<void>;
}

/** Sends nothing. */
export const checkOnly: Performer = { tellDeprecation: async () => {} };

/** Sends lines to the service that is set, with its key. */
export async function performer(operation: Operation, invocation: Invocation): Promise<Performer> {
  const { options, tellDeprecation } = await serviceFor(invocation, await credentialsFor(invocation, operation));
  const call = createCall(petstore(options), operation);
  return { perform: (input) => call(input, { signal: invocation.io.interrupted }), tellDeprecation };
}
