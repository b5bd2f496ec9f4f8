/** 10^22 is the highest power of ten that a double holds exactly. The bound also limits the size of the bigint below. */
const MAX_EXACT_EXPONENT = 22;
/** A sign and 19 digits. */
const MAX_INT64_LENGTH = 20;

/**
 * Whether a number can be parsed without loss: the double equals it, or the shortest text of the double, which `JSON.stringify`
 * writes, is the same number, as for `0.10` and `1e308`.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const shortest = String(value);
  if (shortest === source) return true;
  const { digits, exponent } = scientific(source);
  const rounded = scientific(shortest);
  if (digits === rounded.digits && exponent === rounded.exponent) return true;
  if (!Number.isInteger(value) || exponent < 0 || exponent > MAX_EXACT_EXPONENT) return false;
  return BigInt(digits + '0'.repeat(exponent)) === BigInt(value);
}

/** Parses a JSON number as a 64-bit integer, such as `1e3`; undefined if it is not one. */
export function int64Of(source: string): bigint | undefined {
  const { digits, exponent } = scientific(source);
  if (exponent < 0 || digits.length + exponent > MAX_INT64_LENGTH) return undefined;
  const value = BigInt(digits + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

/** Whether an integer fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** Parses the text of an integer, a number or a boolean; undefined if the text is no value of this type. */
export function parseScalar(text: string, type: string): number | bigint | boolean | undefined {
  if (type === 'integer' && /^(0|-?[1-9]\d*)$/.test(text))
    return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
  if (type === 'number' && /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return Number(text);
  return type === 'boolean' && /^(true|false)$/.test(text) ? text === 'true' : undefined;
}

/** The normalized form of a decimal number: its significant digits and a power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const [mantissa = '', exponent = 0] = source.slice(sign.length).split(/e/i);
  const [integer = '', fraction = ''] = mantissa.split('.');
  const digits = integer + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return { digits: '0', exponent: 0 };
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  const power = Number(exponent) - fraction.length + digits.length - end;
  return { digits: sign + digits.slice(start, end), exponent: power };
}
