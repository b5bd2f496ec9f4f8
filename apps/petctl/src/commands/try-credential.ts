import { petstore } from '@petstore/client';
import { createCall } from '../call/run-operation.ts';
import { addressOf, serviceFor } from '../call/service.ts';
import type { Invocation } from '../invocation.ts';
import type { Credential } from '../keys/find-credentials.ts';

/** Sends the smallest request that needs this credential alone, and throws the error of the service if it is refused. */
export async function tryCredential(invocation: Invocation, credential: Credential): Promise<void> {
  const { operations, io } = invocation;
  const probe = operations.find(
    (one) =>
      one.method === 'GET' &&
      // Another server is not to see it.
      addressOf(invocation, one) === invocation.settings.baseUrl.value &&
      one.security.some((names) => names.length === 1 && names[0] === credential.scheme.name) &&
      Object.values(one.fields).every(({ required }) => !required),
  );
  if (!probe) return;
  const { pagination, fields } = probe;
  const limit = pagination?.limit;
  const least = limit !== undefined && { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await serviceFor(invocation, [credential]);
  await createCall(petstore(options), probe)(least || {}, { signal: io.interrupted });
}
