import { timingSafeEqual } from 'node:crypto';
import { createFirstKey, keysFile } from './keys/changes.ts';
import { followKeys } from './keys/follow.ts';
import { givenKeys } from './keys/given.ts';
import { hashOf, type KnownKey } from './keys/key.ts';

export { givenKeys } from './keys/given.ts';
export type { KnownKey } from './keys/key.ts';

/** The name of the key, where it is one of those known. */
export type KeyCheck = (key: string) => string | undefined;

/**
 * A check against known keys. All of them are compared, in constant time, whichever it is. One that was right is known
 * by itself from then on, until the keys change.
 */
export function keyCheck(known: readonly KnownKey[] | (() => readonly KnownKey[])): KeyCheck {
  const right = new Map<string, string>();
  let keys: readonly KnownKey[] = [];
  return (key) => {
    const current = typeof known === 'function' ? known() : known;
    if (current !== keys) right.clear();
    keys = current;
    const seen = right.get(key);
    if (seen !== undefined) return seen;
    const name = nameAmong(keys, key);
    if (name !== undefined) right.set(key, name);
    return name;
  };
}

function nameAmong(keys: readonly KnownKey[], key: string): string | undefined {
  const given = hashOf(key);
  const matches = keys.map(({ hash }) => timingSafeEqual(hash, given));
  return keys[matches.indexOf(true)]?.name;
}

export interface Keys {
  check: KeyCheck;
  /**
   * Makes the first key where none was ever configured, to be told once. To be called when the server listens: a start
   * that fails before leaves no key behind that nobody saw.
   */
  makeFirst(): Promise<string | undefined>;
  /** Has the next check look whether the keys have changed. */
  lookAgain(): void;
}

const toStderr = (problem: string) => void process.stderr.write(`petstore-server: ${problem}\n`);

/** The keys that were configured: those of the environment, else those kept in the data folder, as they change. */
export function openKeys(
  { apiKeys, dataDir }: { apiKeys: string | undefined; dataDir: string },
  report: (problem: string) => void = toStderr,
): Keys {
  if (apiKeys !== undefined) {
    const onWeak = (name: string) => report(`The key '${name}' is shorter than 16 characters and easily guessed.`);
    return { check: keyCheck(givenKeys(apiKeys, onWeak)), makeFirst: async () => undefined, lookAgain: () => {} };
  }
  const file = keysFile(dataDir);
  const followed = followKeys(file, report);
  return {
    check: keyCheck(followed.current),
    makeFirst: async () => {
      const made = await createFirstKey(dataDir);
      followed.lookAgain();
      if (followed.current().length === 0) {
        report(`${file} holds no key, so nobody can call; make one with 'petstore-server keys create'.`);
      }
      return made;
    },
    lookAgain: followed.lookAgain,
  };
}
