import { exactJson, parseExact } from '../old.ts';

/** Control characters, line separators and bidirectional marks: they could inject escape sequences or disguise text. */
const unsafe = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces each unsafe character by its escape, for example `\u001b`, which JSON parses to the same text. */
export function escapeControls(text: string): string {
  return text.replace(unsafe, escapeOf);
}

/** Replaces each unsafe character by its escape, except line feeds and tabs. */
export function escapeControlsInLines(text: string): string {
  return text.replace(unsafe, (character) =>
    character === '\n' || character === '\t' ? character : escapeOf(character),
  );
}

function escapeOf(character: string): string {
  return { '\n': '\\n', '\r': '\\r', '\t': '\\t' }[character] ?? unicodeEscape(character);
}

/** The escape of a character in JSON, JavaScript and shells, for example `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Returns a value as JSON, and undefined as `null`. */
export function jsonText(value: unknown, indent?: number): string {
  return exactJson(value ?? null, indent);
}

/** Parses JSON, also after a byte order mark. An integer of 2^53 or more becomes a bigint, if it is written as digits only. */
export function jsonValue(text: string): unknown {
  return parseExact(text.replace(/^\ufeff/, ''));
}

/** Like `jsonValue`, but returns undefined if the text is not JSON. */
export function jsonValueIfValid(text: string): unknown {
  try {
    return jsonValue(text);
  } catch {
    return undefined;
  }
}

/** Whether a JSON value is an object. */
export function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}
