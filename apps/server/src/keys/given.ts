import { ConfigError } from '../config/config-error.ts';
import { hashOf, isName, type KnownKey, validName } from './key.ts';

const easilyGuessed = 16;

/**
 * Keys given in the clear: separated by commas, each `key` or `name=key`. Nothing that is said about a bad entry shows
 * any of it. `onWeak` is told the name of each key that is short enough to be guessed.
 */
export function givenKeys(list: string, onWeak: (name: string) => void = () => {}): KnownKey[] {
  const keys = list.split(',').map((entry, i) => {
    const { name, key } = parsed(entry.trim(), i + 1);
    if (key.length < easilyGuessed) onWeak(name);
    return { name, hash: hashOf(key) };
  });
  for (const [i, { name, hash }] of keys.entries()) {
    const twin = keys.slice(0, i).find((other) => other.name === name || other.hash.equals(hash));
    if (twin?.name === name) throw refusal(i + 1, `has the name '${name}', which another entry has already`);
    if (twin) throw refusal(i + 1, `is the same key as '${twin.name}'`);
  }
  return keys;
}

function parsed(entry: string, position: number): { name: string; key: string } {
  if (entry === '') throw refusal(position, 'is empty');
  // The end of a key in Base64. Taken for `name=key`, the key would become a name, which is logged.
  if (/^[^=]*=+$/.test(entry)) throw refusal(position, "ends in '=', so it needs a name before it");
  if (!/^[!-~]+$/.test(entry)) throw refusal(position, 'has a space or a character that no HTTP header can carry');
  const [, name = `key-${position}`, key = entry] = /^([^=]*)=(.+)$/.exec(entry) ?? [];
  if (!isName(name)) throw refusal(position, `has no valid name before its '=' (${validName})`);
  return { name, key };
}

function refusal(position: number, finding: string): ConfigError {
  return new ConfigError(
    `PETSTORE_API_KEYS: entry ${position} ${finding}; it has to be keys separated by commas, each 'key' or 'name=key'.`,
  );
}
