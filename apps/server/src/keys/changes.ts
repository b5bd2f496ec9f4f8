import { join } from 'node:path';
import { reasonOf } from '../files/errors.ts';
import { makeFolder } from '../files/files.ts';
import { lockFile } from '../files/lock.ts';
import { KeyNameError, KeysFileError } from './errors.ts';
import { type KeptKey, readKeys, writeKeys } from './file.ts';
import { hashOf, isName, makeKey, validName } from './key.ts';

export const keysFile = (folder: string): string => join(folder, 'keys.json');

/** Makes the first key of a folder that never had one; nothing where there is a file already, be it without any key. */
export async function createFirstKey(folder: string): Promise<string | undefined> {
  const exists = () => readKeys(keysFile(folder)) !== undefined;
  // Looked at before as well: a folder that has keys need not be one that can be written.
  if (exists()) return undefined;
  return whileAlone(folder, async () => (exists() ? undefined : addKey(folder, [], 'first')));
}

/** Makes another key. It is told here once, and never again. */
export async function createKey(folder: string, wanted?: string): Promise<{ name: string; key: string }> {
  if (wanted !== undefined && !isName(wanted)) throw new KeyNameError(`A name has to be ${validName}.`);
  return whileAlone(folder, async () => {
    const keys = readKeys(keysFile(folder)) ?? [];
    const names = new Set(keys.map(({ name }) => name));
    if (wanted !== undefined && names.has(wanted)) {
      throw new KeyNameError(`There is a key named '${wanted}' already; revoke it first, or choose another name.`);
    }
    const name = wanted ?? unusedName(names);
    return { name, key: await addKey(folder, keys, name) };
  });
}

/** Makes a key invalid, and says how many are left. */
export async function revokeKey(folder: string, name: string): Promise<number> {
  const file = keysFile(folder);
  if (!readKeys(file)) throw new KeyNameError(`There are no keys in ${file} yet.`);
  return whileAlone(folder, async () => {
    const keys = readKeys(file) ?? [];
    const left = keys.filter((key) => key.name !== name);
    if (left.length === keys.length) {
      const names = keys.map((key) => key.name).join(', ');
      // What was given is not repeated: it may be a key, by mistake.
      throw new KeyNameError(`There is no key of that name; ${names ? `the names are: ${names}` : 'no key is left'}.`);
    }
    await writeKeys(file, left);
    return left.length;
  });
}

async function addKey(folder: string, keys: readonly KeptKey[], name: string): Promise<string> {
  const key = makeKey();
  await writeKeys(keysFile(folder), [...keys, { name, created: new Date().toISOString(), hash: hashOf(key) }]);
  return key;
}

function unusedName(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number++) if (!taken.has(`key-${number}`)) return `key-${number}`;
}

const LOCK_TIMEOUT_MS = 10_000;

/** Runs the change while no other process changes the keys, so that two at once lose nothing. */
async function whileAlone<T>(folder: string, change: () => Promise<T>): Promise<T> {
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
