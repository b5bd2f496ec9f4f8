import { type Operation, type OperationResponse, propertiesOf, resolved, typeIn } from '@petstore/types';
import { suggestion, UsageError } from '../io/errors.ts';
import { asRow, type Shape } from './format.ts';

/** How the data of a success is written: with the properties that were asked for, else those of the spec, else those it has. */
export function shapeOf(
  operation: Operation,
  success: OperationResponse | undefined,
  fields: unknown,
  data?: unknown,
): Shape {
  const { list, names } = propertiesIn(operation, success);
  const isList = data === undefined ? list : Array.isArray(data);
  const rows = names.length === 0 && data !== undefined ? [data].flat() : [];
  const known = names.length > 0 ? names : [...new Set(rows.flatMap((row) => Object.keys(asRow(row))))];
  return { list: isList, columns: typeof fields === 'string' ? fieldNames(fields) : known };
}

/** Refuses a name in `--fields` that no success has. */
export function checkFields(operation: Operation, fields: unknown): void {
  if (typeof fields !== 'string') return;
  const successes = operation.successes.flatMap((status) => operation.responses[status] ?? []);
  const names = successes.filter(({ kind }) => kind).map((success) => propertiesIn(operation, success).names);
  // The properties of a map are not known before.
  if (names.every((all) => all.length > 0)) chosen(fields, [...new Set(names.flat())]);
}

/** The properties of what a success carries, or of each element of the list that it is. */
export function propertiesIn(
  { pagination, responses, successes }: Operation,
  success = responses[successes[0] ?? ''],
): { list: boolean; names: string[] } {
  const body = success?.schema ?? {};
  const schema = pagination?.items === undefined ? body : (propertiesOf(body)[pagination.items] ?? {});
  const list = typeIn(schema) === 'array';
  return { list, names: Object.keys(propertiesOf(list ? (resolved(schema).items ?? {}) : schema)) };
}

/** The members that `--fields` names, all of which have to exist; every one where it is not given. */
export function chosen(fields: unknown, members: readonly string[]): readonly string[] {
  if (typeof fields !== 'string') return members;
  const names = fieldNames(fields);
  for (const name of names) {
    if (!members.includes(name))
      throw new UsageError(
        `--fields: there is no property '${name}'.`,
        suggestion(name, members, `There are ${members.join(', ')}.`),
      );
  }
  return names;
}

function fieldNames(fields: string): string[] {
  return [...new Set(fields.split(',').map((name) => name.trim()))];
}

/** The data as rows: the elements of a list, else one. */
export function rowsOf(data: unknown): readonly unknown[] {
  return Array.isArray(data) ? data : data === undefined ? [] : [data];
}
