import type { Operation } from '@petstore/types';
import { kebab } from './names.ts';
import type { Argument } from './node.ts';

/** Path fields as arguments, in the order of the path. */
export function argumentsOf({ path, fields }: Operation): Argument[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].flatMap(([, name = '']) => {
    const field = fields[name];
    return field ? [{ name: kebab(name), description: field.description, rules: field.schema, required: true }] : [];
  });
}

/** The path field that an argument of this operation sets. */
export function pathFieldsOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
}

/** Whether a success may carry bytes. */
export function mayAnswerBytes({ successes, responses }: Operation): boolean {
  return successes.some((status) => responses[status]?.kind === 'bytes');
}
