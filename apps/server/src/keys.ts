// API keys. A server knows their hashes only.
import { hash, timingSafeEqual } from 'node:crypto';
import { UsageError } from './errors.ts';

/** Returns the name of a valid key, undefined for an invalid key. */
export type KeyCheck = (key: string) => string | undefined;

/** A key as the server knows it: its name and its SHA-256, never the key itself. */
export interface HashedKey {
  readonly name: string;
  readonly created: string;
  readonly sha256: string;
}

/** Shorter keys can be guessed. */
const MIN_LENGTH = 16;

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
export const nameRule = "1 to 64 letters, digits, '.', '-' or '_', starting with a letter or digit";

export function isName(text: string): boolean {
  return NAME.test(text);
}

export function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** Checks keys of a list separated by commas, each `key` or `name=key`. Messages contain positions and names, never keys. */
export function keysFrom(list: string, source = 'The list of keys'): KeyCheck {
  const keys: HashedKey[] = [];
  for (const [i, text] of list.split(',').entries()) {
    const entry = entryOf(text.trim());
    const fault = entryFault(entry, keys);
    if (fault !== undefined)
      throw new UsageError(
        `${source}: entry ${i + 1} ${fault}; write 'key' or 'name=key', separated by commas.`,
      );
    keys.push({ name: entry.name, created: '', sha256: hashOf(entry.key) });
  }
  return new ValidKeys(keys).nameOf;
}

/** The keys that are valid now. */
export class ValidKeys {
  #keys: readonly HashedKey[];
  /** The names of the keys that callers have used. To find one here takes less time than to hash it. */
  readonly #used = new Map<string, string>();

  constructor(keys: readonly HashedKey[]) {
    this.#keys = keys;
  }

  replace(keys: readonly HashedKey[]): void {
    this.#keys = keys;
    this.#used.clear();
  }

  readonly nameOf: KeyCheck = (key) => {
    const known = this.#used.get(key);
    if (known !== undefined) return known;
    const name = this.#find(key);
    if (name !== undefined) this.#used.set(key, name);
    return name;
  };

  /** Compares the hash of a key with all known hashes in constant time. */
  #find(key: string): string | undefined {
    const digest = Buffer.from(hashOf(key));
    let found: string | undefined;
    for (const { name, sha256 } of this.#keys)
      if (timingSafeEqual(Buffer.from(sha256), digest)) found = name;
    return found;
  }
}

interface Entry {
  readonly text: string;
  readonly name: string;
  readonly key: string;
}

/** An entry of a list. The name of a key without one belongs to the key, wherever it is in the list. */
function entryOf(text: string): Entry {
  const at = text.indexOf('=');
  if (at < 0) return { text, name: `key-${hashOf(text).slice(0, 8)}`, key: text };
  return { text, name: text.slice(0, at), key: text.slice(at + 1) };
}

/** Printable ASCII without spaces. */
const PRINTABLE = /^[!-~]+$/;

function entryFault({ text, name, key }: Entry, others: readonly HashedKey[]): string | undefined {
  if (text === '') return 'is empty';
  if (!PRINTABLE.test(text)) return 'has a space, or a character that is not printable ASCII';
  if (key.replaceAll('=', '') === '')
    return "has no key after '=': a key that ends in '=' needs a name before it";
  if (!isName(name)) return `has an invalid name before '=': a name is ${nameRule}`;
  if (key.length < MIN_LENGTH)
    return `has a key of less than ${MIN_LENGTH} characters, which can be guessed`;
  const sha256 = hashOf(key);
  const same = others.find((other) => other.name === name || other.sha256 === sha256);
  return same && `has the name or the key of the entry '${same.name}'`;
}
