import type { Field, Operation } from '@petstore/types';
import { kindOf } from '../parse/value.ts';
import { kebab } from './names.ts';
import type { Argument, Flag } from './node.ts';

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

/** Every other field as a flag. One whose name is in use says where it goes, `--query-output`, and counts if need be. */
export function flagsOf({ fields, body }: Operation, taken: readonly string[]): Flag[] {
  const used = new Set(taken.flatMap((name) => [name, name.replace(/^no-/, '')]));
  return Object.entries(fields)
    .filter(([, field]) => field.in !== 'path' && !(field.in === 'body' && body?.whole))
    .map(([name, field]) => {
      const plain = kebab(name) || 'value';
      const placed = `${field.in}-${plain}`;
      let flag = used.has(plain) ? placed : plain;
      for (let i = 2; used.has(flag); i++) flag = `${placed}-${i}`;
      used.add(flag);
      return flagOf(name, flag, field);
    });
}

function flagOf(field: string, name: string, { description, required, schema: rules }: Field): Flag {
  const kind = kindOf(rules);
  return {
    name,
    field,
    description,
    rules,
    ...(required && { required: true }),
    ...(kind === 'array' && { repeatable: true }),
    ...(kind === 'boolean' ? { negatable: true } : { value: kind === 'object' ? 'json' : kind }),
  };
}
