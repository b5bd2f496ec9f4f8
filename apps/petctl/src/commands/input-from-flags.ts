import { expected, parseJson, validate } from '../flags/parse-value.ts';
import { suggestion, UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import type { Io } from '../io/process-io.ts';
import { isObject, jsonText } from '../io/text.ts';
import { type Field, type Operation, pathFieldsOf, type Schema } from '../old.ts';
import type { Input, Invocation } from '../parse/command.ts';

/**
 * The input of an operation. Flags override `--data`, and the flag of a property overrides the flag of its object. Throws if a
 * required field is missing, or an object violates the spec.
 */
export async function inputOf(operation: Operation, invocation: Invocation): Promise<Input> {
  const { args, flags, io } = invocation;
  const { body } = operation;
  // If the operation has no body, `--data` is not the body but may be the flag of an input.
  const data = body ? flags.get('data') : undefined;
  let input: Input = typeof data === 'string' ? await readData(data, operation, io) : {};
  for (const [i, field] of pathFieldsOf(operation).entries()) input[field] = args[i];
  const inputFlags = inputFlagsOf(invocation);
  for (const { name, property } of inputFlags) input = withProperty(input, property, flags.get(name));
  rejectMissing(operation, input, invocation);
  for (const { name, property } of inputFlags) {
    const [field = '', ...below] = property;
    rejectInvalidParts(below.length > 0 ? `--${name}: ${field}` : `--${name}`, field, input, operation);
  }
  if (body?.whole && typeof data === 'string') rejectInvalidParts('--data: body', 'body', input, operation);
  setPageSize(input, operation, flags);
  return input;
}

/** The flags on the command line that set an input or its property. The flag of an object precedes those of its properties. */
function inputFlagsOf({ node, flags }: Invocation) {
  return (node.flags ?? []).flatMap(({ name, property }) => (property && flags.has(name) ? [{ name, property }] : []));
}

/** Returns a copy of an object in which the property at a path has this value. */
function withProperty(target: unknown, [name = '', ...rest]: readonly string[], value: unknown): Input {
  const before = isObject(target) ? target : {};
  return { ...before, [name]: rest.length > 0 ? withProperty(before[name], rest, value) : value };
}

function rejectMissing(operation: Operation, input: Input, { node, path }: Invocation): void {
  const { fields, body } = operation;
  const missing = missingFields(operation, input);
  if (missing.length === 0) return;
  const flags = missing.map((name) => `--${node.flags?.find(({ field }) => field === name)?.name}`);
  throw new UsageError(
    `${flags.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`,
    body && missing.some((name) => fields[name]?.in === 'body')
      ? 'Set the input with its flag, or in the JSON of --data.'
      : `'petctl ${path.join(' ')} --help' shows how.`,
  );
}

/** The required fields that an input lacks. */
export function missingFields({ fields }: Operation, input: Input): string[] {
  return Object.keys(fields).filter((name) => fields[name]?.required && !Object.hasOwn(input, name));
}

/** Throws if a list or an object violates the spec. Several flags may have set its parts, so it was not validated before. */
function rejectInvalidParts(name: string, field: string, input: Input, { fields }: Operation): void {
  const schema = fields[field]?.schema;
  if (schema && typeof input[field] === 'object') rejectInvalid(name, input[field], schema);
}

/** Throws if a value violates its schema. The message shows a value of `--data`, but not one that flags have set. */
function rejectInvalid(name: string, value: unknown, schema: Schema, isFromData = false): void {
  const parsed = validate(value, schema);
  if ('value' in parsed) return;
  // JSON has no infinity, to which a number such as 1e400 is rounded.
  const subject = isFromData ? `${name} ${typeof value === 'number' ? value : jsonText(value)}` : name;
  // The hint describes the whole value, so it does not help if a part of the value is invalid.
  throw new UsageError(
    `${subject} ${parsed.problem}.`,
    typeof value === 'object' ? undefined : `It must be ${expected(schema)}.`,
  );
}

/** Sets the largest useful page size for `--all` or `--limit`, because larger pages need fewer requests. Throws if both flags are set. */
function setPageSize(input: Input, { pagination, fields }: Operation, flags: Invocation['flags']): void {
  const total = pagination && flags.get('limit');
  if (total !== undefined && flags.has('all'))
    throw new UsageError(
      '--all and --limit both set the number of results.',
      'Use either --all or --limit; --page-size sets the size of each page.',
    );
  if (pagination?.limit === undefined || !(flags.has('all') || typeof total === 'number')) return;
  const { minimum = 1, maximum = Number.POSITIVE_INFINITY } = fields[pagination.limit]?.schema ?? {};
  const size = Math.min(typeof total === 'number' ? total : maximum, maximum);
  if (Number.isFinite(size)) input[pagination.limit] ??= Math.max(size, minimum);
}

/** Reads and validates the input in `--data`: a value, `@file`, or `-` for stdin. */
async function readData(data: string, operation: Operation, io: Io): Promise<Input> {
  const { body, fields } = operation;
  const { text, from } = await readWord(data, io);
  const value = parseInputJson(text, `--data: ${from}`);
  if (body?.whole) {
    if (fields.body && !isObject(value)) rejectInvalid('--data:', value, fields.body.schema, true);
    return { body: value };
  }
  if (!isObject(value)) throw new UsageError(`--data: ${from} must be a JSON object.`);
  return checkProperties(value, operation, '--data');
}

/** Parses JSON, or throws a UsageError that names its source. */
export function parseInputJson(text: string, source: string): unknown {
  const parsed = parseJson(text);
  if ('value' in parsed) return parsed.value;
  throw new UsageError(`${source} ${parsed.problem}.`);
}

/** Returns the properties of a body, or throws if one is unknown or invalid. */
export function checkProperties(body: Input, operation: Operation, source: string): Input {
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(operation.fields, name) ? operation.fields[name] : undefined;
    if (field?.in !== 'body') rejectUnknown(name, field, operation, source);
    rejectInvalid(`${source}: ${name}`, value, field?.schema ?? {}, true);
  }
  return body;
}

/** Rejects a name that is no body property, unless the spec allows additional properties and no parameter has this name. */
function rejectUnknown(name: string, parameter: Field | undefined, { fields, body }: Operation, source: string): void {
  if (!body?.additional) {
    const properties = Object.keys(fields).filter((field) => fields[field]?.in === 'body');
    throw new UsageError(`${source}: there is no property '${name}'.`, suggestion(name, properties));
  }
  if (parameter)
    throw new UsageError(
      `${source}: '${name}' is a ${parameter.in} parameter of this operation, so it cannot be a body property, too.`,
    );
}

/** The text of the file for `@file`, the text of stdin for `-`, and otherwise the word. */
async function readWord(word: string, io: Io): Promise<{ text: string; from: string }> {
  if (word === '-' || word === '@-') return { text: await readText('-', io), from: 'stdin' };
  if (!word.startsWith('@')) return { text: word, from: 'the value' };
  const file = word.slice(1);
  return { text: await readText(file, io), from: file };
}
