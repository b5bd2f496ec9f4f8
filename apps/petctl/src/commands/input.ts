import type { Field, Operation, Schema } from '@petstore/types';
import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readText } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { jsonText, jsonValue } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import { expected, kindOf, validate } from '../settings/value.ts';

/**
 * The input of an operation. Flags override `--data`, and a property's flag overrides its object's. Throws if something
 * required is missing, or an object violates the spec.
 */
export async function inputOf(operation: Operation, invocation: Invocation): Promise<Record<string, unknown>> {
  const { node, args, flags, io } = invocation;
  // Without a body, `data` may be an input.
  const data = operation.body ? flags.get('data') : undefined;
  let input: Record<string, unknown> = typeof data === 'string' ? { ...(await readData(data, operation, io)) } : {};
  for (const [i, field] of pathFieldsOf(operation).entries()) input[field] = args[i];
  // Creating the command's flags takes time: only if the command line has any.
  const present =
    flags.size === 0
      ? []
      : (node.flags ?? []).filter(({ name }) => (name !== 'data' || !operation.body) && flags.has(name));
  for (const { name, field } of present) if (field !== undefined) input[field] = flags.get(name);
  for (const { name, property } of present) if (property) input = withProperty(input, property, flags.get(name));
  await rejectMissing(operation, input, invocation);
  for (const { name, field, property } of present)
    rejectInvalidField(`--${name}`, field ?? property?.[0], input, operation);
  const { whole, kind } = operation.body ?? {};
  if (whole && typeof data === 'string' && kind !== 'bytes') rejectInvalidField('--data', 'body', input, operation);
  if (kind === 'multipart') {
    const { withFiles } = await import('../call/files.ts');
    input = await withFiles(input, operation, io);
  }
  const { pagination, fields } = operation;
  const [limit, total] = [pagination?.limit, pagination && flags.get('limit')];
  if (total !== undefined && flags.has('all'))
    throw new UsageError(
      '--all and --limit both set the number of results.',
      'Use one of them; --page-size sets the size of each page.',
    );
  if (limit !== undefined && (flags.has('all') || typeof total === 'number')) {
    // Larger pages need fewer requests.
    const largest = fields[limit]?.schema.maximum;
    const size = Math.min(Number(total ?? largest), Number(largest ?? total));
    if (Number.isFinite(size)) input[limit] ??= Math.max(size, fields[limit]?.schema.minimum ?? 1);
  }
  return input;
}

/** A copy with this value at the path of a property. */
function withProperty(target: unknown, [name = '', ...rest]: readonly string[], value: unknown) {
  const before = isObject(target) ? target : {};
  const inner: unknown = rest.length > 0 ? withProperty(before[name], rest, value) : value;
  return { ...before, [name]: inner };
}

async function rejectMissing(
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
      ? 'Set it with its flag, or in the JSON of --data.'
      : `'petctl ${path.join(' ')} --help' shows how.`,
  );
}

/** Validates an object that flags may have built. */
function rejectInvalidField(
  flag: string,
  field: string | undefined,
  input: Record<string, unknown>,
  { fields }: Operation,
): void {
  const rules = field === undefined ? undefined : fields[field]?.schema;
  if (field === undefined || !rules || typeof input[field] !== 'object' || kindOf(rules) === 'array') return;
  const read = validate(input[field], rules);
  if ('problem' in read) throw new UsageError(`${flag}: ${field} ${read.problem}.`, `It must be ${expected(rules)}.`);
}

/** The path fields that the arguments of an operation set, in order. */
export function pathFieldsOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** The input in `--data`: a value, `@file`, or `-` for stdin. Validated like flags. */
export async function readData(data: string, operation: Operation, io: Io): Promise<Record<string, unknown>> {
  const { body, fields } = operation;
  if (body?.kind === 'bytes') return { body: await (await import('../call/files.ts')).openBytes(data, io) };
  const { text, from } = await textOf(data, io);
  if (body?.kind === 'text') return { body: text };
  let value: unknown;
  try {
    value = jsonValue(text);
  } catch (error) {
    throw new UsageError(`--data: ${from} is not JSON (${error instanceof Error ? error.message : error}).`);
  }
  if (body?.whole) {
    if (fields.body && !isObject(value)) rejectInvalid('--data:', value, fields.body.schema);
    return { body: value };
  }
  if (!isObject(value)) throw new UsageError(`--data: ${from} must be a JSON object.`);
  return checkMembers(value, operation, '--data');
}

/** Rejects unknown members and invalid values. */
export function checkMembers(
  body: Record<string, unknown>,
  operation: Operation,
  where: string,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(operation.fields, name) ? operation.fields[name] : undefined;
    if (field?.in !== 'body') rejectUnknown(name, field, operation, where);
    rejectInvalid(`${where}: ${name}`, value, field?.schema ?? {});
  }
  return body;
}

/** Rejects an unknown name, unless the spec allows additional properties. */
function rejectUnknown(name: string, parameter: Field | undefined, { fields, body }: Operation, where: string): void {
  if (!body?.additional) {
    const members = Object.keys(fields).filter((one) => fields[one]?.in === 'body');
    throw new UsageError(
      `${where}: there is no property '${name}'.`,
      suggestion(name, members, `Use one of ${members.join(', ')}.`),
    );
  }
  if (parameter)
    throw new UsageError(
      `${where}: '${name}' is a ${parameter.in} parameter of this operation, so it cannot be a body property, too.`,
    );
}

function rejectInvalid(what: string, value: unknown, schema: Schema): void {
  const read = validate(value, schema);
  if ('problem' in read)
    throw new UsageError(`${what} ${jsonText(value)} ${read.problem}.`, `It must be ${expected(schema)}.`);
}

/** The text of `@file` or `-`, or the word itself. */
export async function textOf(word: string, io: Io): Promise<{ text: string; from: string }> {
  if (word === '-' || word === '@-') return { text: await readText('-', io), from: 'stdin' };
  if (!word.startsWith('@')) return { text: word, from: 'the value' };
  const file = word.slice(1);
  return { text: await readText(file, io), from: file };
}
