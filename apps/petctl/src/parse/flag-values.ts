import type { Schema } from '@petstore/types';
import type { Argument, Flag } from '../flags/flag.ts';
import {
  enumWords,
  expected,
  kindOf,
  type ParsedValue,
  parseValue,
  parseWord,
  rejectInvalid,
} from '../flags/parse-value.ts';
import { suggestion, UsageError } from '../io/errors.ts';

/** Adds a value of a flag to earlier ones: switches count, lists and maps grow. */
export function addValue(
  { name, schema, repeatable, negatable }: Flag,
  value: unknown,
  values: Map<string, unknown>,
): void {
  const before = values.get(name);
  const kind = kindOf(schema);
  if (kind === 'boolean') {
    // A switch without --no- form is off without an entry.
    if (value === false && !negatable) values.delete(name);
    else values.set(name, repeatable ? Number(before ?? 0) + 1 : value);
  } else if (before !== undefined && !repeatable) {
    throw new UsageError(`--${name} appears twice.`, 'Use it once.');
  } else if (!repeatable || value === null) {
    values.set(name, value);
  } else if (kind === 'object') {
    values.set(name, Object.assign({}, before, value));
  } else {
    const more = kind === 'array' && Array.isArray(value) ? value : [value];
    values.set(name, Array.isArray(before) ? [...before, ...more] : more);
  }
}

/** Validates a complete list, but no objects: other flags may set their properties. */
export function checkList({ name, schema }: Flag, value: unknown): void {
  if (value !== undefined && kindOf(schema) === 'array') rejectInvalid(`--${name}`, value, schema);
}

/** Parses a value of a flag, which of a list or a map may be only a part. */
export function parseFlagWord({ schema }: Flag, text: string): ParsedValue {
  return /^(array|object)$/.test(kindOf(schema)) ? parseWord(text, schema) : parseValue(text, schema);
}

/** Parses a value of a flag, or throws if it is invalid. */
export function parseFlag(flag: Flag, text: string): unknown {
  const { name, schema } = flag;
  const hint = kindOf(schema) === 'boolean' ? `Use --${name}=true or --${name}=false.` : undefined;
  return validValue(parseFlagWord(flag, text), `--${name}`, schema, text, hint);
}

/** Parses an argument, or throws if it is invalid. */
export function parseArgument({ name, schema }: Argument, text: string): unknown {
  return validValue(parseValue(text, schema), `<${name}>`, schema, text);
}

/** The parsed value of a word; throws if it is invalid. */
function validValue(parsed: ParsedValue, name: string, schema: Schema, text: string, hint?: string): unknown {
  if ('value' in parsed) return parsed.value;
  throw new UsageError(
    `${name} '${text}' ${parsed.problem}.`,
    suggestion(text, enumWords(schema), hint ?? `It must be ${expected(schema)}.`),
  );
}
