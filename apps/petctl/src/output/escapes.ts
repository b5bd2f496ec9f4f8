/**
 * Control characters, line separators and bidirectional marks: they could inject escape sequences
 * or disguise text.
 */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * One line: each unsafe character is replaced by its escape, for example `\u001b`, which is the
 * same text in JSON.
 */
export function escapeLine(text: string): string {
  return text.replace(unsafe, (character) => shortEscapes[character] ?? codeEscape(character));
}

/** Like `escapeLine`, but line feeds and tabs stay. */
export function escapeLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeLine);
}

/**
 * A cell of TSV. It is escaped like a line. A backslash is doubled, so that a backslash and a `t` in
 * the text do not look like an escaped tab.
 */
export function escapeTsvCell(text: string): string {
  return escapeLine(text.replaceAll('\\', '\\\\'));
}

/** Reverses `escapeTsvCell`. Escapes that `escapeTsvCell` does not write stay. */
export function unescapeTsvCell(cell: string): string {
  return cell.replace(/\\(?:[\\nrt]|u[\da-f]{4})/g, unescaped);
}

/**
 * A cell of CSV. Line feeds and tabs stay. If the text itself contains an escape such as `\u001b`,
 * the backslash is escaped.
 */
export function escapeCsvCell(text: string): string {
  const isolated = text.replace(/\\(?=u[\da-f]{4})/g, codeEscape);
  return isolated.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : codeEscape(character),
  );
}

/** Reverses `escapeCsvCell`. Escapes that `escapeCsvCell` does not write stay. */
export function unescapeCsvCell(cell: string): string {
  return cell.replace(/\\u[\da-f]{4}/g, (code) => {
    const text = unescaped(code);
    return text === '\\' || escapeCsvCell(text) === code ? text : code;
  });
}

function codeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The character of an escape. All escapes are those of JSON. */
function unescaped(sequence: string): string {
  return JSON.parse(`"${sequence}"`);
}
