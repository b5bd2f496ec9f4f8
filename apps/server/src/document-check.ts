import type { Schema } from '@petstore/types';
import { createAjv, toJsonNumbers } from './json-schema.ts';
import type { DocumentCheck } from './transfer.ts';

/** Checks documents by the schemas of their collections. */
export function documentCheck(
  collections: readonly { readonly name: string; readonly schema: Schema }[],
): DocumentCheck {
  const ajv = createAjv();
  const validators = new Map(collections.map(({ name, schema }) => [name, ajv.compile(schema)]));
  return (collection, document) => {
    const validate = validators.get(collection);
    if (!validate || validate(toJsonNumbers(document))) return undefined;
    return ajv.errorsText(validate.errors, { dataVar: 'document' });
  };
}
