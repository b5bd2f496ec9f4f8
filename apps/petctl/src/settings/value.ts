import { faultOf } from '@petstore/client/check';
import { isBinary, isWide, type JsonType, propertiesOf, resolved, typeIn, typesOf } from '@petstore/types';
import { jsonValue } from '../io/text.ts';
import type { Rules } from './flag.ts';

/** A value that was read, or what is wrong with it. */
export type Read = { readonly value: unknown } | { readonly fault: string };

/** Reads a word by the rules of the spec. */
export function readValue(text: string, rules: Rules): Read {
  const read = readPart(text, rules);
  return 'value' in read ? checked(read.value, rules) : read;
}

/** Reads one of the words that make up a list or a map. The rules of the whole are not checked yet. */
export function readPart(text: string, rules: Rules): Read {
  const kind = kindOf(rules);
  if (kind === 'json') return readAny(text, rules);
  if (text === 'null' && typesOf(rules).includes('null')) return { value: null };
  if (kind === 'array') return readElements(text, rules);
  if (kind === 'object' && isMap(rules) && !text.startsWith('{')) return readEntry(text, rules);
  const value = kind === 'integer' && isWide(rules) ? wideInteger(text) : parse(text, kind);
  return value === undefined ? { fault: `is not ${kinds[kind]}` } : { value };
}

/** What a word is read as: JSON where the schema leaves several types open. */
export function kindOf(rules: Rules): keyof typeof kinds {
  return typeIn(rules) ?? 'json';
}

/** Whether an object takes properties of any name. */
export function isMap(rules: Rules): boolean {
  const { additionalProperties } = resolved(rules);
  return kindOf(rules) === 'object' && additionalProperties !== undefined && additionalProperties !== false;
}

/** Checks a value by the rules of the spec. */
export function checked(value: unknown, rules: Rules): Read {
  const fault = faultOf(value, rules, 'request');
  if (fault === undefined) return isExact(value, rules) ? { value } : { fault: 'is more than can be carried exactly' };
  return { fault: /^[.[]/.test(fault) ? `is not valid: ${fault}` : `is ${fault}` };
}

/** JSON where it fits, else text where text fits. An object, a list and what stands in quotes is never meant as text. */
function readAny(text: string, rules: Rules): Read {
  const value = parse(text, 'json');
  const asJson: Read = value === undefined ? { fault: 'is not a JSON value' } : checked(value, rules);
  if ('value' in asJson || !typesOf(rules).includes('string')) return asJson;
  if (value !== undefined && /^[[{"]/.test(text)) return asJson;
  const asText = checked(text, rules);
  return 'value' in asText || value === undefined ? asText : asJson;
}

/** A list as JSON, or its elements between commas. Elements that are objects, lists or files are one a word. */
function readElements(text: string, rules: Rules): Read {
  if (text.startsWith('[')) {
    const value = parse(text, 'array');
    return value === undefined ? { fault: `is not ${kinds.array}` } : { value };
  }
  const { items = {}, prefixItems = [] } = resolved(rules);
  const isOne = isBinary(items) || /^(object|array)$/.test(kindOf(items));
  const elements: unknown[] = [];
  for (const [i, word] of (isOne ? [text] : text.split(',')).entries()) {
    const read = readValue(word, prefixItems[i] ?? items);
    if ('fault' in read) return isOne ? read : { fault: `holds '${word}', which ${read.fault}` };
    elements.push(read.value);
  }
  return { value: elements };
}

/** An entry of a map, `key=value`. */
function readEntry(text: string, rules: Rules): Read {
  const [, key, word = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined) return { fault: 'is neither key=value nor a JSON object' };
  const { additionalProperties } = resolved(rules);
  const rule = propertiesOf(rules)[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : {});
  const read = readValue(word, rule);
  return 'value' in read ? { value: { [key]: read.value } } : read;
}

/** Whether a value is sent as it is: integers beyond a double's only where the spec has them as int64. */
function isExact(value: unknown, rules: Rules = {}): boolean {
  if (typeof value === 'bigint') return mayBeWide(rules) && BigInt.asIntN(64, value) === value;
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  const { items, additionalProperties } = resolved(rules);
  const named = propertiesOf(rules);
  const rest = typeof additionalProperties === 'object' ? additionalProperties : undefined;
  if (Array.isArray(value)) return value.every((one) => isExact(one, items));
  // Which of several alternatives a property belongs to is not settled here.
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

/** What a value may be, for messages and for the help; nothing where all is said by its type. */
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
  const least = minimum ?? rules.exclusiveMinimum;
  const most = maximum ?? rules.exclusiveMaximum;
  const ends = [
    least !== undefined && `${minimum === undefined ? 'more than' : 'from'} ${least}`,
    most !== undefined && `${maximum === undefined ? 'below' : least === undefined ? 'up to' : 'to'} ${most}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ].filter((end) => end !== false);
  return ends.length > 0 ? ends.join(' ') : undefined;
}

/** The words that a value is chosen from, where the spec lists them. */
export function wordsOf(rules: Rules): string[] {
  const { enum: values, const: only, items } = resolved(rules);
  if (items && !values) return wordsOf(items);
  return (values ?? (only === undefined ? [] : [only])).map(String);
}

/** What kind of word is expected, with its bounds. */
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
