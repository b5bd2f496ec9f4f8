import { schemas } from './gen/operations.gen.ts';
import type { JsonType, Schema } from './operation.ts';

const recursiveSchemas: Readonly<Record<string, Schema>> = schemas;

/** The schema, with a reference to a schema that contains itself followed. */
export function resolved(schema: Schema): Schema {
  const name = schema.$ref?.slice('#/components/schemas/'.length);
  return name === undefined ? schema : (recursiveSchemas[name] ?? schema);
}

/** The types that a schema allows; all types if it does not restrict them. */
export function typesOf(schema: Schema): readonly JsonType[] {
  const {
    type,
    enum: values,
    const: only,
    allOf,
    anyOf,
    oneOf,
    properties,
    items,
  } = resolved(schema);
  if (type !== undefined) return typeof type === 'string' ? [type] : type;
  if (values) return [...new Set(values.map(typeOf))];
  if (only !== undefined) return [typeOf(only)];
  const alternatives = anyOf ?? oneOf;
  if (alternatives) return [...new Set(alternatives.flatMap(typesOf))];
  const [first, ...others] = allOf ?? [];
  if (first)
    return others
      .map(typesOf)
      .reduce((left, right) => left.filter((type) => right.includes(type)), typesOf(first));
  if (properties) return ['object'];
  return items ? ['array'] : ['string', 'number', 'boolean', 'array', 'object', 'null'];
}

/** The only type that a schema allows beside null; undefined if it allows several. */
export function typeIn(schema: Schema): Exclude<JsonType, 'null'> | undefined {
  const [type, ...others] = typesOf(schema).filter((allowed) => allowed !== 'null');
  return others.length === 0 ? (type as Exclude<JsonType, 'null'>) : undefined;
}

/** The named properties of an object, including those of its `allOf`. The result has no prototype, so it has no other names. */
export function propertiesOf(schema: Schema): Readonly<Record<string, Schema>> {
  const { properties, allOf = [] } = resolved(schema);
  return Object.assign(Object.create(null), ...allOf.map(propertiesOf), properties);
}

/** The type of a JSON value; `integer` for a number without a fraction. */
function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value as JsonType;
}
