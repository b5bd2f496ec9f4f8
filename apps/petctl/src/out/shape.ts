import type { Operation } from '@petstore/types';
import { suggestion, UsageError } from '../errors/errors.ts';
import type { Shape } from './format.ts';

/** What an operation answers, with only the members that were asked for. */
export function shapeOf({ result }: Operation, fields: unknown): Shape {
  return { list: result?.list ?? false, columns: chosen(fields, Object.keys(result?.members ?? {})) };
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
