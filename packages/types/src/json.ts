import { isExactNumber } from './numbers.ts';

/** Parses JSON. An integer of 2^53 or more becomes a bigint, if it is written as digits only. */
export function parseExact(text: string): unknown {
  // Such an integer has at least 16 digits. Other texts skip the reviver, because it is slow.
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function exactInteger(_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  if (source === undefined) throw new Error('This runtime rounds integers: its JSON.parse passes no source text.');
  return /^-?\d+$/.test(source) ? BigInt(source) : value;
}

/** JSON in which a bigint is an integer with all its digits. */
export function exactJson(value: unknown, indent?: number): string {
  // Without a replacer, `JSON.stringify` is faster, but rejects bigints, unless the program defines how they are written.
  if (!('toJSON' in BigInt.prototype)) {
    try {
      return JSON.stringify(value, undefined, indent);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
    }
  }
  return JSON.stringify(value, exactReplacer, indent);
}

/** A replacer for `JSON.stringify` that writes a bigint as an integer with all its digits. */
export function exactReplacer(this: unknown, key: string, value: unknown): unknown {
  // `value` may already be the result of a `BigInt.prototype.toJSON`, which many programs define.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(String(original));
}

/** The first key of valid JSON that repeats in its object. `JSON.parse` drops all its values but the last. */
export function repeatedKey(json: string): string | undefined {
  const keysOfOpenObjects: Set<string>[] = [];
  let string = '';
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === '"') {
      const start = at++;
      while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
      string = json.slice(start, at + 1);
    } else if (character === '{') {
      keysOfOpenObjects.push(new Set());
    } else if (character === '}') {
      keysOfOpenObjects.pop();
    } else if (character === ':') {
      const key: string = JSON.parse(string);
      const keys = keysOfOpenObjects.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

/** The first number of valid JSON that `JSON.parse` rounds to a number below 2^53. Larger ones show in the parsed value. */
export function roundedNumber(json: string): string | undefined {
  // Such a number has at least 16 digits, or an exponent.
  if (!/\d[\d.]{15}|\d[eE]/.test(json)) return undefined;
  for (let at = 0; at < json.length; at++) {
    if (json[at] === '"') {
      at++;
      while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
    } else if (isPartOfNumber(json[at])) {
      const start = at;
      while (isPartOfNumber(json[at + 1])) at++;
      const number = json.slice(start, at + 1);
      if (isRounded(number)) return number;
    }
  }
  return undefined;
}

/** Whether a double rounds a number to one below 2^53. */
export function isRounded(number: string): boolean {
  return Math.abs(Number(number)) < 2 ** 53 && !isExactNumber(number);
}

const isPartOfNumber = (character = ' ') => '0123456789+-.eE'.includes(character);
