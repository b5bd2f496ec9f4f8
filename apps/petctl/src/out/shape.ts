import { type Operation, propertiesOf, resolved, typeIn } from '@petstore/types';
import { suggestion, UsageError } from '../errors/errors.ts';
import type { Shape } from './format.ts';

/** What an operation answers, with only the members that were asked for. */
export function shapeOf(operation: Operation, fields: unknown): Shape {
  const { list, names } = propertiesIn(operation);
  return { list, columns: chosen(fields, names) };
}

/** The properties of what a success carries, or of each element of the list that it is. */
export function propertiesIn({ successes, responses, pagination }: Operation): { list: boolean; names: string[] } {
  const body = responses[successes[0] ?? '']?.schema ?? {};
  const schema = pagination?.items === undefined ? body : (propertiesOf(body)[pagination.items] ?? {});
  const list = typeIn(schema) === 'array';
  return { list, names: Object.keys(propertiesOf(list ? (resolved(schema).items ?? {}) : schema)) };
}

/** The members that `--fields` names, all of which have to exist; every one where it is not given. */
export function chosen(fields: unknown, members: readonly string[]): readonly string[] {
  if (typeof fields !== 'string') return members;
  const names = fields.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!members.includes(name))
      throw new UsageError(
        `--fields: there is no member '${name}'.`,
        suggestion(name, members, `There are ${members.join(', ')}.`),
      );
  }
  return [...new Set(names)];
}
