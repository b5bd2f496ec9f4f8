// The validator of JSON Schema, with the schemas of the spec, and values as it knows them: with numbers, because JSON Schema
// knows no bigints.
import { type Schema, schemas } from '@petstore/types';
// The path that ajv documents for JSON Schema 2020-12.
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { invalid } from './errors.ts';
import type { DocumentCheck } from './transfer.ts';

export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    // Annotations of OpenAPI are no keywords of JSON Schema.
    strict: false,
    strictNumbers: true,
    formats: integerFormats,
    // The drift check does that. Without it, ajv need not compile the schema of schemas at each start.
    validateSchema: false,
    meta: false,
  });
  for (const [name, schema] of Object.entries<Schema>(schemas))
    ajv.addSchema(schema, `#/components/schemas/${name}`);
  return ajv;
}

/** Checks documents by the schemas of their collections. */
export function documentCheck(
  collections: readonly { readonly name: string; readonly schema: Schema }[],
): DocumentCheck {
  const ajv = createAjv();
  const validators = new Map(collections.map(({ name, schema }) => [name, ajv.compile(schema)]));
  return (collection, document) => {
    const validate = validators.get(collection);
    if (!validate || validate(toJsonNumbers(document))) return undefined;
    return validate.errors?.map(describeError).join(', ');
  };
}

/** The message of ajv, with what it omits: the values that are allowed, and the property that is not. */
function describeError({ instancePath, message, params }: ErrorObject): string {
  const omitted = params.allowedValues?.join(', ') ?? params.additionalProperty;
  const text = `document${instancePath} ${message}`;
  return omitted === undefined ? text : `${text}: ${omitted}`;
}

/** The highest double of 64 bits stands for the integers above it. */
const MAX_INT64 = 2 ** 63 - 1024;

/** The formats of integers, as validators take them. */
export const integerFormats = {
  int32: rangeFormat(-(2 ** 31), 2 ** 31 - 1),
  int64: rangeFormat(-(2 ** 63), MAX_INT64),
};

function rangeFormat(low: number, high: number) {
  return { type: 'number' as const, validate: (value: number) => value >= low && value <= high };
}

export const MAX_DEPTH = 64;

/**
 * A JSON value with numbers instead of bigints; the same value if it has none. Throws for deep nesting and for malformed
 * Unicode. `name` is the property of the body that the value belongs to.
 */
export function toJsonNumbers(value: unknown, name?: string, depth = 0): unknown {
  if (typeof value === 'bigint') return Math.min(Number(value), MAX_INT64);
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalid(`${placeOf(name)}: it is not well-formed Unicode`);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw invalid(`body: it is nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return convertedArray(value, name, depth);
  return convertedObject(value as Readonly<Record<string, unknown>>, name, depth);
}

function convertedArray(
  array: readonly unknown[],
  name: string | undefined,
  depth: number,
): unknown {
  // Only what has bigints is copied: many large bodies at once would take twice the memory.
  let copy: unknown[] | undefined;
  for (const [i, item] of array.entries()) {
    const converted = toJsonNumbers(item, name, depth + 1);
    if (converted === item) continue;
    copy ??= [...array];
    copy[i] = converted;
  }
  return copy ?? array;
}

function convertedObject(
  object: Readonly<Record<string, unknown>>,
  name: string | undefined,
  depth: number,
): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const property of Object.keys(object)) {
    if (!property.isWellFormed())
      throw invalid(`${placeOf(name)}: a name is not well-formed Unicode`);
    const converted = toJsonNumbers(object[property], property, depth + 1);
    if (converted === object[property]) continue;
    copy ??= { ...object };
    copy[property] = converted;
  }
  return copy ?? object;
}

function placeOf(name: string | undefined): string {
  return name === undefined ? 'body' : `body '${name}'`;
}
