import { faultOf } from '@petstore/client/check';
import { isWide, type JsonType, typeIn } from '@petstore/types';
import type { Rules } from '../tree/node.ts';

/** A value that was read, or what is wrong with it. */
export type Read = { readonly value: unknown } | { readonly fault: string };

/** Reads a word by the rules of the spec. */
export function readValue(text: string, rules: Rules): Read {
  const kind = kindOf(rules);
  const value = kind === 'integer' && isWide(rules) ? wideInteger(text) : parse(text, kind);
  return value === undefined ? { fault: `is no ${kinds[kind]}` } : checked(value, rules);
}

/** What a word is read as: JSON where the schema leaves several types open. */
export function kindOf(rules: Rules): keyof typeof kinds {
  return typeIn(rules) ?? 'json';
}

/** Holds a value to the rules of the spec. */
export function checked(value: unknown, rules: Rules): Read {
  const fault = faultOf(value, rules);
  if (fault === undefined && isCarried(value, rules)) return { value };
  return { fault: fault === undefined ? 'is more than can be carried exactly' : `is ${fault}` };
}

/** Whether a value is sent as it is. */
function isCarried(value: unknown, rules: Rules): boolean {
  if (typeof value === 'bigint') return isWide(rules) && BigInt.asIntN(64, value) === value;
  return typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value);
}

function wideInteger(text: string): number | bigint | undefined {
  const value = parse(text, 'integer');
  return Number.isSafeInteger(value) || value === undefined ? (value as number | undefined) : BigInt(text);
}

/** What a value may be, for messages and for the help; nothing where all is said by its type. */
export function boundsOf({
  enum: values,
  minimum,
  maximum,
  minLength,
  maxLength,
  ...rules
}: Rules): string | undefined {
  if (values) return `one of ${values.join(', ')}`;
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

/** What kind of word is expected, with its bounds. */
export function expected(rules: Rules): string {
  const bounds = boundsOf(rules);
  if (rules.enum && bounds) return bounds;
  const kind = kindOf(rules) === 'integer' ? 'a whole number in decimal digits' : `a ${kinds[kindOf(rules)]}`;
  return [kind, bounds].filter(Boolean).join(' ');
}

const kinds = {
  integer: 'whole number',
  number: 'number',
  string: 'text',
  boolean: 'true or false',
  array: 'list',
  object: 'JSON object',
  json: 'JSON value',
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
    case 'array':
    case 'json':
      return json(text);
    default:
      return text;
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
