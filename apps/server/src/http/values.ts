import {
  alternativesOf,
  hasSafeBounds,
  int64Of,
  isExactNumber,
  mayBeWide,
  propertiesOf,
  resolved,
  type Schema,
  typesOf,
} from '../old.ts';

/** Text that does not follow the style of its parameter, or a number that a double would change. */
export class StyleError extends Error {
  override readonly name = 'StyleError';
}

/** Decodes a text; undefined if it is not percent-encoded UTF-8. */
export function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * Converts text to a value. If that fails, returns the text, so that the validator can reject it. Throws for a number that
 * would be rounded, if the schema allows no text.
 */
export type TextParser = (text: string) => unknown;

const parsers = new WeakMap<Schema, TextParser>();

/** The function that converts the text of a parameter or form field by its schema. Integers are decimal, numbers are as in JSON. */
export function textParser(schema: Schema): TextParser {
  const known = parsers.get(schema);
  if (known) return known;
  const types = typesOf(schema);
  const parse: TextParser =
    allowsAnyText(types) || types.join() === 'string' ? (text) => text : typedParser(schema, types);
  parsers.set(schema, parse);
  return parse;
}

/** Whether both strings and objects are valid, as in an empty schema: text is then not converted. */
export const allowsAnyText = (types: readonly string[]) => types.includes('string') && types.includes('object');

function typedParser(schema: Schema, types: readonly string[]): TextParser {
  const isNumber = types.includes('number');
  const isInteger = isNumber || types.includes('integer');
  const wide = mayBeWide(schema);
  const isBounded = hasSafeBounds(resolved(schema));
  const isBoolean = types.includes('boolean');
  const allowsText = types.includes('string');
  const emptyIsNull = types.includes('null') && !allowsText;
  return (text) => {
    if (isInteger && INTEGER.test(text)) {
      const value = Number(text);
      if (Number.isSafeInteger(value)) return value;
      if (wide) return int64Of(text) ?? text;
      if (!isNumber && !allowsText) {
        // Any other number out of bounds would do: the validator names the bound that it violates.
        if (isBounded) return Math.sign(value) * Number.MAX_VALUE;
        throw new StyleError(
          `must be ${value > 0 ? `<= ${Number.MAX_SAFE_INTEGER}` : `>= ${Number.MIN_SAFE_INTEGER}`}`,
        );
      }
    }
    if (isNumber && NUMBER.test(text)) {
      if (isExactNumber(text)) return Number(text);
      if (!allowsText) throw new StyleError(inexact(text));
    }
    if (isBoolean && (text === 'true' || text === 'false')) return text === 'true';
    return emptyIsNull && text === '' ? null : text;
  };
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** The problem of a number that a double would change. */
export const inexact = (source: string) => `${source.slice(0, 40)} cannot be represented exactly`;

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

/** A text that identifies a JSON value: properties are sorted, and each string has its length as a prefix, so texts never collide. */
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
