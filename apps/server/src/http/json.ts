import type { Schema } from '@petstore/types';
import { MAX_JSON_DEPTH, MAX_JSON_MEMBERS } from '../limits.ts';
import { HttpError } from './http-error.ts';
import { int64Of, isExactNumber, withInt64 } from './values.ts';

/**
 * Parses JSON. Throws for text that JavaScript would change silently: broken UTF-8, lone surrogates, numbers that a double
 * cannot hold exactly, and repeated keys. Also throws for excessive depth, and for too many members. Integers beyond 2^53 become
 * bigints if the schema has an unbounded int64 there.
 */
export function parseJson(bytes: Uint8Array, schema?: Schema, where = 'body'): unknown {
  const text = utf8Of(bytes, where);
  let value: unknown;
  const json = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  // The bounds are checked before parsing, because excessive text costs a hundred times as much as other text of its length.
  const { excess, members, isPlain } = structureOf(json);
  if (excess) throw new HttpError('invalid_request', `${where}: ${excess}`);
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HttpError('invalid_request', `${where}: it is not JSON`, { cause });
  }
  // JSON.parse changes nothing in plain text, except that it drops repeated keys.
  if (isPlain && membersOf(value) === members) return value;
  const { violation, hasLarge, hasInexact } = scan(json);
  if (violation) throw violationError(where, violation);
  if (!hasLarge) return value;
  if (hasInexact) value = JSON.parse(text, exactInteger);
  return withInt64(schema, value, (key, integer) => {
    throw violationError(where, { key, problem: inexact(String(integer)) });
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Decodes UTF-8. Throws for other bytes. */
export function utf8Of(bytes: Uint8Array, where = 'body'): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new HttpError('invalid_request', `${where}: it is not UTF-8`, { cause });
  }
}

function violationError(where: string, { key, problem }: JsonViolation): HttpError {
  return new HttpError('invalid_request', `${where}${key === undefined ? '' : ` '${key}'`}: ${problem}`);
}

/** A reviver that converts integers to bigints if a double cannot hold them. */
function exactInteger(_key: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && source.length > ALWAYS_EXACT_DIGITS && !isExactNumber(source)
    ? int64Of(source)
    : value;
}

const inexact = (source: string) => `${source.slice(0, 40)} cannot be represented exactly`;

interface JsonViolation {
  /** The key that has the violation itself or in its value. */
  key: string | undefined;
  problem: string;
}

/** An open object or array. Keys are bytes as latin1, the cheapest decoding. */
interface Container {
  isObject: boolean;
  keys: Set<string> | undefined;
  key: string | undefined;
}

interface Scan {
  /** The first text that JSON.parse would change. */
  violation?: JsonViolation;
  /** Whether there is a number that may be beyond 2^53. */
  hasLarge: boolean;
  /** Whether there is a 64-bit integer that a double cannot hold. */
  hasInexact: boolean;
}

/** Searches well-formed JSON for text that JSON.parse would change, in one pass. */
function scan(json: Buffer): Scan {
  let hasLarge = false;
  let hasInexact = false;
  const outer: Container[] = [];
  let container: Container | undefined;
  let isKeyNext = false;
  const violation = (problem: string, key = container?.key && fromLatin1(container.key)) => ({
    violation: { key, problem },
    hasLarge,
    hasInexact,
  });
  for (let at = 0; at < json.length; ) {
    const byte = json[at] ?? 0;
    if (byte === QUOTE) {
      let end = at + 1;
      let hasEscapes = false;
      for (let next = json[end]; next !== QUOTE; next = json[end]) {
        if (next === BACKSLASH) {
          hasEscapes = true;
          const length = escapeLength(json, end);
          if (length === 0) {
            if (isKeyNext && container) container.key = undefined;
            return violation(LONE_SURROGATE);
          }
          end += length;
        } else {
          end++;
        }
      }
      end++;
      if (isKeyNext && container) {
        const key = hasEscapes ? unescaped(json, at, end) : json.toString('latin1', at + 1, end - 1);
        container.key = key;
        if (container.keys?.has(key)) return violation('it appears more than once');
        container.keys ??= new Set();
        container.keys.add(key);
      }
      isKeyNext = false;
      at = end;
    } else if (isDigit(byte) || byte === MINUS) {
      let end = at + 1;
      let isInteger = true;
      for (; end < json.length; end++) {
        const next = json[end] ?? 0;
        if (isDigit(next)) continue;
        if (!isFractionOrExponent(next)) break;
        isInteger = false;
      }
      if (!isInteger || end - at > ALWAYS_EXACT_DIGITS) {
        const source = json.toString('latin1', at, end);
        hasLarge ||= Math.abs(Number(source)) > Number.MAX_SAFE_INTEGER;
        if (!isExactNumber(source)) {
          if (int64Of(source) === undefined) return violation(inexact(source));
          hasInexact = true;
        }
      }
      at = end;
    } else {
      if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        if (container) outer.push(container);
        isKeyNext = byte === OPEN_OBJECT;
        container = { isObject: isKeyNext, keys: undefined, key: isKeyNext ? undefined : container?.key };
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        container = outer.pop();
        isKeyNext = false;
      } else if (byte === COMMA) {
        isKeyNext = container?.isObject ?? false;
      }
      at++;
    }
  }
  return { hasLarge, hasInexact };
}

interface Structure {
  /** The bound that the text exceeds. */
  excess?: string;
  /** The number of members of all objects. */
  members: number;
  /** Whether all numbers are short integers, and no string has escapes. */
  isPlain: boolean;
}

/** The structure of a text that may be malformed. */
function structureOf(json: Buffer): Structure {
  /** The number of members of each open container, outermost first. */
  const memberCounts: number[] = [];
  let [members, digits, isPlain] = [0, 0, true];
  const exceeds = (excess: string) => ({ excess, members, isPlain });
  for (let at = 0; at < json.length; at++) {
    const byte = json[at] ?? 0;
    if (isDigit(byte)) {
      if (++digits >= ALWAYS_EXACT_DIGITS) isPlain = false;
      continue;
    }
    if (digits > 0 && isFractionOrExponent(byte)) isPlain = false;
    digits = 0;
    if (byte === QUOTE) {
      for (at++; at < json.length && json[at] !== QUOTE; at++) {
        if (json[at] !== BACKSLASH) continue;
        isPlain = false;
        at++;
      }
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (memberCounts.push(0) > MAX_JSON_DEPTH) return exceeds(`it is nested more than ${MAX_JSON_DEPTH} deep`);
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
      memberCounts.pop();
    } else if (byte === COLON) {
      members++;
      const count = (memberCounts.pop() ?? 0) + 1;
      if (count > MAX_JSON_MEMBERS) return exceeds(`it has an object with more than ${MAX_JSON_MEMBERS} members`);
      memberCounts.push(count);
    }
  }
  return { members, isPlain };
}

/** The number of members of all objects in a value. Recursive, because the depth is bounded. */
function membersOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) for (const one of value) members += membersOf(one);
  else for (const one of Object.values(value)) members += 1 + membersOf(one);
  return members;
}

const LONE_SURROGATE = 'it is not well-formed Unicode';
const [QUOTE, BACKSLASH, COMMA, MINUS, ZERO, NINE, LETTER_U] = [0x22, 0x5c, 0x2c, 0x2d, 0x30, 0x39, 0x75];
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY, COLON] = [0x7b, 0x7d, 0x5b, 0x5d, 0x3a];

/** A number of up to this many characters, with its sign, is below 2^53. */
const ALWAYS_EXACT_DIGITS = 15;

/** The length of an escape in bytes. A surrogate pair counts as one escape; a lone surrogate has length 0. */
function escapeLength(json: Buffer, at: number): number {
  if (json[at + 1] !== LETTER_U) return 2;
  const first = codeUnit(json, at);
  if (first < 0xd800 || first > 0xdfff) return 6;
  const isPair = first < 0xdc00 && json[at + 6] === BACKSLASH && json[at + 7] === LETTER_U;
  const second = isPair ? codeUnit(json, at + 6) : 0;
  return second >= 0xdc00 && second <= 0xdfff ? 12 : 0;
}

function codeUnit(json: Buffer, at: number): number {
  return Number.parseInt(json.toString('latin1', at + 2, at + 6), 16);
}

function unescaped(json: Buffer, start: number, end: number): string {
  return Buffer.from(JSON.parse(json.toString('utf8', start, end))).toString('latin1');
}

function fromLatin1(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString();
}

const isDigit = (byte: number) => byte >= ZERO && byte <= NINE;

/** Whether a byte after the first one of a number is `.`, `e`, `E` or a sign. */
function isFractionOrExponent(byte: number): boolean {
  return byte === 0x2e || byte === 0x65 || byte === 0x45 || byte === 0x2b || byte === MINUS;
}
