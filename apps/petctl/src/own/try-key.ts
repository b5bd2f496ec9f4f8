import { petstore } from '@petstore/client';
import { type Operation, operations } from '@petstore/types';
import { callOf } from '../call/run-operation.ts';
import { serviceFor } from '../call/service.ts';
import type { Invocation } from '../invocation.ts';

/** Sends the smallest request that needs a key, and throws what the service says against it. */
export async function tryKey(invocation: Invocation, key: string): Promise<void> {
  const all: readonly Operation[] = Object.values(operations);
  const harmless = all.find(
    ({ method, security, fields }) =>
      method === 'GET' && security.length > 0 && Object.values(fields).every(({ required }) => !required),
  );
  if (!harmless) return;
  const { pagination, fields } = harmless;
  const limit = pagination?.limit;
  const least = limit !== undefined && { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await serviceFor(invocation, { key });
  await callOf(petstore(options), harmless)(least || {}, { signal: invocation.around.interrupted });
}
