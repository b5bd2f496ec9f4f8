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
 * A cell of TSV: like `escapeLine`, and a backslash is doubled, so that `\t` is never a tab of the
 * text.
 */
export function escapeTsvCell(text: string): string {
  return escapeLine(text.replaceAll('\\', '\\\\'));
}

/** The text that `escapeTsvCell` made a cell of. Escapes that it does not write stay. */
export function unescapeTsvCell(cell: string): string {
  return cell.replace(/\\(?:[\\nrt]|u[\da-f]{4})/g, unescaped);
}

/**
 * A cell of CSV: line feeds and tabs stay, and the backslash of what looks like an escape is
 * escaped.
 */
export function escapeCsvCell(text: string): string {
  const isolated = text.replace(/\\(?=u[\da-f]{4})/g, codeEscape);
  return isolated.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : codeEscape(character),
  );
}

/** The text that `escapeCsvCell` made a cell of. Escapes that it does not write stay. */
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
