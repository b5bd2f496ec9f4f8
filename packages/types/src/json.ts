/** Thrown for a number that JavaScript would round to another integer. */
export class InexactNumberError extends RangeError {
  override name = 'InexactNumberError';
}

/**
 * Parses JSON with exact integers: one of 64 bits beyond ±(2^53−1) becomes a bigint, and a larger one
 * throws an `InexactNumberError`. A number with a fraction is a JavaScript number, as in any JSON.
 */
export function parseExact(text: string): unknown {
  return mayRound.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

/**
 * JSON in which a bigint is an integer with all its digits, which `JSON.stringify` refuses to write.
 * `parseExact` reads it. Throws for a bigint beyond ±(2^53−1) where the runtime cannot write one.
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

/** The first property that repeats in an object of valid JSON. `JSON.parse` drops all its values but the last. */
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
 * The integer, number or boolean that a text is, as in JSON; undefined if it is none of this type, or
 * would be rounded.
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

/** A reviver. It gets the source text of a number from a runtime that has it. */
function exactNumber(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source;
  const exact = source === undefined ? knownExact(value) : exactValue(source);
  if (exact !== undefined) return exact;
  const place = key === '' ? '' : `'${key}': `;
  const problem =
    source === undefined
      ? `the number ${value} may have been rounded, because this runtime parses no larger integers`
      : `the number ${source.slice(0, 40)} would be rounded`;
  throw new InexactNumberError(place + problem);
}

/** The value, unless its source text may have been another integer. */
function knownExact(value: number): number | undefined {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

/** At most 20 digits, so that a bigint is cheap. */
const maxLength = '-9223372036854775808'.length;

/** The number that a JSON number is; undefined if it would be another integer, or is too large. */
function exactValue(source: string): number | bigint | undefined {
  const value = Number(source);
  if (!Number.isFinite(value)) return undefined;
  if (!jsonInteger.test(source)) return isRoundedToInteger(source, value) ? undefined : value;
  if (Number.isSafeInteger(value)) return value;
  if (source.length <= maxLength && isInt64(BigInt(source))) return BigInt(source);
  // JavaScript prints a number such as 1e20 with 21 digits.
  return String(value) === source ? value : undefined;
}

/**
 * Whether a number with a fraction or an exponent became another integer: `1.00000000000000000001`
 * became 1, and `9007199254740993.0` became 9007199254740992. Beyond 64 bits it is no integer for us.
 */
function isRoundedToInteger(source: string, value: number): boolean {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) return false;
  const [mantissa = '', exponent = '0'] = source.toLowerCase().split('e');
  if (value === 0) return /[1-9]/.test(mantissa);
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  // The power of ten of the last digit that is not 0. Below 0, the number has a fraction.
  const power = Number(exponent) + whole.length - end;
  if (power < 0) return true;
  return BigInt(digits.slice(0, end)) * 10n ** BigInt(power) !== BigInt(value);
}

/** A replacer that writes bigints with all their digits. */
function withDigits(this: unknown, key: string, value: unknown): unknown {
  // `value` may already be the result of a `BigInt.prototype.toJSON`, which many programs define.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  if (rawJSON) return rawJSON(String(original));
  if (Number.isSafeInteger(Number(original))) return Number(original);
  throw new InexactNumberError(`this runtime cannot write the integer ${original}`);
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
