import { timingSafeEqual } from 'node:crypto';
import { followKeys } from './follow-key-file.ts';
import { createFirstKey, keysFile } from './key-file.ts';
import { type HashedKey, hashOf, parseKeys, STRONG_KEY_LENGTH } from './parse-keys.ts';

/** Returns the name of a valid key, undefined for an invalid key. */
export type KeyCheck = (key: string) => string | undefined;

/** Compares the hash of a key with all known hashes in constant time. Caches valid keys until the known keys change. */
export function keyCheck(known: readonly HashedKey[] | (() => readonly HashedKey[])): KeyCheck {
  const valid = new Map<string, string>();
  let keys: readonly HashedKey[] = [];
  return (key) => {
    const knownNow = typeof known === 'function' ? known() : known;
    if (knownNow !== keys) valid.clear();
    keys = knownNow;
    const cached = valid.get(key);
    if (cached !== undefined) return cached;
    const name = nameAmong(keys, key);
    if (name !== undefined) valid.set(key, name);
    return name;
  };
}

function nameAmong(keys: readonly HashedKey[], key: string): string | undefined {
  const digest = hashOf(key);
  const matches = keys.map(({ hash }) => timingSafeEqual(hash, digest));
  return keys[matches.indexOf(true)]?.name;
}

export interface Keys {
  check: KeyCheck;
  /** Creates the first key if there is no keys.json. Call it when the server listens, because a failed start would not print the key. */
  createFirst(): Promise<string | undefined>;
  /** Reloads the keys if they have changed. */
  refresh(): void;
}

/** The configured keys: the keys in the environment, else the keys in the data folder, whose changes it follows. */
export function openKeys(
  { apiKeys, dataDir }: { apiKeys: string | undefined; dataDir: string },
  report: (problem: string) => void,
): Keys {
  if (apiKeys !== undefined) {
    const onWeak = (name: string) =>
      report(`The key '${name}' is shorter than ${STRONG_KEY_LENGTH} characters and easy to guess; use a longer one.`);
    return { check: keyCheck(parseKeys(apiKeys, onWeak)), createFirst: async () => undefined, refresh: () => {} };
  }
  const file = keysFile(dataDir);
  const { current, refresh } = followKeys(file, report);
  const createFirst = async () => {
    const created = await createFirstKey(dataDir);
    refresh();
    if (current().length === 0)
      report(`${file} contains no key, so no key is valid; create one with 'petstore-server keys create'.`);
    return created;
  };
  return { check: keyCheck(current), createFirst, refresh };
}
