import { type Schema, schemas } from '@petstore/types';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { DocumentCheck } from './transfer.ts';
import { plain, ranges } from './validators.ts';

/** Checks documents by the schemas of their collections. */
export function documentCheck(
  collections: readonly { readonly name: string; readonly schema: Schema }[],
): DocumentCheck {
  const ajv = new Ajv2020({ strict: false, strictNumbers: true });
  for (const [format, [low, high]] of Object.entries(ranges))
    ajv.addFormat(format, {
      type: 'number',
      validate: (value: number) => value >= low && value <= high,
    });
  for (const [name, schema] of Object.entries<Schema>(schemas))
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  const validators = new Map(collections.map(({ name, schema }) => [name, ajv.compile(schema)]));
  return (collection, document) => {
    const validate = validators.get(collection);
    if (!validate || validate(plain(document))) return undefined;
    return ajv.errorsText(validate.errors, { dataVar: 'document' });
  };
}
