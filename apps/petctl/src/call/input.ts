import type { Operation } from '@petstore/types';
import { UsageError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { pathFieldsOf } from '../tree/field-flags.ts';

/** The input of an operation: its arguments and flags, over what `--data` gives. Nothing required may be missing. */
export async function inputOf(operation: Operation, invocation: Invocation): Promise<Record<string, unknown>> {
  const { node, args, flags, io } = invocation;
  const data = flags.get('data');
  const input: Record<string, unknown> =
    typeof data === 'string' ? { ...(await (await import('./body.ts')).readData(data, operation, io)) } : {};
  for (const [i, field] of pathFieldsOf(operation).entries()) input[field] = args[i];
  for (const { name, field } of node.flags ?? []) {
    if (field !== undefined && name !== 'data' && flags.has(name)) input[field] = flags.get(name);
  }
  const missing = (node.flags ?? []).filter(
    ({ field, required }) => required && field !== undefined && !(field in input),
  );
  if (missing.length > 0) {
    const names = missing.map(({ name }) => `--${name}`).join(' and ');
    throw new UsageError(
      `${names} ${missing.length > 1 ? 'are' : 'is'} missing.`,
      operation.body && missing.some(({ field }) => field && operation.fields[field]?.in === 'body')
        ? 'Give it as a flag, or in the JSON of --data.'
        : `'petctl ${invocation.path.join(' ')} --help' shows how.`,
    );
  }
  if (operation.body?.kind === 'multipart') (await import('./body.ts')).openFiles(input, operation);
  const { pagination, fields } = operation;
  const limit = pagination?.limit;
  const largest = limit === undefined ? undefined : fields[limit]?.schema.maximum;
  // All pages are there sooner when each is as large as it may be.
  if (limit !== undefined && flags.has('all') && largest !== undefined) input[limit] ??= largest;
  return input;
}
