import { jsonValue, jsonValueIfValid } from '../io/text.ts';
import {
  isInt64,
  isRounded,
  type JsonType,
  mayBeWide,
  parseScalar,
  partsOf,
  propertiesOf,
  propertySchemasOf,
  repeatedKey,
  resolved,
  roundedNumber,
  type Schema,
  typeIn,
  typesOf,
  violationOf,
} from '../old.ts';

/** A parsed value, or why it is invalid. */
export type ParsedValue = { readonly value: unknown } | { readonly problem: string };

/** Parses and validates a word by its schema. */
export function parseValue(text: string, schema: Schema): ParsedValue {
  const parsed = parseWord(text, schema);
  return 'value' in parsed ? validate(parsed.value, schema) : parsed;
}

/** Parses a word by its schema, without validating it, because it may be only a part of a list or a map. */
export function parseWord(text: string, schema: Schema): ParsedValue {
  const kind = kindOf(schema);
  if (kind === 'json') return parseAny(text, schema);
  if (text === 'null' && typesOf(schema).includes('null')) return { value: null };
  if (kind === 'array') return parseElements(text, schema);
  if (kind === 'object' && isMap(schema) && !text.startsWith('{')) return parseEntry(text, schema);
  if (kind === 'object' && text.startsWith('{')) return parseJson(text, kinds.object);
  const value = kind === 'string' ? text : parseScalar(text, kind);
  if (kind === 'number' && value !== undefined && isRounded(text)) return roundingProblem(text);
  return value === undefined ? { problem: `is not ${kinds[kind]}` } : { value };
}

/** The type of a schema, or JSON if it allows several. */
export function kindOf(schema: Schema): keyof typeof kinds {
  return typeIn(schema) ?? 'json';
}

/** Whether an object allows properties of any name. */
export function isMap(schema: Schema): boolean {
  const { additionalProperties } = resolved(schema);
  return kindOf(schema) === 'object' && additionalProperties !== undefined && additionalProperties !== false;
}

/** Returns X for `anyOf: [X, null]` or `oneOf: [X, null]`, otherwise the schema itself. */
export function notNull(schema: Schema): Schema {
  const { anyOf, oneOf } = resolved(schema);
  const others = (anyOf ?? oneOf ?? []).filter((alternative) => resolved(alternative).type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

/** Validates a value by its schema. */
export function validate(value: unknown, schema: Schema): ParsedValue {
  const problem = violationOf(value, schema, 'request');
  if (problem === undefined) return isExact(value, [schema]) ? { value } : { problem: 'is too large to be exact' };
  // The problem of a part begins with its path, such as `.name`.
  return { problem: /^[.[]/.test(problem) ? `is not valid: ${problem}` : `is ${problem}` };
}

/** Parses JSON whose properties do not repeat, and whose numbers are exact. */
export function parseJson(text: string, typeName = 'JSON'): ParsedValue {
  let value: unknown;
  try {
    value = jsonValue(text);
  } catch (error) {
    return { problem: `is not ${typeName} (${error instanceof Error ? error.message : error})` };
  }
  const repeated = repeatedKey(text);
  if (repeated !== undefined) return { problem: `has the property '${repeated}' twice` };
  const rounded = roundedNumber(text);
  return rounded === undefined ? { value } : roundingProblem(rounded);
}

const roundingProblem = (text: string): ParsedValue => ({
  problem: `is inexact: ${text} would be rounded to ${Number(text)}`,
});

/** Parses JSON, or else text if the schema allows it. Objects, lists and quoted strings are never text. */
function parseAny(text: string, schema: Schema): ParsedValue {
  const json = parseJson(text);
  const asJson = 'value' in json ? validate(json.value, schema) : json;
  if ('value' in asJson || !typesOf(schema).includes('string')) return asJson;
  const isJson = jsonValueIfValid(text) !== undefined;
  if (isJson && /^[[{"]/.test(text)) return asJson;
  const asText = validate(text, schema);
  return 'value' in asText || !isJson ? asText : asJson;
}

/** Parses a list as JSON, or comma-separated elements. Objects and lists are one element per word. */
function parseElements(text: string, schema: Schema): ParsedValue {
  if (text.startsWith('[')) return parseJson(text, kinds.array);
  const { items = {}, prefixItems = [] } = resolved(schema);
  const isSingle = /^(object|array)$/.test(kindOf(items));
  const elements: unknown[] = [];
  for (const [i, word] of (isSingle ? [text] : text.split(',')).entries()) {
    const parsed = parseValue(word, prefixItems[i] ?? items);
    if ('problem' in parsed) return isSingle ? parsed : { problem: `contains '${word}', which ${parsed.problem}` };
    elements.push(parsed.value);
  }
  return { value: elements };
}

/** Parses an entry of a map, `key=value`. */
function parseEntry(text: string, schema: Schema): ParsedValue {
  const [, key, word = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined) return { problem: 'is neither key=value nor a JSON object' };
  const parsed = parseValue(word, propertyOf(schema, key));
  return 'value' in parsed ? { value: { [key]: parsed.value } } : parsed;
}

/** Whether a value that one of these schemas describes can be sent exactly. Only an integer of the format int64 may be 2^53 or larger. */
function isExact(value: unknown, schemas: readonly Schema[]): boolean {
  if (typeof value === 'bigint') return schemas.some(mayBeWide) && isInt64(value);
  if (typeof value === 'number') return Math.abs(value) < 2 ** 53;
  if (typeof value !== 'object' || value === null) return true;
  // Which of several alternatives applies is unknown here.
  const parts = partsOf(schemas);
  const elements = parts.flatMap(({ items = [] }) => items);
  if (Array.isArray(value)) return value.every((one) => isExact(one, elements));
  return Object.entries(value).every(([name, one]) => isExact(one, propertySchemasOf(parts, name)));
}

function propertyOf(schema: Schema, name: string): Schema {
  const { additionalProperties } = resolved(schema);
  return propertiesOf(schema)[name] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
}

/** The allowed values, for messages and help; undefined if all values of the type are allowed. */
export function boundsOf(bounded: Schema): string | undefined {
  const { enum: values, const: only, minimum, maximum, minLength, maxLength, ...schema } = notNull(bounded);
  if (values) return `one of ${values.map(String).join(', ')}`;
  if (only !== undefined) return typeof only === 'object' ? JSON.stringify(only) : String(only);
  const lower = minimum ?? schema.exclusiveMinimum;
  const upper = maximum ?? schema.exclusiveMaximum;
  const ends = [
    lower !== undefined && `${minimum === undefined ? 'more than' : 'from'} ${lower}`,
    upper !== undefined && `${maximum === undefined ? 'below' : lower === undefined ? 'up to' : 'to'} ${upper}`,
    minLength !== undefined && (maxLength === undefined ? `at least ${minLength} characters` : `from ${minLength}`),
    maxLength !== undefined && `${minLength === undefined ? 'at most' : 'to'} ${maxLength} characters`,
  ].filter((end) => end !== false);
  return ends.length > 0 ? ends.join(' ') : undefined;
}

/** The values of an enum or a constant as command line words. */
export function enumWords(schema: Schema): string[] {
  const { enum: values, const: only, items } = resolved(notNull(schema));
  if (items && !values) return enumWords(items);
  return (values ?? (only === undefined ? [] : [only])).map(String);
}

/** A description of the allowed values, for error messages. */
export function expected(schema: Schema): string {
  const bounds = boundsOf(schema);
  if ((schema.enum || schema.const !== undefined) && bounds) return bounds;
  const kind = kindOf(schema) === 'integer' ? 'a whole number in decimal digits' : kinds[kindOf(schema)];
  return [kind, bounds].filter(Boolean).join(' ');
}

/** The kinds of values, with their descriptions in messages. */
const kinds = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  json: 'a JSON value',
} as const satisfies Partial<Record<JsonType | 'json', string>>;
