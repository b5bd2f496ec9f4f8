import { schemas } from './gen/operations.gen.ts';
import type { JsonType, Schema } from './operation.ts';

const allTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'array', 'object', 'null'];
const recursiveSchemas: Readonly<Record<string, Schema>> = schemas;

/** The schema itself, or the schema that it refers to. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.slice('#/components/schemas/'.length);
  return name === undefined ? schema : (recursiveSchemas[name] ?? schema);
}

/** The types that a schema allows; all types if it does not restrict them. */
export function typesOf(schema: Schema): readonly JsonType[] {
  const { type, const: only, anyOf, oneOf, allOf } = resolved(schema);
  if (typeof type === 'string') return [type];
  if (type !== undefined) return type;
  if (only !== undefined) return [typeOfScalar(only)];
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return [...new Set(alternatives.flatMap(typesOf))];
  // The generator supports `allOf` for objects only.
  return allOf ? ['object'] : allTypes;
}

/** The only type that a schema allows besides null; undefined if it allows several. */
export function typeIn(schema: Schema): Exclude<JsonType, 'null'> | undefined {
  const [type, ...others] = typesOf(schema).filter((allowed) => allowed !== 'null');
  return others.length === 0 ? type : undefined;
}

/**
 * The properties that an object schema names, also in its `allOf`. The result has no prototype, so
 * it does not have names such as `toString`.
 */
export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { properties, allOf = [] } = resolved(schema);
  const named: Record<string, Schema> = Object.create(null);
  for (const part of allOf) Object.assign(named, propertiesOf(part));
  return Object.assign(named, properties);
}

/** The type of a constant. A number without a fraction is an `integer`. */
function typeOfScalar(value: unknown): JsonType {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'boolean' ? 'boolean' : 'string';
}
