// JSON with exact integers. It is not that of the types package, which is among what is checked.

// The compiler's library does not declare it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };

/** Parses JSON. An integer beyond ±(2^53−1) becomes a bigint. */
export function parseJson(text: string): unknown {
  return JSON.parse(text, exactInteger);
}

/** Writes JSON. A bigint becomes an integer with all its digits. */
export function printJson(value: unknown): string {
  return JSON.stringify(value, withDigits) ?? 'nothing';
}

/**
 * Writes an object as JSON, with this JSON as one of its properties, even if no value is printed
 * so.
 */
export function printWith(object: object, name: string, json: string): string {
  return printJson({ ...object, [name]: rawJSON(json) });
}

/** The digits of an integer, such as `-17`. */
const digits = /^-?\d+$/;

function exactInteger(_key: string, value: unknown, context?: { readonly source?: string }) {
  const source = context?.source ?? '';
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  return digits.test(source) ? BigInt(source) : value;
}

function withDigits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? rawJSON(String(value)) : value;
}
