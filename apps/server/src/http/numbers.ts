/** Numbers as text: which of them a double holds exactly, and which are integers of 64 bits. */

/**
 * Whether an integer is the very number that was written, down to the last digit. Other numbers are left to the schema.
 * Both are compared as significant digits and a power of ten, because that takes linear time.
 */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  if (!Number.isInteger(value)) return true;
  const [written, held] = [scientific(source), scientific(String(BigInt(value)))];
  return written.digits === held.digits && written.exponent === held.exponent;
}

/** The integer of 64 bits that a JSON number is, in whatever way it is written; nothing where it is none. */
export function int64Of(source: string): bigint | undefined {
  const { digits, exponent } = scientific(source);
  if (exponent < 0 || digits.length + exponent > MAX_INT64_LENGTH) return undefined;
  const value = BigInt(digits + '0'.repeat(exponent));
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** A sign and 19 digits. */
const MAX_INT64_LENGTH = 20;
const ZERO = 0x30;

/** A decimal number in the one form that every way of writing it shares: its significant digits and a power of ten. */
function scientific(source: string): { digits: string; exponent: number } {
  const sign = source.startsWith('-') ? '-' : '';
  const mark = source.search(/[eE]/);
  const mantissa = source.slice(sign.length, mark < 0 ? undefined : mark);
  const exponent = mark < 0 ? 0 : Number(source.slice(mark + 1));
  const point = mantissa.indexOf('.');
  const digits = point < 0 ? mantissa : mantissa.slice(0, point) + mantissa.slice(point + 1);
  const fraction = point < 0 ? 0 : mantissa.length - point - 1;
  let start = 0;
  while (digits.charCodeAt(start) === ZERO) start++;
  if (start === digits.length) return { digits: '0', exponent: 0 };
  let end = digits.length;
  while (digits.charCodeAt(end - 1) === ZERO) end--;
  return { digits: sign + digits.slice(start, end), exponent: exponent - fraction + digits.length - end };
}
