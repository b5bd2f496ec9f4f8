import { isWide, propertiesOf, resolved, type Schema, typesOf } from '@petstore/types';

/** Text that does not follow the style of its parameter, or a number that a double would change. */
export class StyleError extends Error {
  override readonly name = 'StyleError';
}

/**
 * Converts text to a value. Returns text that cannot be converted unchanged, so the validator rejects it. Throws for a number that
 * would be rounded, if the schema allows no text.
 */
export type ParseText = (text: string) => unknown;

const parsers = new WeakMap<Schema, ParseText>();

/** The function that converts the text of a parameter or form field by its schema. Integers are decimal, numbers are as in JSON. */
export function textParser(schema: Schema): ParseText {
  const known = parsers.get(schema);
  if (known) return known;
  const types = typesOf(schema);
  // A schema without a type accepts text.
  const isOpen = types.includes('string') && types.includes('object');
  const parse: ParseText = isOpen || types.join() === 'string' ? (text) => text : typedParser(schema, types);
  parsers.set(schema, parse);
  return parse;
}

function typedParser(schema: Schema, types: readonly string[]): ParseText {
  const isNumber = types.includes('number');
  const isInteger = isNumber || types.includes('integer');
  const wide = mayBeWide(schema);
  const isBoolean = types.includes('boolean');
  const allowsText = types.includes('string');
  const isNull = types.includes('null') && !allowsText;
  return (text) => {
    if (isInteger && INTEGER.test(text)) {
      const value = Number(text);
      if (Number.isSafeInteger(value)) return value;
      if (wide) return int64Of(text) ?? text;
      if (!isNumber && !allowsText) throw new StyleError(UNSAFE_INTEGER);
    }
    if (isNumber && NUMBER.test(text)) {
      if (isExactNumber(text)) return Number(text);
      if (!allowsText) throw new StyleError(inexact(text));
    }
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true';
    return isNull && text === '' ? null : text;
  };
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

const UNSAFE_INTEGER = `must be an integer from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}`;

/** The problem of a number that a double would change. */
export const inexact = (source: string) => `${source.slice(0, 40)} cannot be represented exactly`;

/** Whether this schema or an alternative in it accepts integers beyond 2^53. */
export function mayBeWide(schema: Schema): boolean {
  return isWide(schema) || alternativesOf(schema).some(mayBeWide);
}

/** The schema of the elements of a list. */
export function itemsOf(schema: Schema): Schema {
  return resolved(schema).items ?? firstOf(schema, (alternative) => resolved(alternative).items) ?? {};
}

/** The schema of a property of an object; undefined if the object cannot have it. */
export function propertyOf(schema: Schema, name: string): Schema | undefined {
  const named = propertiesOf(schema);
  if (Object.hasOwn(named, name)) return named[name];
  const { additionalProperties, properties } = resolved(schema);
  const found = firstOf(schema, (alternative) => propertyOf(alternative, name));
  if (found || additionalProperties === false) return found;
  if (typeof additionalProperties === 'object') return additionalProperties;
  return additionalProperties === true || (!properties && alternativesOf(schema).length === 0) ? {} : undefined;
}

function firstOf<T>(schema: Schema, find: (alternative: Schema) => T | undefined): T | undefined {
  for (const alternative of alternativesOf(schema)) {
    const found = find(alternative);
    if (found !== undefined) return found;
  }
  return undefined;
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const { allOf = [], anyOf = [], oneOf = [] } = resolved(schema);
  return [...allOf, ...anyOf, ...oneOf];
}

/** A text that is the same for equal values only: properties are sorted, strings have their length as a prefix. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return `${value.length}:${value}`;
  if (typeof value !== 'object' || value === null) return `#${value};`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  let text = '{';
  for (const name of Object.keys(value).sort()) {
    const property = (value as Record<string, unknown>)[name];
    if (property !== undefined) text += canonical(name) + canonical(property);
  }
  return `${text}}`;
}

/**
 * Whether no digit of a number is lost if a double holds it: the shortest text of the double is the same number, so `0.1` and `1e308`
 * are exact. An integer of 2^53 or more that is written as digits has to equal the double itself, because each of its digits counts.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const shortest = String(value);
  const mayBeRounded = Number.isInteger(value) && !Number.isSafeInteger(value);
  if (shortest === source && !mayBeRounded) return true;
  const { digits, exponent } = scientific(source);
  if (!mayBeRounded || !/^-?\d+$/.test(source)) {
    const other = scientific(shortest);
    if (digits === other.digits && exponent === other.exponent) return true;
  }
  if (!mayBeRounded || exponent < 0 || exponent > MAX_EXACT_EXPONENT) return false;
  return BigInt(digits + '0'.repeat(exponent)) === BigInt(value);
}

/** Parses a JSON number as a 64-bit integer, such as `1e3`; undefined if it is not one. */
export function int64Of(source: string): bigint | undefined {
  const { digits, exponent } = scientific(source);
  if (exponent < 0 || digits.length + exponent > MAX_INT64_LENGTH) return undefined;
  const value = BigInt(digits + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** A higher power of ten has a power of five that a double cannot hold. The bound also keeps the time linear. */
const MAX_EXACT_EXPONENT = 22;
/** A sign and 19 digits. */
const MAX_INT64_LENGTH = 20;
const ZERO = 0x30;

/** The normalized form of a decimal number: its significant digits and a power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const exponentAt = source.search(/[eE]/);
  const mantissa = source.slice(sign.length, exponentAt < 0 ? undefined : exponentAt);
  const exponent = exponentAt < 0 ? 0 : Number(source.slice(exponentAt + 1));
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
