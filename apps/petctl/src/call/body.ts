import type { Field, Operation, Schema } from '@petstore/types';
import { suggestion, UsageError } from '../io/errors.ts';
import { isObject, readText } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { jsonText, jsonValue } from '../io/text.ts';
import { checked, expected } from '../settings/value.ts';

/** What `--data` gives: the value itself, `@file`, or `-` for stdin. Checked against the spec as flags are. */
export async function readData(data: string, operation: Operation, io: Io): Promise<Record<string, unknown>> {
  const { body, fields } = operation;
  if (body?.kind === 'bytes') return { body: await (await import('./files.ts')).openBytes(data, io) };
  const { text, from } = await textOf(data, io);
  if (body?.kind === 'text') return { body: text };
  let value: unknown;
  try {
    value = jsonValue(text);
  } catch (error) {
    throw new UsageError(`--data: ${from} is not JSON (${error instanceof Error ? error.message : error}).`);
  }
  if (body?.whole) {
    if (fields.body && !isObject(value)) refuseFault('--data:', value, fields.body.schema);
    return { body: value };
  }
  if (!isObject(value)) throw new UsageError(`--data: ${from} must be a JSON object.`);
  return checkMembers(value, operation, '--data');
}

/** Refuses members that the operation does not know, and values that break its rules. */
export function checkMembers(
  body: Record<string, unknown>,
  operation: Operation,
  where: string,
): Record<string, unknown> {
  for (const [name, value] of Object.entries(body)) {
    const field = Object.hasOwn(operation.fields, name) ? operation.fields[name] : undefined;
    if (field?.in !== 'body') refuseUnknown(name, field, operation, where);
    refuseFault(`${where}: ${name}`, value, field?.schema ?? {});
  }
  return body;
}

/** Accepts a name that the spec does not have only where it allows additional properties. */
function refuseUnknown(name: string, parameter: Field | undefined, { fields, body }: Operation, where: string): void {
  if (!body?.additional) {
    const members = Object.keys(fields).filter((one) => fields[one]?.in === 'body');
    throw new UsageError(
      `${where}: there is no property '${name}'.`,
      suggestion(name, members, `There are ${members.join(', ')}.`),
    );
  }
  if (parameter)
    throw new UsageError(
      `${where}: '${name}' is a ${parameter.in} parameter of this operation, and cannot be a property of its body too.`,
    );
}

function refuseFault(what: string, value: unknown, schema: Schema): void {
  const read = checked(value, schema);
  if ('fault' in read)
    throw new UsageError(`${what} ${jsonText(value)} ${read.fault}.`, `It must be ${expected(schema)}.`);
}

/** The text behind `@file` or `-`, or the word itself. */
export async function textOf(word: string, io: Io): Promise<{ text: string; from: string }> {
  if (word === '-' || word === '@-') return { text: await readText('-', io), from: 'stdin' };
  if (!word.startsWith('@')) return { text: word, from: 'the value' };
  const file = word.slice(1);
  return { text: await readText(file, io), from: file };
}
