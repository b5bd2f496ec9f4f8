import { exactJson } from './json.ts';
import type { JsonType, Schema } from './operation.ts';
import { propertiesOf, resolved, typeOf } from './schema.ts';

interface Violation {
  readonly at: string;
  /** The end of a sentence that begins with the location. */
  readonly message: string;
  /** The value and a comma, unless the value is a list or an object. */
  readonly shown?: string;
}

/** The direction of data: a request has no read-only properties, and a response has no write-only properties. */
type Direction = 'request' | 'response';

/**
 * The first violation: the end of a sentence about the value, or a whole sentence about a part of it, such as
 * `.age is 0, less than 1`; `undefined` if the value is valid.
 */
export function violationOf(value: unknown, schema: Schema, direction: Direction): string | undefined {
  const [first] = violationsIn(value, schema, '', direction);
  return first?.at ? sentenceOf(first) : first?.message;
}

function sentenceOf({ at, message, shown = '' }: Violation): string {
  return `${at || 'it'} is ${shown}${message}`;
}

function* violationsIn(
  value: unknown,
  reference: Schema,
  at: string,
  direction: Direction,
): Generator<Violation, void> {
  const schema = resolved(reference);
  const message = violationInValue(value, schema);
  if (message !== undefined) {
    const text = () => (typeof value === 'string' ? JSON.stringify(value) : String(value));
    // An object such as `{"toString":1}` cannot be converted to text.
    yield { at, message, shown: Object(value) === value ? '' : `${text()}, ` };
    return;
  }
  for (const part of schema.allOf ?? []) yield* violationsIn(value, part, at, direction);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives && !alternatives.some((alternative) => violationsIn(value, alternative, at, direction).next().done))
    yield { at, message: 'none of what it may be' };
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) {
      const itemSchema = schema.prefixItems?.[i] ?? schema.items;
      if (itemSchema) yield* violationsIn(item, itemSchema, `${at}[${i}]`, direction);
    }
  } else if (typeof value === 'object' && value !== null) yield* violationsInObject(value, schema, at, direction);
}

function* violationsInObject(
  value: object,
  schema: Schema,
  at: string,
  direction: Direction,
): Generator<Violation, void> {
  const { required = [], properties = {}, additionalProperties } = schema;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  for (const name of required) {
    const { readOnly, writeOnly } = resolved(properties[name] ?? {});
    const isExpected = (direction === 'request' ? readOnly : writeOnly) !== true;
    if (isExpected && !entries.some(([present]) => present === name)) yield { at: `${at}.${name}`, message: 'missing' };
  }
  for (const [name, item] of entries) {
    const itemAt = `${at}.${name}`;
    if (Object.hasOwn(properties, name)) yield* violationsIn(item, properties[name] ?? {}, itemAt, direction);
    // Properties of an `allOf` are checked with their part.
    else if (Object.hasOwn(propertiesOf(schema), name)) continue;
    else if (typeof additionalProperties === 'object')
      yield* violationsIn(item, additionalProperties, itemAt, direction);
    else if (additionalProperties === false && direction === 'request')
      yield { at: itemAt, message: 'not a property in the spec' };
  }
}

/** The violation in a value, without violations in its elements and properties. */
function violationInValue(value: unknown, schema: Schema): string | undefined {
  const { type, enum: values, const: only } = schema;
  const types = type === undefined ? [] : [type].flat();
  // A file is a string with a binary format, so only its type is checked.
  if (value instanceof Blob)
    return types.length === 0 || types.includes('string') ? undefined : `no ${types.join(' or ')}`;
  if (types.length > 0 && !types.some((allowed) => isOf(value, allowed))) {
    return types.length === 1 ? `no ${types[0] === 'array' ? 'list' : types[0]}` : `neither ${types.join(' nor ')}`;
  }
  if (values && !values.some((allowed) => isSame(allowed, value))) return `none of ${values.map(String).join(', ')}`;
  if (only !== undefined && !isSame(only, value)) return `not ${JSON.stringify(only)}`;
  if (typeof value === 'number' || typeof value === 'bigint') return numberViolation(value, schema);
  if (typeof value === 'string') return textViolation(value, schema);
  return Array.isArray(value) ? listViolation(value, schema) : undefined;
}

function numberViolation(value: number | bigint, schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) return `less than ${minimum}`;
  if (maximum !== undefined && value > maximum) return `more than ${maximum}`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `not more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `not less than ${exclusiveMaximum}`;
  return multipleOf === undefined || isMultiple(value, multipleOf) ? undefined : `no multiple of ${multipleOf}`;
}

/** Whether a value is a multiple, as the server decides: a quotient may have a rounding error, and a bigint is a multiple of any fraction. */
function isMultiple(value: number | bigint, factor: number): boolean {
  if (typeof value === 'bigint') return !Number.isInteger(factor) || value % BigInt(factor) === 0n;
  const times = value / factor;
  return Math.abs(times - Math.round(times)) <= 1e-9;
}

function textViolation(value: string, { minLength, maxLength, pattern }: Schema): string | undefined {
  if (minLength !== undefined && [...value].length < minLength) return `shorter than ${minLength}`;
  if (maxLength !== undefined && [...value].length > maxLength) return `longer than ${maxLength}`;
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `not like ${pattern}`;
  return undefined;
}

function listViolation(value: readonly unknown[], { minItems, maxItems, uniqueItems }: Schema): string | undefined {
  if (minItems !== undefined && value.length < minItems) return `shorter than ${minItems}`;
  if (maxItems !== undefined && value.length > maxItems) return `longer than ${maxItems}`;
  if (uniqueItems && new Set(value.map((item) => exactJson(item))).size < value.length) return 'a list with duplicates';
  return undefined;
}

function isOf(value: unknown, type: JsonType): boolean {
  const valueType = typeof value === 'bigint' ? 'integer' : typeOf(value);
  return valueType === type || (valueType === 'integer' && type === 'number');
}

function isSame(left: unknown, right: unknown): boolean {
  return left === right || (Object(left) === left && exactJson(left) === exactJson(right));
}
