import { join } from 'node:path';
import { reasonOf } from '../files/errors.ts';
import { makeFolder } from '../files/files.ts';
import { lockFile } from '../files/lock.ts';
import { KeyNameError, KeysFileError, readKeys, type StoredKey, writeKeys } from './file.ts';
import { hashOf, isName, makeKey, validName } from './key.ts';

export const keysFile = (folder: string): string => join(folder, 'keys.json');

/** Creates the first key of a folder; undefined if there is a file, even one without keys. */
export async function createFirstKey(folder: string): Promise<string | undefined> {
  const exists = () => readKeys(keysFile(folder)) !== undefined;
  // First without the lock, because an existing folder may be read-only.
  if (exists()) return undefined;
  return withLock(folder, async () => (exists() ? undefined : addKey(folder, [], 'first')));
}

/** Creates another key, and returns it. It is not stored anywhere. */
export async function createKey(folder: string, wanted?: string): Promise<{ name: string; key: string }> {
  if (wanted !== undefined && !isName(wanted)) throw new KeyNameError(`A name must be ${validName}.`);
  return withLock(folder, async () => {
    const keys = readKeys(keysFile(folder)) ?? [];
    const names = new Set(keys.map(({ name }) => name));
    if (wanted !== undefined && names.has(wanted)) {
      throw new KeyNameError(`The key '${wanted}' already exists; revoke it first, or choose another name.`);
    }
    const name = wanted ?? unusedName(names);
    return { name, key: await addKey(folder, keys, name) };
  });
}

/** Revokes a key, and returns how many are left. */
export async function revokeKey(folder: string, name: string): Promise<number> {
  const file = keysFile(folder);
  if (!readKeys(file)) throw new KeyNameError(`There are no keys in ${file}; create one first.`);
  return withLock(folder, async () => {
    const keys = readKeys(file) ?? [];
    const left = keys.filter((key) => key.name !== name);
    if (left.length === keys.length) {
      const names = keys.map((key) => key.name).join(', ');
      // The message omits the word, because it may be a key by mistake.
      throw new KeyNameError(`There is no key of that name; ${names ? `the names are: ${names}` : 'no key is left'}.`);
    }
    await writeKeys(file, left);
    return left.length;
  });
}

async function addKey(folder: string, keys: readonly StoredKey[], name: string): Promise<string> {
  const key = makeKey();
  await writeKeys(keysFile(folder), [...keys, { name, created: new Date().toISOString(), hash: hashOf(key) }]);
  return key;
}

function unusedName(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number++) if (!taken.has(`key-${number}`)) return `key-${number}`;
}

const LOCK_TIMEOUT_MS = 10_000;

/** Runs a change under a lock, so concurrent changes lose nothing. */
async function withLock<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const file = join(folder, 'keys.lock');
  const lock = async () => {
    await makeFolder(folder);
    return lockFile(file, LOCK_TIMEOUT_MS);
  };
  const unlock = await lock().catch((error: unknown) => {
    throw new KeysFileError(file, `cannot be locked (${reasonOf(error)}).`, error);
  });
  try {
    return await change();
  } finally {
    unlock();
  }
}
