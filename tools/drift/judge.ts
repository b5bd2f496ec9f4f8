// Whether a value is what a schema of the spec allows.
import type { Schema } from '@petstore/types';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Spec } from './interface.ts';
import { asNode, isNode } from './oracle.ts';

/** What is wrong with a value; undefined if the schema allows it. */
export type Judge = (schema: Schema, value: unknown) => string | undefined;

/** The bounds of the integer formats. */
export const integerBounds: Readonly<Record<string, readonly [least: bigint, most: bigint]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

export function judgeOf(spec: Spec): Judge {
  const { schemas } = asNode(spec.document.components);
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, logger: false });
  for (const [name, [least, most]] of Object.entries(integerBounds))
    ajv.addFormat(name, {
      type: 'number',
      validate: (value) => value >= Number(least) && value <= Number(most),
    });
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema, value) => {
    const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components: { schemas } });
    compiled.set(schema, validate);
    if (validate(withoutBigInts(value))) return undefined;
    const [error] = validate.errors ?? [];
    if (!error) return 'it is invalid';
    return `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`.trim();
  };
}

/** ajv knows no bigint. One of 64 bits becomes the nearest double, any other one infinity, which is no integer. */
function withoutBigInts(value: unknown): unknown {
  if (typeof value === 'bigint')
    return BigInt.asIntN(64, value) === value ? Number(value) : Number.POSITIVE_INFINITY;
  if (Array.isArray(value)) return value.map(withoutBigInts);
  if (!isNode(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [name, withoutBigInts(each)]);
  return Object.fromEntries(entries);
}
