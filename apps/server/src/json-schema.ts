// The validator of JSON Schema, with the schemas and the integers of the spec.
import { type Schema, schemas } from '@petstore/types';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ranges } from './json-numbers.ts';

/** The formats of integers. */
export const integerFormats = Object.fromEntries(
  Object.entries(ranges).map(([format, { low, high }]) => [
    format,
    { type: 'number' as const, validate: (value: number) => value >= low && value <= high },
  ]),
);

export function createAjv(): Ajv2020 {
  // Types are strict: nothing is coerced. Annotations of OpenAPI are no keywords of JSON Schema.
  const ajv = new Ajv2020({ strict: false, strictNumbers: true, formats: integerFormats });
  for (const [name, schema] of Object.entries<Schema>(schemas))
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  return ajv;
}
