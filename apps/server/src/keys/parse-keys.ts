import { hash, randomBytes } from 'node:crypto';
import { ConfigError } from '../config/kinds.ts';

/** A key as the server stores it: its name and its SHA-256, never the key itself. */
export interface KnownKey {
  name: string;
  hash: Buffer;
}

export const hashOf = (key: string): Buffer => hash('sha256', key, 'buffer');

export const generateKey = (): string => `pk_${randomBytes(24).toString('base64url')}`;

export const isName = (name: string): boolean => /^[A-Za-z0-9][\w.-]{0,63}$/.test(name);

/** The rule of `isName` in words. */
export const validName = 'up to 64 letters, digits, dots, dashes and underscores, a letter or a digit first';

const MIN_KEY_LENGTH = 16;

/**
 * Parses comma-separated keys, each `key` or `name=key`. Error messages never contain an entry. `onWeak` receives the names
 * of keys that are short enough to guess.
 */
export function parseKeys(list: string, onWeak: (name: string) => void = () => {}): KnownKey[] {
  const keys = list.split(',').map((entry, i) => {
    const { name, key } = parseEntry(entry.trim(), i + 1);
    if (key.length < MIN_KEY_LENGTH) onWeak(name);
    return { name, hash: hashOf(key) };
  });
  for (const [i, { name, hash }] of keys.entries()) {
    const duplicate = keys.slice(0, i).find((other) => other.name === name || other.hash.equals(hash));
    if (duplicate?.name === name) throw invalidEntry(i + 1, `has the same name '${name}' as another entry`);
    if (duplicate) throw invalidEntry(i + 1, `is the same key as '${duplicate.name}'`);
  }
  return keys;
}

function parseEntry(entry: string, position: number): { name: string; key: string } {
  if (entry === '') throw invalidEntry(position, 'is empty');
  // A key in Base64. Parsed as `name=key`, the key would become a name, and names are logged.
  if (/^[^=]*=+$/.test(entry)) throw invalidEntry(position, "ends in '=', so it needs a name before it");
  if (!/^[!-~]+$/.test(entry))
    throw invalidEntry(position, 'has a space or a character that is not allowed in HTTP headers');
  const [, name = `key-${position}`, key = entry] = /^([^=]*)=(.+)$/.exec(entry) ?? [];
  if (!isName(name)) throw invalidEntry(position, `has no valid name before its '=' (${validName})`);
  return { name, key };
}

function invalidEntry(position: number, finding: string): ConfigError {
  return new ConfigError(
    `PETSTORE_API_KEYS: entry ${position} ${finding}; write comma-separated keys, each 'key' or 'name=key'.`,
  );
}
