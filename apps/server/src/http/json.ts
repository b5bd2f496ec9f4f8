import { JSON_CONTAINER_BYTES, JSON_VALUE_BYTES, MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from '../limits.ts';
import { int64Of, isExactNumber, mayBeWide, partsOf, propertySchemasOf, repeatedKey, type Schema } from '../old.ts';
import { HttpError } from './http-error.ts';
import { inexact } from './values.ts';

/**
 * Parses JSON. Throws for text that JavaScript would change silently: broken UTF-8, lone surrogates, numbers that a double
 * cannot hold exactly, and repeated keys. Also throws for excessive depth, and for too many members. Integers beyond 2^53 become
 * bigints where the schema, or an alternative in it, has an int64 without safe bounds. `onMemory` gets the memory of the values before they are
 * parsed, and may throw.
 */
export function parseJson(bytes: Uint8Array, schema: Schema = {}, where = 'body', onMemory?: OnMemory): unknown {
  const text = utf8Of(bytes, where);
  // The bounds are checked before parsing, because excessive text costs a hundred times as much as other text of its length.
  const { members, valueBytes, hasEscapes, hasLongNumbers } = structureOf(bytes, where);
  onMemory?.(valueBytes);
  let value: unknown;
  try {
    value = hasLongNumbers ? JSON.parse(text, longNumber) : JSON.parse(text);
  } catch (cause) {
    throw new HttpError('invalid_request', `${where}: it is not JSON`, { cause });
  }
  const violation = (problem: string, key: string | undefined) =>
    new HttpError('invalid_request', `${where}${key === undefined ? '' : ` '${key}'`}: ${problem}`);
  // JSON.parse changes nothing in other text, except that it drops repeated keys.
  if (hasEscapes || hasLongNumbers) value = exactValue(value, [schema], violation);
  if (membersOf(value) !== members) throw violation('it appears more than once', repeatedKey(text));
  return value;
}

/** Gets the memory that the values of a text will take. */
export type OnMemory = (bytes: number) => void;

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws for other bytes. */
export function utf8Of(bytes: Uint8Array, where = 'body'): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new HttpError('invalid_request', `${where}: it is not UTF-8`, { cause });
  }
}

/** A number that a double may round, or an integer that may be a bigint. */
class LongNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

/** A reviver that keeps the text of the numbers whose value depends on the schema, and of inexact numbers. */
function longNumber(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  if (typeof value !== 'number') return value;
  const mayBeBigint = Number.isInteger(value) && !Number.isSafeInteger(value);
  return !mayBeBigint && isExactNumber(source) ? value : new LongNumber(source);
}

/**
 * Replaces integers beyond 2^53 by bigints where one of the schemas has an int64 without safe bounds, and returns the value. Throws the error of
 * `violation` for other inexact numbers and for lone surrogates, with the nearest property's key, if that is well-formed.
 */
function exactValue(
  value: unknown,
  schemas: readonly Schema[],
  violation: (problem: string, key: string | undefined) => HttpError,
  key?: string,
): unknown {
  if (typeof value === 'string' && !value.isWellFormed()) throw violation(LONE_SURROGATE, key);
  if (value instanceof LongNumber) {
    const int64 = schemas.some(mayBeWide) ? int64Of(value.source) : undefined;
    if (int64 === undefined && !isExactNumber(value.source)) throw violation(inexact(value.source), key);
    return int64 ?? Number(value.source);
  }
  if (typeof value !== 'object' || value === null) return value;
  // Which of several alternatives applies is unknown here.
  const parts = partsOf(schemas);
  if (Array.isArray(value)) {
    const elements = parts.flatMap(({ items = [] }) => items);
    for (let i = 0; i < value.length; i++) value[i] = exactValue(value[i], elements, violation, key);
  } else {
    const properties = value as Record<string, unknown>;
    for (const name of Object.keys(properties)) {
      if (!name.isWellFormed()) throw violation(LONE_SURROGATE, undefined);
      properties[name] = exactValue(properties[name], propertySchemasOf(parts, name), violation, name);
    }
  }
  return value;
}

const LONE_SURROGATE = 'it is not well-formed Unicode';

/** The structure of a text that may be malformed. Throws for excessive depth, and for too many members. */
function structureOf(json: Uint8Array, where: string) {
  /** The number of members of each open container, outermost first. */
  const memberCounts: number[] = [];
  /** The number of members of all objects. */
  let members = 0;
  /** The approximate memory of the values. */
  let valueBytes = 0;
  /** Whether a string has escapes. */
  let hasEscapes = false;
  /** Whether a number has an exponent, or more digits than a double holds exactly. */
  let hasLongNumbers = false;
  let digits = 0;
  const excess = (problem: string) => new HttpError('invalid_request', `${where}: ${problem}`);
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (isDigit(byte)) {
      if (++digits > MAX_EXACT_DIGITS) hasLongNumbers = true;
      continue;
    }
    if (byte === POINT) continue;
    if (digits > 0 && (byte === LETTER_E || byte === CAPITAL_E)) hasLongNumbers = true;
    digits = 0;
    if (byte === QUOTE) {
      for (at++; at < json.length && json[at] !== QUOTE; at++) {
        if (json[at] !== BACKSLASH) continue;
        hasEscapes = true;
        at++;
      }
    } else if (byte === COMMA) {
      valueBytes += JSON_VALUE_BYTES;
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      valueBytes += JSON_CONTAINER_BYTES;
      if (memberCounts.push(0) > MAX_JSON_DEPTH) throw excess(`it is nested more than ${MAX_JSON_DEPTH} deep`);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      memberCounts.pop();
    } else if (byte === COLON) {
      members++;
      const count = (memberCounts.pop() ?? 0) + 1;
      if (count > MAX_JSON_MEMBERS) throw excess(`it has an object with more than ${MAX_JSON_MEMBERS} properties`);
      memberCounts.push(count);
    }
  }
  return { members, valueBytes, hasEscapes, hasLongNumbers };
}

/** The number of members of all objects in a value. It can be recursive, because the depth is bounded. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const element of value) members += membersOf(element);
  else for (const property of Object.values(value)) members += 1 + membersOf(property);
  return members;
}

const [QUOTE, BACKSLASH, POINT, ZERO, NINE, CAPITAL_E, LETTER_E] = [0x22, 0x5c, 0x2e, 0x30, 0x39, 0x45, 0x65];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COLON, COMMA] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a, 0x2c];

/** A double holds integers with up to this many digits exactly, and never rounds a fraction with as many digits to an integer. */
const MAX_EXACT_DIGITS = 15;

const isDigit = (byte: number) => byte >= ZERO && byte <= NINE;
