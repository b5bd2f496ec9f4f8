import { hash as digest, randomBytes } from 'node:crypto';
import { ConfigError } from '../config/kinds.ts';

/** A key as the server knows it: its name and its SHA-256, never the key itself. */
export interface HashedKey {
  name: string;
  hash: Buffer;
}

export const hashOf = (key: string): Buffer => digest('sha256', key, 'buffer');

export const generateKey = (): string => `pk_${randomBytes(24).toString('base64url')}`;

export const isName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

/** Describes the names that `isName` accepts, for messages. */
export const nameRule = "1 to 64 letters, digits, '.', '-' or '_', starting with a letter or digit";

/** A shorter key is accepted, but easy to guess. */
export const STRONG_KEY_LENGTH = 16;

/**
 * Parses comma-separated keys, each `key` or `name=key`. Calls `onWeak` with the name of each key shorter than STRONG_KEY_LENGTH.
 * Error messages contain the source of the list, positions and names, never keys.
 */
export function parseKeys(list: string, onWeak = (_name: string) => {}, source = 'API keys'): HashedKey[] {
  const names = new Set<string>();
  const nameByHash = new Map<string, string>();
  return list.split(',').map((entry, i) => {
    const position = i + 1;
    const invalid = (finding: string) =>
      new ConfigError(`${source}: entry ${position} ${finding}; write comma-separated keys, each 'key' or 'name=key'.`);
    const { name = `key-${position}`, key } = parseEntry(entry.trim(), invalid);
    const hash = hashOf(key);
    const hexHash = hash.toString('hex');
    const sameKey = nameByHash.get(hexHash);
    if (names.has(name)) throw invalid(`has the same name '${name}' as another entry`);
    if (sameKey !== undefined) throw invalid(`is the same key as '${sameKey}'`);
    names.add(name);
    nameByHash.set(hexHash, name);
    if (key.length < STRONG_KEY_LENGTH) onWeak(name);
    return { name, hash };
  });
}

function parseEntry(entry: string, invalid: (finding: string) => Error): { name?: string; key: string } {
  if (entry === '') throw invalid('is empty');
  // Either a name without a key, or a key in padded Base64. Such a key must not become a name, because names are logged.
  if (/^[^=]*=+$/.test(entry)) throw invalid("ends in '=': add the key, or a name before a key that ends in '='");
  if (!/^[!-~]+$/.test(entry)) throw invalid('has a space, or a character that is not printable ASCII');
  const equals = entry.indexOf('=');
  if (equals === -1) return { key: entry };
  const name = entry.slice(0, equals);
  if (!isName(name)) throw invalid(`has an invalid name before '=': a name is ${nameRule}`);
  return { name, key: entry.slice(equals + 1) };
}
