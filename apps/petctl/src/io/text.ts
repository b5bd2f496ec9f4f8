/**
 * What could steer a terminal or disguise text: control characters, separators of lines, and the characters that turn
 * the direction of writing.
 */
const steering = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Text that can do nothing but be read: each steering character becomes its escape, `\u001b` say. In JSON it stays what it is. */
export function escapeControls(text: string): string {
  return text.replace(steering, escapeOf);
}

/** The same for text of more than one line. */
export function escapeControlsInLines(text: string): string {
  return text.replace(steering, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

function escapeOf(character: string): string {
  const short = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character];
  return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

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
