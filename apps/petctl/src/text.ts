import { closest } from '@petstore/types';

/** Whether a JSON value is an object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The name of a flag: `categoryId` is `category-id`. */
export function kebab(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, '$1-$2').split(/[^A-Za-z\d]+/);
  return words.filter(Boolean).join('-').toLowerCase();
}

/** The code of a system error such as `ENOENT`, else its message. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** A word of the command line in quotes. A long word is cut. */
export function quoted(word: string): string {
  const length = 40;
  return word.length > length ? `'${word.slice(0, length)}…'` : `'${word}'`;
}

/** A hint for an unknown word: the known word that is similar, or else all known words. */
export function suggestion(word: string, known: readonly string[]): string {
  const similar = closest(word, known);
  return similar === undefined ? `Use ${known.join(', ')}.` : `Did you mean '${similar}'?`;
}
