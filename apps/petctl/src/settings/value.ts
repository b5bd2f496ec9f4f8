import { faultOf } from '@petstore/client/check';
import { isBinary, isWide, type JsonType, propertiesOf, resolved, typeIn, typesOf } from '@petstore/types';
import { jsonValue } from '../io/text.ts';
import type { Rules } from './flag.ts';

/** A parsed value, or why it is invalid. */
export type Read = { readonly value: unknown } | { readonly problem: string };

/** Parses and validates a word by its schema. */
export function readValue(text: string, rules: Rules): Read {
  const read = readPart(text, rules);
  return 'value' in read ? validate(read.value, rules) : read;
}

/** Parses one word of a list or a map, without validating the whole. */
export function readPart(text: string, rules: Rules): Read {
  const kind = kindOf(rules);
  if (kind === 'json') return readAny(text, rules);
  if (text === 'null' && typesOf(rules).includes('null')) return { value: null };
  if (kind === 'array') return readElements(text, rules);
  if (kind === 'object' && isMap(rules) && !text.startsWith('{')) return readEntry(text, rules);
  const value = kind === 'integer' && isWide(rules) ? wideInteger(text) : parse(text, kind);
  return value === undefined ? { problem: `is not ${kinds[kind]}` } : { value };
}

/** The kind of a word: JSON if the schema allows several types. */
export function kindOf(rules: Rules): keyof typeof kinds {
  return typeIn(rules) ?? 'json';
}

/** Whether an object allows properties of any name. */
export function isMap(rules: Rules): boolean {
  const { additionalProperties } = resolved(rules);
  return kindOf(rules) === 'object' && additionalProperties !== undefined && additionalProperties !== false;
}

/** Validates a value by its schema. */
export function validate(value: unknown, rules: Rules): Read {
  const problem = faultOf(value, rules, 'request');
  if (problem === undefined) return isExact(value, rules) ? { value } : { problem: 'is too large to be exact' };
  return { problem: /^[.[]/.test(problem) ? `is not valid: ${problem}` : `is ${problem}` };
}

/** JSON if valid, else text if allowed. Objects, lists and quoted strings are never text. */
function readAny(text: string, rules: Rules): Read {
  const value = parse(text, 'json');
  const asJson: Read = value === undefined ? { problem: 'is not a JSON value' } : validate(value, rules);
  if ('value' in asJson || !typesOf(rules).includes('string')) return asJson;
  if (value !== undefined && /^[[{"]/.test(text)) return asJson;
  const asText = validate(text, rules);
  return 'value' in asText || value === undefined ? asText : asJson;
}

/** A list as JSON, or comma-separated elements. Objects, lists and files are one element per word. */
function readElements(text: string, rules: Rules): Read {
  if (text.startsWith('[')) {
    const value = parse(text, 'array');
    return value === undefined ? { problem: `is not ${kinds.array}` } : { value };
  }
  const { items = {}, prefixItems = [] } = resolved(rules);
  const isOne = isBinary(items) || /^(object|array)$/.test(kindOf(items));
  const elements: unknown[] = [];
  for (const [i, word] of (isOne ? [text] : text.split(',')).entries()) {
    const read = readValue(word, prefixItems[i] ?? items);
    if ('problem' in read) return isOne ? read : { problem: `contains '${word}', which ${read.problem}` };
    elements.push(read.value);
  }
  return { value: elements };
}

/** An entry of a map, `key=value`. */
function readEntry(text: string, rules: Rules): Read {
  const [, key, word = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined) return { problem: 'is neither key=value nor a JSON object' };
  const { additionalProperties } = resolved(rules);
  const rule = propertiesOf(rules)[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
  const read = readValue(word, rule);
  return 'value' in read ? { value: { [key]: read.value } } : read;
}

/** Whether a value can be sent exactly: only int64 may exceed a double's range. */
function isExact(value: unknown, rules: Rules = {}): boolean {
  if (typeof value === 'bigint') return mayBeWide(rules) && BigInt.asIntN(64, value) === value;
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  const { items, additionalProperties } = resolved(rules);
  const named = propertiesOf(rules);
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  if (Array.isArray(value)) return value.every((one) => isExact(one, items));
  // Alternatives are not resolved here.
  const isOpen = (rules.anyOf ?? rules.oneOf) !== undefined;
  return Object.entries(value).every(([name, one]) => isExact(one, isOpen ? ANY_WIDE : (named[name] ?? rest)));
}

const ANY_WIDE: Rules = { type: 'integer', format: 'int64' };

function mayBeWide(rules: Rules): boolean {
  return isWide(rules) || (rules.anyOf ?? rules.oneOf ?? []).some(isWide);
}

function wideInteger(text: string): number | bigint | undefined {
  const value = parse(text, 'integer');
  return Number.isSafeInteger(value) || value === undefined ? (value as number | undefined) : BigInt(text);
}

/** The allowed values for messages and help; undefined if the type says it all. */
export function boundsOf({
  enum: values,
  const: only,
  minimum,
  maximum,
  minLength,
  maxLength,
  ...rules
}: Rules): string | undefined {
  if (values) return `one of ${values.map(String).join(', ')}`;
  if (only !== undefined) return typeof only === 'object' ? JSON.stringify(only) : String(only);
  const lower = minimum ?? rules.exclusiveMinimum;
  const upper = maximum ?? rules.exclusiveMaximum;
  const ends = [
    lower !== undefined && `${minimum === undefined ? 'more than' : 'from'} ${lower}`,
    upper !== undefined && `${maximum === undefined ? 'below' : lower === undefined ? 'up to' : 'to'} ${upper}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ].filter((end) => end !== false);
  return ends.length > 0 ? ends.join(' ') : undefined;
}

/** The values of an enum. */
export function wordsOf(rules: Rules): string[] {
  const { enum: values, const: only, items } = resolved(rules);
  if (items && !values) return wordsOf(items);
  return (values ?? (only === undefined ? [] : [only])).map(String);
}

/** The expected kind of word, with its bounds. */
export function expected(rules: Rules): string {
  const bounds = boundsOf(rules);
  if ((rules.enum || rules.const !== undefined) && bounds) return bounds;
  const kind = kindOf(rules) === 'integer' ? 'a whole number in decimal digits' : kinds[kindOf(rules)];
  return [kind, bounds].filter(Boolean).join(' ');
}

const kinds = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  array: 'a list',
  object: 'a JSON object',
  json: 'a JSON value',
} as const satisfies Partial<Record<JsonType | 'json', string>>;

function parse(text: string, kind: keyof typeof kinds): unknown {
  switch (kind) {
    case 'integer':
      return /^(0|-?[1-9]\d*)$/.test(text) ? Number(text) : undefined;
    case 'number':
      return /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'object':
      return text.startsWith('{') ? json(text) : undefined;
    case 'array':
    case 'json':
      return json(text);
    default:
      return text;
  }
}

function json(text: string): unknown {
  try {
    return jsonValue(text);
  } catch {
    return undefined;
  }
}
