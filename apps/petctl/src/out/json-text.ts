/** JSON with the digits of bigints. Only values that hold one cost more. */
export function jsonText(value: unknown, indent?: number): string | undefined {
  try {
    return JSON.stringify(value, undefined, indent);
  } catch {
    return JSON.stringify(value, withDigits, indent);
  }
}

/** JSON as a value; integers that a number does not hold are bigints. */
export function jsonValue(text: string): unknown {
  // Only numbers this long can be rounded.
  return /\d{16}/.test(text) ? JSON.parse(text, exactInteger) : JSON.parse(text);
}

function withDigits(_: string, value: unknown): unknown {
  const { rawJSON } = JSON as { rawJSON?(text: string): unknown };
  return typeof value === 'bigint' && rawJSON ? rawJSON(String(value)) : value;
}

function exactInteger(_: string, value: unknown, { source = '' }: { source?: string } = {}): unknown {
  return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value;
}
