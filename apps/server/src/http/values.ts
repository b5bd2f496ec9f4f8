import { isWide, propertiesOf, resolved, type Schema, typesOf } from '@petstore/types';

/** Makes of text the value that it stands for. Text that stands for none stays as it is, and the validator refuses it. */
export type ReadText = (text: string) => unknown;

const readers = new WeakMap<Schema, ReadText>();

/** Reads the text of parameters and forms as a schema says: integers in decimal digits, numbers as JSON has them. */
export function textReader(schema: Schema): ReadText {
  const known = readers.get(schema);
  if (known) return known;
  const types = typesOf(schema);
  // A schema that says nothing of the type takes text.
  const isOpen = types.includes('string') && types.includes('object');
  const read: ReadText = isOpen || types.join() === 'string' ? (text) => text : typedReader(schema, types);
  readers.set(schema, read);
  return read;
}

function typedReader(schema: Schema, types: readonly string[]): ReadText {
  const isNumber = types.includes('number');
  const isInteger = isNumber || types.includes('integer');
  const wide = mayBeWide(schema);
  const isBoolean = types.includes('boolean');
  const isNull = types.includes('null') && !types.includes('string');
  return (text) => {
    if (isInteger && INTEGER.test(text)) {
      const value = Number(text);
      if (Number.isSafeInteger(value)) return value;
      if (wide) return int64Of(text) ?? text;
    }
    if (isNumber && NUMBER.test(text) && Number.isFinite(Number(text)) && isExactNumber(text)) return Number(text);
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true';
    return isNull && text === '' ? null : text;
  };
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** Whether an integer by this schema, or by an alternative in it, may be any of 64 bits. */
function mayBeWide(schema: Schema): boolean {
  return isWide(schema) || alternativesOf(schema).some(mayBeWide);
}

/** The schema of the elements of a list. */
export function itemsOf(schema: Schema): Schema {
  return resolved(schema).items ?? firstOf(schema, (one) => resolved(one).items) ?? {};
}

/** The schema of a property of an object; nothing where the object has no such one. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const named = propertiesOf(schema);
  if (Object.hasOwn(named, name)) return named[name];
  const { additionalProperties, properties } = resolved(schema);
  const found = firstOf(schema, (one) => propertyOf(one, name));
  if (found || additionalProperties === false) return found;
  if (typeof additionalProperties === 'object') return additionalProperties;
  return additionalProperties === true || (!properties && alternativesOf(schema).length === 0) ? {} : undefined;
}

function firstOf<T>(schema: Schema, find: (alternative: Schema) => T | undefined): T | undefined {
  for (const one of alternativesOf(schema)) {
    const found = find(one);
    if (found !== undefined) return found;
  }
  return undefined;
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = resolved(schema);
  return [...allOf, ...anyOf, ...oneOf];
}

/**
 * The value with integers beyond 2^53 as bigints where the schema has an int64 without bounds. `onInexact` is called with
 * the key that a bigint stands under which the schema does not ask for.
 */
export function withInt64(
  schema: Schema | undefined,
  value: unknown,
  onInexact: (key: string | undefined, integer: bigint) => never,
  key?: string,
): unknown {
  if (typeof value === 'bigint') return schema && mayBeWide(schema) ? value : onInexact(key, value);
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) || !Number.isInteger(value) || !schema || !mayBeWide(schema)) return value;
    const exact = BigInt(value);
    return isInt64(exact) ? exact : value;
  }
  if (Array.isArray(value)) {
    const items = schema && itemsOf(schema);
    return value.map((one) => withInt64(items, one, onInexact, key));
  }
  if (typeof value !== 'object' || value === null) return value;
  const converted = Object.entries(value).map(([name, one]) => [
    name,
    withInt64(schema && propertyOf(schema, name), one, onInexact, name),
  ]);
  return Object.fromEntries(converted);
}

/**
 * Whether an integer is the very number that was written, down to the last digit. Other numbers are left to the schema.
 * Both are compared as significant digits and a power of ten, because that takes linear time.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isInteger(value)) return true;
  const [written, held] = [scientific(source), scientific(String(BigInt(value)))];
  return written.digits === held.digits && written.exponent === held.exponent;
}

/** The integer of 64 bits that a JSON number is, in whatever way it is written; nothing where it is none. */
export function int64Of(source: string): bigint | undefined {
  const { digits, exponent } = scientific(source);
  if (exponent < 0 || digits.length + exponent > MAX_INT64_LENGTH) return undefined;
  const value = BigInt(digits + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** A sign and 19 digits. */
const MAX_INT64_LENGTH = 20;
const ZERO = 0x30;

/** A decimal number in the one form that every way of writing it shares: its significant digits and a power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const mark = source.search(/[eE]/);
  const mantissa = source.slice(sign.length, mark < 0 ? undefined : mark);
  const exponent = mark < 0 ? 0 : Number(source.slice(mark + 1));
  const point = mantissa.indexOf('.');
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  let start = 0;
  while (digits.charCodeAt(start) === ZERO) start++;
  if (start === digits.length) return { digits: '0', exponent: 0 };
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end--;
  return { digits: sign + digits.slice(start, end), exponent: exponent - fraction + digits.length - end };
}
