import type { Operation } from '@petstore/types';
import { UsageError } from '../io/errors.ts';
import { isObject } from '../io/files.ts';
import type { Invocation } from '../parse/node.ts';
import { checked, expected, kindOf } from '../settings/value.ts';

/**
 * The input of an operation. Flags override what `--data` has, and the flag of a property that of the object it is in.
 * Throws where something required is missing, or an object breaks a rule of the spec.
 */
export async function inputOf(operation: Operation, invocation: Invocation): Promise<Record<string, unknown>> {
  const { node, args, flags, io } = invocation;
  // Without a body, an input may be called that.
  const data = operation.body ? flags.get('data') : undefined;
  let input: Record<string, unknown> =
    typeof data === 'string' ? { ...(await (await import('../call/body.ts')).readData(data, operation, io)) } : {};
  for (const [i, field] of pathFieldsOf(operation).entries()) input[field] = args[i];
  // Without flags on the command line, none of the command's is made.
  const present =
    flags.size === 0
      ? []
      : (node.flags ?? []).filter(({ name }) => (name !== 'data' || !operation.body) && flags.has(name));
  for (const { name, field } of present) if (field !== undefined) input[field] = flags.get(name);
  for (const { name, property } of present) if (property) input = withProperty(input, property, flags.get(name));
  await refuseMissing(operation, input, invocation);
  for (const { name, field, property } of present) refuseInvalid(`--${name}`, field ?? property?.[0], input, operation);
  const { whole, kind } = operation.body ?? {};
  if (whole && typeof data === 'string' && kind !== 'bytes') refuseInvalid('--data', 'body', input, operation);
  if (kind === 'multipart') {
    const { withFiles } = await import('../call/files.ts');
    input = await withFiles(input, operation, io);
  }
  const { pagination, fields } = operation;
  const [limit, total] = [pagination?.limit, pagination && flags.get('limit')];
  if (total !== undefined && flags.has('all'))
    throw new UsageError(
      '--all and --limit both say how many to show.',
      'Give one of them; --page-size is about each page.',
    );
  if (limit !== undefined && (flags.has('all') || typeof total === 'number')) {
    // All are there sooner when each page is as large as it may be.
    const largest = fields[limit]?.schema.maximum;
    const size = Math.min(Number(total ?? largest), Number(largest ?? total));
    if (Number.isFinite(size)) input[limit] ??= Math.max(size, fields[limit]?.schema.minimum ?? 1);
  }
  return input;
}

/** A copy in which the property of a path has this value. */
function withProperty(target: unknown, [name = '', ...rest]: readonly string[], value: unknown) {
  const before = isObject(target) ? target : {};
  const inner: unknown = rest.length > 0 ? withProperty(before[name], rest, value) : value;
  return { ...before, [name]: inner };
}

async function refuseMissing(
  operation: Operation,
  input: Record<string, unknown>,
  { path }: Invocation,
): Promise<void> {
  const { fields, body } = operation;
  const missing = Object.keys(fields).filter((name) => fields[name]?.required && !(name in input));
  if (missing.length === 0) return;
  const all = (await import('./field-flags.ts')).operationFlags(operation);
  const flags = missing.map((name) => `--${all.find(({ field }) => field === name)?.name}`);
  throw new UsageError(
    `${flags.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
    body && missing.some((name) => fields[name]?.in === 'body')
      ? 'Give it as a flag, or in the JSON of --data.'
      : `'petctl ${path.join(' ')} --help' shows how.`,
  );
}

/** Checks an object that flags may have put together. */
function refuseInvalid(
  flag: string,
  field: string | undefined,
  input: Record<string, unknown>,
  { fields }: Operation,
): void {
  const rules = field === undefined ? undefined : fields[field]?.schema;
  if (field === undefined || !rules || typeof input[field] !== 'object' || kindOf(rules) === 'array') return;
  const read = checked(input[field], rules);
  if ('fault' in read) throw new UsageError(`${flag}: ${field} ${read.fault}.`, `It must be ${expected(rules)}.`);
}

/** The path field that an argument of this operation sets. */
export function pathFieldsOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}
