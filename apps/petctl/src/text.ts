/** Control characters, line separators and bidirectional marks: they could inject escape sequences or disguise text. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** One line: each unsafe character is replaced by its escape, for example `\u001b`, which is the same text in JSON. */
export function escapeLine(text: string): string {
  return text.replace(unsafe, (character) => shortEscapes[character] ?? codeEscape(character));
}

function codeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A cell of CSV: line feeds and tabs stay, and the backslash of what looks like an escape is escaped. */
export function escapeCell(text: string): string {
  const isolated = text.replace(/\\(?=u[\da-f]{4})/g, codeEscape);
  return isolated.replace(unsafe, (character) =>
    /[\n\t]/.test(character) ? character : codeEscape(character),
  );
}

/** The text that `escapeCell` made a cell of. Escapes that it does not write stay. */
export function unescapeCell(cell: string): string {
  return cell.replace(/\\u[\da-f]{4}/g, (code) => {
    const text = JSON.parse(`"${code}"`);
    return text === '\\' || escapeCell(text) === code ? text : code;
  });
}

/** Like `escapeLine`, but line feeds and tabs stay. */
export function escapeLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeLine);
}

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name of a flag: `categoryId` is `category-id`. */
export function kebab(name: string): string {
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])|[^A-Za-z\d]+/g, '-');
  return words.replace(/^-|-$/g, '').toLowerCase();
}

/** The code of a system error such as `ENOENT`, else its message. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
