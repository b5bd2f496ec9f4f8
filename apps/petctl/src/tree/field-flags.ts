import type { Field, Operation } from '@petstore/types';
import { kebab } from './names.ts';
import type { Argument, Flag } from './node.ts';

/** Path fields as arguments, in the order of the path. */
export function argumentsOf({ path, fields }: Operation): Argument[] {
  return [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name = '']) => {
    const field = fields[name];
    return field ? [{ name: kebab(name), description: field.description, rules: field, required: true }] : [];
  });
}

/** The path field that an argument of this operation sets. */
export function pathFieldsOf({ path }: Operation): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** Every other field as a flag. One whose name petctl itself uses says where it goes: `--query-output`. */
export function flagsOf({ fields }: Operation, taken: readonly string[]): Flag[] {
  return Object.entries(fields)
    .filter(([, field]) => field.in !== 'path')
    .map(([name, field]) => {
      const plain = kebab(name);
      const clash = taken.some((one) => one === plain || `no-${one}` === plain);
      return flagOf(name, clash ? `${field.in}-${plain}` : plain, field);
    });
}

function flagOf(field: string, name: string, rules: Field): Flag {
  return {
    name,
    field,
    description: rules.description,
    rules,
    ...(rules.required && { required: true }),
    ...(rules.type === 'array' && { repeatable: true }),
    ...(rules.type === 'boolean' ? { negatable: true } : { value: rules.type === 'object' ? 'json' : rules.type }),
  };
}
