import { timingSafeEqual } from 'node:crypto';
import { statSync } from 'node:fs';
import { reasonOf } from '../files/files.ts';
import { createFirstKey, KeysFileError, keysFile, readKeys } from './key-file.ts';
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
}

/** The configured keys: the keys in the environment, else the keys in the data folder, whose changes it follows. */
export function openKeys(
  { apiKeys, dataDir }: { apiKeys: string | undefined; dataDir: string },
  report: (problem: string) => void,
): Keys {
  if (apiKeys !== undefined) {
    const onWeak = (name: string) =>
      report(`The key '${name}' is shorter than ${STRONG_KEY_LENGTH} characters and easy to guess; use a longer one.`);
    return { check: keyCheck(parseKeys(apiKeys, onWeak)), createFirst: async () => undefined };
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
  return { check: keyCheck(current), createFirst };
}

/** How often the file of the keys is checked for changes. */
const CHECK_MS = 1000;

/**
 * Follows the keys in a file that other processes replace. Checks the file with `stat`, which works on every file system and needs no
 * handle. Throws if the file is damaged at the start. If it is damaged or removed later, reports that once, and keeps the last keys.
 */
export function followKeys(file: string, report: (problem: string) => void) {
  let version = versionOf(file);
  let keys = readKeys(file) ?? [];
  let checkedAt = performance.now();
  let hasReportedDamage = false;

  function reload(): void {
    const newVersion = versionOf(file);
    if (newVersion === version && !hasReportedDamage) return;
    const newKeys = readKeys(file);
    if (!newKeys && version !== undefined) throw new KeysFileError(file, 'was removed.');
    keys = newKeys ?? [];
    version = newVersion;
    hasReportedDamage = false;
  }

  /** Reloads the keys if the file has changed. */
  function refresh(): void {
    checkedAt = performance.now();
    try {
      reload();
    } catch (error) {
      if (!hasReportedDamage) report(`${reasonOf(error)} The previous keys stay valid.`);
      hasReportedDamage = true;
    }
  }

  /** The keys in the file, as of at most CHECK_MS ago. */
  function current(): readonly HashedKey[] {
    if (performance.now() - checkedAt >= CHECK_MS) refresh();
    return keys;
  }

  return { current, refresh };
}

/** A text that changes with the file; undefined without a file. */
function versionOf(file: string): string | undefined {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat && [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join();
  } catch (error) {
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
}
