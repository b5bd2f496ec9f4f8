import { schemas } from './gen/operations.gen.ts';
import type { JsonType, Schema } from './operation.ts';

const recursiveSchemas: Readonly<Record<string, Schema>> = schemas;
const ANY_TYPE: readonly JsonType[] = ['string', 'number', 'boolean', 'array', 'object', 'null'];

/** The schema, with a reference to a recursive schema resolved. */
export function resolved(schema: Schema): Schema {
  return recursiveSchemas[schema.$ref?.slice('#/components/schemas/'.length) ?? ''] ?? schema;
}

/** The types that a schema allows; all types if it does not restrict them. `resolve` follows references. */
export function typesOf(schema: Schema, resolve = resolved): readonly JsonType[] {
  const { type, enum: values, const: only, allOf, anyOf, oneOf, properties, items } = resolve(schema);
  const typesOfPart = (part: Schema) => typesOf(part, resolve);
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (values) return [...new Set(values.map(typeOf))];
  if (only !== undefined) return [typeOf(only)];
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return [...new Set(alternatives.flatMap(typesOfPart))];
  if (allOf?.length) return allOf.map(typesOfPart).reduce(commonTypes);
  return properties ? ['object'] : items ? ['array'] : ANY_TYPE;
}

/** The types that are in both lists, where an integer is a number, too. */
function commonTypes(left: readonly JsonType[], right: readonly JsonType[]): readonly JsonType[] {
  const isIn = (types: readonly JsonType[]) => (type: JsonType) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  return [...new Set([...left.filter(isIn(right)), ...right.filter(isIn(left))])];
}

/** The only type that a schema allows, apart from null; undefined if it allows several. */
export function typeIn(schema: Schema): Exclude<JsonType, 'null'> | undefined {
  const [type, ...others] = typesOf(schema).filter((allowed) => allowed !== 'null');
  return others.length === 0 ? (type as Exclude<JsonType, 'null'>) : undefined;
}

/** The named properties of an object, including those of an `allOf`. The result has no prototype, so it has no other names. */
export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { properties, allOf = [] } = resolved(schema);
  return Object.assign(Object.create(null), ...allOf.map(propertiesOf), properties);
}

/** Whether a schema is a string of bytes, or has such a part or alternative, for example beside null. */
export function isBinary(schema: Schema): boolean {
  const { format, contentMediaType = 'text/plain', contentEncoding } = resolved(schema);
  const isMedia = contentEncoding === undefined && !/json|text/.test(contentMediaType);
  const isFile = typesOf(schema).includes('string') && (format === 'binary' || isMedia);
  return isFile || alternativesOf(schema).some(isBinary);
}

/** Whether an integer may be too large for an exact number: an int64 without safe bounds. */
export function isWide(schema: Schema): boolean {
  if (!typesOf(schema).includes('integer')) return false;
  const target = resolved(schema);
  return target.allOf?.some(isWide) || (target.format === 'int64' && !hasSafeBounds(target));
}

/** Whether this schema or an alternative in it accepts integers beyond 2^53. */
export function mayBeWide(schema: Schema): boolean {
  return isWide(schema) || alternativesOf(schema).some(mayBeWide);
}

/** The schemas with all their parts and alternatives, each schema once. */
export function partsOf(schemas: readonly Schema[]): readonly Schema[] {
  const parts = new Set(schemas.map(resolved));
  // The loop also visits the parts that it adds.
  for (const part of parts) for (const alternative of alternativesOf(part)) parts.add(resolved(alternative));
  return [...parts];
}

/** The schemas of a property in the parts of an object. */
export function propertySchemasOf(parts: readonly Schema[], name: string): readonly Schema[] {
  return parts.flatMap(({ properties = {}, additionalProperties }) => {
    if (Object.hasOwn(properties, name)) return properties[name] ?? [];
    return typeof additionalProperties === 'object' ? additionalProperties : [];
  });
}

/** The schemas that a schema consists of: all parts of an `allOf`, and all alternatives. */
export function alternativesOf(schema: Schema): readonly Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = resolved(schema);
  return [...allOf, ...anyOf, ...oneOf];
}

/** Whether every integer that a schema allows is an exact number: its values are listed, or its bounds are safe. */
export function hasSafeBounds(schema: Schema): boolean {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity, exclusiveMaximum = Infinity } = schema;
  const isListed = schema.enum !== undefined || schema.const !== undefined;
  const [lower, upper] = [Math.max(minimum, exclusiveMinimum), Math.min(maximum, exclusiveMaximum)];
  return isListed || (lower >= Number.MIN_SAFE_INTEGER && upper <= Number.MAX_SAFE_INTEGER);
}

/** The type of a JSON value; `integer` for a number without a fraction. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
