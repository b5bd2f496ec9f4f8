import { petstore } from '@petstore/client';
import { type Operation, operations } from '@petstore/types';
import { createCall } from '../call/run-operation.ts';
import { serviceFor } from '../call/service.ts';
import type { Invocation } from '../invocation.ts';

/** Sends the smallest request that needs a key, and throws what the service says against it. */
export async function tryKey(invocation: Invocation, key: string): Promise<void> {
  const all: readonly Operation[] = Object.values(operations);
  const probe = all.find(
    ({ method, security, fields }) =>
      method === 'GET' && security.length > 0 && Object.values(fields).every(({ required }) => !required),
  );
  if (!probe) return;
  const { pagination, fields } = probe;
  const limit = pagination?.limit;
  const least = limit !== undefined && { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await serviceFor(invocation, { key });
  await createCall(petstore(options), probe)(least || {}, { signal: invocation.io.interrupted });
}
