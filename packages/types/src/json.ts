/**
 * Thrown for a number that JavaScript would round to another integer, or that is too large for it.
 */
export class InexactNumberError extends RangeError {
  override name = 'InexactNumberError';
}

/**
 * Parses JSON with exact integers: one of 64 bits beyond ±(2^53−1) becomes a bigint, and a larger
 * one throws an `InexactNumberError`. A number with a fraction is what JavaScript makes of it.
 */
export function parseExact(text: string): unknown {
  return mayRound.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

/**
 * JSON in which a bigint is an integer with all its digits, which `JSON.stringify` refuses to
 * write. `parseExact` reads it. Throws for a bigint beyond ±(2^53−1) where the runtime cannot write
 * one.
 */
export function exactJson(value: unknown, indent?: number): string {
  if (!('toJSON' in BigInt.prototype)) {
    try {
      // Three times as fast as with a replacer.
      return JSON.stringify(value, undefined, indent);
    } catch {
      // The data has a bigint, or the replacer will throw the same error.
    }
  }
  return JSON.stringify(value, withDigits, indent);
}

/**
 * The first property that repeats in an object of valid JSON. `JSON.parse` drops all its values but
 * the last.
 */
export function repeatedKey(json: string): string | undefined {
  const keysOfOpenObjects: Set<string>[] = [];
  let lastString = '';
  for (let at = 0; at < json.length; at++) {
    switch (json[at]) {
      case '{':
        keysOfOpenObjects.push(new Set());
        break;
      case '}':
        keysOfOpenObjects.pop();
        break;
      case '"': {
        const end = endOfString(json, at);
        lastString = json.slice(at, end);
        at = end - 1;
        break;
      }
      case ':': {
        const keys = keysOfOpenObjects.at(-1);
        const key = stringOf(lastString);
        if (keys?.has(key)) return key;
        keys?.add(key);
      }
    }
  }
  return undefined;
}

/**
 * The integer, number or boolean that a text is, as in JSON; undefined if it is none of this type,
 * or would be rounded.
 */
export function parseScalar(text: string, type: string): number | bigint | boolean | undefined {
  if (type === 'boolean') return booleans.get(text);
  const form = type === 'integer' ? jsonInteger : jsonNumber;
  return form.test(text) ? exactValue(text) : undefined;
}

/** Whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/**
 * Only a number of 16 characters, such as `9007199254740993`, or with an exponent, such as `1e400`,
 * can be rounded to another integer. Other texts skip the reviver, because it is slow.
 */
const mayRound = /\d[\d.]{15}|\d[eE]/;

/** Such as `-12`. */
const jsonInteger = /^-?(0|[1-9]\d*)$/;

/** Such as `-12`, `0.5` and `1.5e-3`. */
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

const booleans = new Map([
  ['true', true],
  ['false', false],
]);

/** A reviver. A runtime that has the source text of a number hands it over. */
function exactNumber(
  key: string,
  value: unknown,
  { source }: { readonly source?: string } = {},
): unknown {
  if (typeof value !== 'number') return value;
  const exact = source === undefined ? knownExact(value) : exactValue(source);
  if (exact !== undefined) return exact;
  const place = key && `'${key}': `;
  const number = source?.slice(0, 40) ?? value;
  const isBeyond = Math.abs(Number(source)) >= 2 ** 63;
  const problem = isBeyond ? 'has more than 64 bits' : 'would be rounded';
  throw new InexactNumberError(`${place}the number ${number} ${problem}`);
}

/** The value, unless its source text may have been another integer. */
function knownExact(value: number): number | undefined {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

/** The number that a JSON number is; undefined if it would be another integer, or is too large. */
function exactValue(source: string): number | bigint | undefined {
  const value = Number(source);
  const isDecimal = /[.eE]/.test(source);
  // The usual number, which this line makes fast.
  if (!isDecimal && Number.isSafeInteger(value)) return value;
  if (!Number.isInteger(value)) return Number.isFinite(value) ? value : undefined;
  if (Math.abs(value) <= 2 ** 63) return exactInteger(source);
  // JavaScript prints 1e20 with all its digits, so those digits are no larger integer.
  return isDecimal || String(value) === source ? value : undefined;
}

/**
 * The integer that a number is, also as `1.5e1`; undefined if it has a fraction, as
 * `1.00000000000000000001`, or more than 64 bits.
 */
function exactInteger(source: string): number | bigint | undefined {
  const [mantissa = '', exponent = '0'] = source.split(/e/i);
  if (!/[1-9]/.test(mantissa)) return 0;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0');
  if (/[1-9]/.test(digits.slice(point))) return undefined;
  const integer = BigInt(digits.slice(0, point));
  if (!isInt64(integer)) return undefined;
  return Number.isSafeInteger(Number(integer)) ? Number(integer) : integer;
}

/** A replacer that writes bigints with all their digits. */
function withDigits(this: unknown, key: string, value: unknown): unknown {
  // `value` may already be the result of a `BigInt.prototype.toJSON`, which many programs define.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  if (rawJSON) return rawJSON(String(original));
  if (Number.isSafeInteger(Number(original))) return Number(original);
  throw new InexactNumberError(`the number ${original} would be rounded`);
}

/** The position behind a string of valid JSON that begins at `start`. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The string that a JSON string is. Most have no escapes. */
function stringOf(json: string): string {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}
