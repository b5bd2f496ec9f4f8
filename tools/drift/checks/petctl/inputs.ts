import type { Field, Operation } from '@petstore/types';
import { resolve } from '../../../openapi/document.ts';
import { exampleValue, NoExampleError } from '../../../openapi/examples.ts';
import { valueCheck } from '../../../openapi/validate.ts';
import type { Spec } from '../../openapi.ts';

/** An input of an operation. */
export interface Input extends Field {
  readonly name: string;
  /** It is the whole body, whose flag has texts and rules of its own. */
  readonly isWhole: boolean;
}

/** Every input: those of the path first, in its order. */
export function inputsOf(spec: Spec, { path, fields, body }: Operation): Input[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
  const names = [...inPath, ...Object.keys(fields).filter((name) => fields[name]?.in !== 'path')];
  return names.flatMap((name) => {
    const field = fields[name];
    if (!field) return [];
    const schema = resolve(spec, field.schema as object);
    return [{ ...field, schema, name, isWhole: field.in === 'body' && body?.whole === true }];
  });
}

/** A word to try a parser with, and whether the spec allows it. */
export type Sample = readonly [text: string, allowed: boolean];

/** Words for an input: an example, and those at and beyond each of its bounds. */
export function samplesOf(spec: Spec, { schema, isWhole }: Input): Sample[] {
  if (isWhole) return [];
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  // Each element of a list is a word.
  const one = types.join() === 'array' ? schema.items : schema;
  return one ? wordsFor(spec, resolve(spec, one as object)) : [];
}

function wordsFor(spec: Spec, schema: Field['schema']): Sample[] {
  const { enum: values, minimum, maximum, minLength, maxLength, format } = schema;
  const type = [schema.type ?? []].flat().find((each) => each !== 'null');
  if (values) {
    const words = values.filter((value) => value !== null).map((value) => [String(value), true] as const);
    return [...words, ['no such value', false]];
  }
  const example = exampleOf(spec, schema);
  const usual: Sample[] = example === undefined ? [] : [[asWord(example), true]];
  if (type === 'integer') {
    // As bigint, because numbers do not tell the integers beside the largest bounds apart.
    const [least, most] = [minimum, maximum].map((bound) => (Number.isInteger(bound) ? BigInt(bound ?? 0) : undefined));
    const isWide = format === 'int64';
    return [
      ...usual,
      ...['1e1', '0x1'].map((text): Sample => [text, false]),
      ...beside(least ?? (isWide ? -(2n ** 63n) : undefined), -1n),
      ...beside(most ?? (isWide ? 2n ** 63n - 1n : undefined), 1n),
    ];
  }
  if (type === 'number') return [...usual, ['no number', false]];
  if (type === 'object') return [...usual, ['{', false]];
  if (type !== 'string') return usual;
  const fits = valueCheck(spec);
  const lengths = [minLength, minLength && minLength - 1, maxLength, maxLength && maxLength + 1];
  const texts = lengths.filter((length) => length !== undefined && length < 10_000).map((n) => 'x'.repeat(n ?? 0));
  return [...usual, ...texts.map((text): Sample => [text, fits(schema as object, text)])];
}

function beside(bound: bigint | undefined, step: bigint): Sample[] {
  return bound === undefined
    ? []
    : [
        [String(bound), true],
        [String(bound + step), false],
      ];
}

function exampleOf(spec: Spec, schema: Field['schema']): unknown {
  try {
    return exampleValue(spec, schema as object, true);
  } catch (error) {
    if (error instanceof NoExampleError) return undefined;
    throw error;
  }
}

function asWord(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
