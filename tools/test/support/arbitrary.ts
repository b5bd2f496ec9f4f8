import fc from 'fast-check';
import { type Document, resolve, type Schema } from '../../openapi/document.ts';
import { exampleValue } from '../../openapi/examples.ts';
import { valueCheck } from '../../openapi/validate.ts';

const MAX_DEPTH = 4;

/** Any character of well-formed text. fast-check's own `binary` is nearly the same, but its creation takes seconds. */
const character = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));

/** Any valid value of a schema, with texts of these characters. */
export function arbitraryValue(document: Document, schema: Schema, unit = character): fc.Arbitrary<unknown> {
  const fits = valueCheck(document);
  // An example replaces a value that violates a keyword which `schemaValue` ignores.
  return schemaValue(document, schema, unit, 0).map((value) =>
    value !== undefined && fits(schema, value) ? value : exampleValue(document, schema, true),
  );
}

function schemaValue(
  document: Document,
  written: Schema,
  unit: fc.Arbitrary<string>,
  depth: number,
): fc.Arbitrary<unknown> {
  const schema = resolve(document, written);
  const below = (subschema: Schema) => schemaValue(document, subschema, unit, depth + 1);
  const { enum: values, const: only, oneOf, anyOf, allOf } = schema;
  if (only !== undefined) return fc.constant(only);
  if (values) return fc.constantFrom(...values);
  if (oneOf ?? anyOf) return fc.oneof(...(oneOf ?? anyOf ?? []).map(below));
  if (allOf) return fc.tuple(...allOf.map(below)).map((parts) => Object.assign({}, ...parts));
  const types = [schema.type ?? []].flat();
  return types.length === 0 || depth > MAX_DEPTH
    ? fc.constant(undefined)
    : fc.oneof(...types.map((type) => ofType(type, schema, unit, below)));
}

function ofType(
  type: string,
  schema: Schema,
  unit: fc.Arbitrary<string>,
  below: (schema: Schema) => fc.Arbitrary<unknown>,
): fc.Arbitrary<unknown> {
  const { minimum: min, maximum: max, minLength = 0, maxLength = 20, minItems = 0, maxItems = minItems + 4 } = schema;
  switch (type) {
    case 'integer':
      return isWide(schema)
        ? fc.bigInt({ min: wideBound(min, -(2n ** 63n)), max: wideBound(max, 2n ** 63n - 1n) }).map(asNumber)
        : fc.maxSafeInteger().map((n) => Math.min(Math.max(n, min ?? n), max ?? n));
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true, min: min ?? -1e9, max: max ?? 1e9 });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return schema.uniqueItems
        ? fc.uniqueArray(below(schema.items ?? {}), {
            minLength: minItems,
            maxLength: maxItems,
            selector: JSON.stringify,
          })
        : fc.array(below(schema.items ?? {}), { minLength: minItems, maxLength: maxItems });
    case 'object':
      return fc.record(
        Object.fromEntries(Object.entries(schema.properties ?? {}).map(([name, property]) => [name, below(property)])),
        { requiredKeys: (schema.required ?? []).filter((name) => name in (schema.properties ?? {})) },
      );
    default:
      return schema.pattern === undefined && schema.format === undefined && schema.contentMediaType === undefined
        ? fc.string({ unit, minLength, maxLength })
        : fc.constant(undefined);
  }
}

/** Whether an integer may be larger than a number can represent exactly. */
export function isWide({ format, minimum = -Infinity, maximum = Infinity }: Schema): boolean {
  return format === 'int64' && !(Number.isSafeInteger(minimum) && Number.isSafeInteger(maximum));
}

/** The bound, or `fallback` if 64 bits cannot represent it. */
function wideBound(bound: number | undefined, fallback: bigint): bigint {
  return bound !== undefined && Math.abs(bound) < 2 ** 63 ? BigInt(bound) : fallback;
}

const asNumber = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
