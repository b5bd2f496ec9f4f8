import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ExpectedError } from '../expected-error.ts';
import { errorCode, LINK_ADVICE, makeFolder, reasonOf, replaceFile } from '../files/files.ts';
import { lockFile } from '../files/lock.ts';
import { generateKey, type HashedKey, hashOf, isName, nameRule } from './parse-keys.ts';

/** Thrown if keys.json cannot be used. The message never contains its content. */
export class KeysFileError extends ExpectedError {
  constructor(file: string, finding: string, cause?: unknown) {
    super(`${file} ${finding}${adviceFor(file, cause)}`, { cause });
  }
}

function adviceFor(file: string, cause: unknown): string {
  switch (errorCode(cause)) {
    case 'ELOOP':
      return ` ${LINK_ADVICE}.`;
    case 'EACCES':
      return ' Run the server and its commands as the same user.';
    case 'ENOTDIR':
      return ` ${dirname(file)} is not a folder.`;
    default:
      return '';
  }
}

/** Thrown if a key cannot be created or revoked by a name. */
export class KeyNameError extends ExpectedError {}

/** A key as stored in keys.json. */
export interface StoredKey extends HashedKey {
  /** The time of creation, in ISO 8601. */
  created: string;
}

export const keysFile = (folder: string): string => join(folder, 'keys.json');

/** The keys in the file, or undefined without a file. Throws for a damaged file. */
export function readKeys(file: string): StoredKey[] | undefined {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
  try {
    return parseContent(text);
  } catch {
    // The parser's message would quote the text.
    throw new KeysFileError(file, 'is damaged; restore it from a backup, or move it away and create new keys.');
  }
}

/** Creates the first key of a folder; undefined if there is a file, even one without keys. */
export async function createFirstKey(folder: string): Promise<string | undefined> {
  const exists = () => readKeys(keysFile(folder)) !== undefined;
  // Checks without the lock first, because the lock cannot be created in a read-only folder.
  if (exists()) return undefined;
  return withLock(folder, async () => (exists() ? undefined : addKey(folder, [], 'first')));
}

/** Creates another key, and returns it. Only its hash is stored. */
export async function createKey(folder: string, requestedName?: string): Promise<{ name: string; key: string }> {
  if (requestedName !== undefined && !isName(requestedName)) throw new KeyNameError(`A name must be ${nameRule}.`);
  return withLock(folder, async () => {
    const keys = readKeys(keysFile(folder)) ?? [];
    const names = new Set(keys.map(({ name }) => name));
    if (requestedName !== undefined && names.has(requestedName)) {
      throw new KeyNameError(`The key '${requestedName}' already exists; revoke it first, or choose another name.`);
    }
    const name = requestedName ?? unusedName(names);
    return { name, key: await addKey(folder, keys, name) };
  });
}

/** Revokes a key, and returns how many are left. */
export async function revokeKey(folder: string, name: string): Promise<number> {
  const file = keysFile(folder);
  if (!readKeys(file)) throw new KeyNameError(`There are no keys in ${file}; create one first.`);
  return withLock(folder, async () => {
    const keys = readKeys(file) ?? [];
    const remaining = keys.filter((key) => key.name !== name);
    if (remaining.length === keys.length) {
      const names = keys.map((key) => key.name).join(', ');
      // The message omits the given name, because it may be a key by mistake.
      throw new KeyNameError(`There is no key of that name; ${names ? `the names are: ${names}` : 'no key is left'}.`);
    }
    await writeKeys(file, remaining);
    return remaining.length;
  });
}

/** Parses the content of the file. Throws if it is damaged. */
function parseContent(text: string): StoredKey[] {
  const keys: StoredKey[] = JSON.parse(text).keys.map(parseStoredKey);
  if (new Set(keys.map(({ name }) => name)).size < keys.length) throw new Error('Two keys have the same name.');
  return keys;
}

function parseStoredKey({ name, created, sha256 }: Record<string, unknown>): StoredKey {
  const isHash = typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
  if (typeof name !== 'string' || !isName(name) || typeof created !== 'string' || !isHash)
    throw new Error('This is not a key.');
  return { name, created, hash: Buffer.from(sha256, 'hex') };
}

function readText(file: string): string {
  // Opening or reading a pipe would block the process.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const descriptor = openSync(file, flags);
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

async function addKey(folder: string, keys: readonly StoredKey[], name: string): Promise<string> {
  const key = generateKey();
  await writeKeys(keysFile(folder), [...keys, { name, created: new Date().toISOString(), hash: hashOf(key) }]);
  return key;
}

function unusedName(taken: ReadonlySet<string>): string {
  for (let number = taken.size + 1; ; number++) if (!taken.has(`key-${number}`)) return `key-${number}`;
}

async function writeKeys(file: string, keys: readonly StoredKey[]): Promise<void> {
  const content = { keys: keys.map(({ name, created, hash }) => ({ name, created, sha256: hash.toString('hex') })) };
  try {
    await replaceFile(file, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), 0o600);
  } catch (error) {
    throw new KeysFileError(file, `cannot be written (${reasonOf(error)}).`, error);
  }
}

const LOCK_TIMEOUT_MS = 10_000;

/** Runs a change under a lock, so that concurrent changes do not overwrite each other. */
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
