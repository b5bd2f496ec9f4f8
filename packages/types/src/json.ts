/** Thrown for a number that a double cannot hold: it would be rounded. */
export class InexactNumberError extends RangeError {
  override name = 'InexactNumberError';
}

/**
 * Parses JSON exactly: an integer of 64 bits beyond ±(2^53−1) becomes a bigint. Throws an InexactNumberError for any other number
 * that would be rounded, and where the runtime does not pass source texts to a reviver.
 */
export function parseExact(text: string): unknown {
  // Only such numbers can be rounded. Other texts skip the reviver, because it is slow.
  return /\d[\d.]{15}|\d[eE]/.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

/** A text such as `9223372036854775807`: at most a sign and 19 digits. */
const int64 = /^-?\d{1,19}$/;

function exactNumber(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number') return value;
  const source = context?.source;
  if (source === undefined)
    throw new InexactNumberError('this runtime cannot parse large numbers exactly');
  if (Number.isSafeInteger(value) && int64.test(source)) return value;
  if (int64.test(source) && isInt64(BigInt(source))) return BigInt(source);
  if (isExactNumber(source)) return value;
  throw new InexactNumberError(
    `${key && `'${key}': `}the number ${source.slice(0, 40)} would be rounded`,
  );
}

/** JSON in which a bigint is an integer with all its digits. Throws for a bigint where the runtime cannot write one. */
export function exactJson(value: unknown, indent?: number): string {
  try {
    // Three times as fast as with a function. It throws for a bigint.
    if (!('toJSON' in BigInt.prototype)) return JSON.stringify(value, undefined, indent);
  } catch {
    // A bigint, or what the next line throws again.
  }
  return JSON.stringify(value, withDigits, indent);
}

function withDigits(this: unknown, key: string, value: unknown): unknown {
  // `value` may already be the result of a `BigInt.prototype.toJSON`, which many programs define.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  if (!rawJSON) throw new InexactNumberError('this runtime cannot write large numbers exactly');
  return rawJSON(String(original));
}

/** The first member name that repeats in an object of valid JSON. `JSON.parse` drops all its values but the last. */
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
      const key: string = string.includes('\\') ? JSON.parse(string) : string.slice(1, -1);
      const keys = keysOfOpenObjects.at(-1);
      if (keys?.has(key)) return key;
      keys?.add(key);
    }
  }
  return undefined;
}

/** Parses the text of an integer, a number or a boolean; undefined if the text is no value of this type, or would be rounded. */
export function parseScalar(text: string, type: string): number | bigint | boolean | undefined {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined;
  const form = type === 'integer' ? /^(0|-?[1-9]\d*)$/ : /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
  if (!form.test(text)) return undefined;
  if (type === 'integer' && int64.test(text) && !Number.isSafeInteger(Number(text)))
    return BigInt(text);
  return isExactNumber(text) ? Number(text) : undefined;
}

/** Whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** 10^22 is the highest power of ten that a double holds exactly. The bound also limits the size of the bigint below. */
const MAX_EXACT_EXPONENT = 22;

/** Whether a double holds a number: it equals it, or `JSON.stringify` writes the same number, as for `0.10` and `1e308`. */
function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const written = scientific(source);
  const shortest = scientific(String(value));
  if (written.digits === shortest.digits && written.exponent === shortest.exponent) return true;
  if (!Number.isInteger(value) || written.exponent < 0 || written.exponent > MAX_EXACT_EXPONENT)
    return false;
  return BigInt(written.digits + '0'.repeat(written.exponent)) === BigInt(value);
}

/** The significant digits of a decimal number, and their power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const [mantissa = '', exponent = 0] = source.slice(sign.length).split(/e/i);
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = integer + fraction;
  const start = digits.search(/[1-9]/);
  if (start < 0) return { digits: '0', exponent: 0 };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return {
    digits: sign + digits.slice(start, end),
    exponent: Number(exponent) - fraction.length + digits.length - end,
  };
}
