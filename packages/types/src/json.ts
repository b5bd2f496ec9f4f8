/**
 * Thrown for a number that JavaScript would round to another integer, or that is too large for
 * JavaScript.
 */
export class InexactNumberError extends RangeError {
  override name = 'InexactNumberError';
}

/**
 * Parses JSON with exact integers. An integer of up to 64 bits is a number, or a bigint beyond
 * ±(2^53−1). A larger integer throws an `InexactNumberError`, unless JavaScript prints it with the
 * same digits, or it is written with a point or an exponent. A number with a fraction becomes the
 * nearest number of JavaScript.
 */
export function parseExact(text: string): unknown {
  return mayRound.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text);
}

/**
 * Writes JSON as `JSON.stringify` does, and also writes a bigint, as an integer with all its
 * digits. Throws for a bigint beyond ±(2^53−1) in a runtime without `JSON.rawJSON`.
 */
export function exactJson(value: unknown, indent?: number): string {
  if (!('toJSON' in BigInt.prototype)) {
    try {
      // Three times as fast as with a replacer.
      return JSON.stringify(value, undefined, indent);
    } catch {
      // The data contains a bigint, which the replacer below can write. Any other error is thrown
      // again below.
    }
  }
  return JSON.stringify(value, withDigits, indent);
}

/**
 * The first property that an object in valid JSON has twice. `JSON.parse` would keep only the last
 * of its values.
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
 * Parses a text as a JSON integer, number or boolean. Returns undefined if the text does not have
 * this type, or if the number would be rounded.
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
 * Finds a number that JavaScript may round to another integer: it has at least 16 characters, such
 * as `9007199254740993`, or an exponent, such as `1e400`. Other texts are parsed without the
 * reviver, because the reviver is slow.
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

/** A reviver. Not every runtime passes the source text of a number. */
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

/** The value; undefined if its source text may have been another integer. */
function knownExact(value: number): number | undefined {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : value;
}

/**
 * The exact value of a JSON number; undefined if JavaScript would round it to another integer, or
 * if it is too large.
 */
function exactValue(source: string): number | bigint | undefined {
  const value = Number(source);
  const isDecimal = /[.eE]/.test(source);
  // Most numbers are small integers. This line makes them fast.
  if (!isDecimal && Number.isSafeInteger(value)) return value;
  if (!Number.isInteger(value)) return Number.isFinite(value) ? value : undefined;
  if (Math.abs(value) <= 2 ** 63) return exactInteger(source);
  // Beyond 64 bits, accept digits only if JavaScript prints the same ones: then nothing was rounded.
  return isDecimal || String(value) === source ? value : undefined;
}

/**
 * The integer that a JSON number means: 15 for `1.5e1`. Undefined if the number has a fraction,
 * such as `1.00000000000000000001`, or more than 64 bits.
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
  // Many programs define `BigInt.prototype.toJSON`. `value` is then its result.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (typeof original !== 'bigint') return value;
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  if (rawJSON) return rawJSON(String(original));
  if (Number.isSafeInteger(Number(original))) return Number(original);
  throw new InexactNumberError(`the number ${original} would be rounded`);
}

/** The position after the string that begins at `start` in valid JSON. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** The value of a JSON string. Most strings have no escapes, and then slicing is faster. */
function stringOf(json: string): string {
  return json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
}
