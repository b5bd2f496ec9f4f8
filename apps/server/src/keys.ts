// API keys: a configured list, or those in a data folder, which commands change while servers run. Servers know their hashes only.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { codeOf, lineOf, UsageError } from './errors.ts';
import { lock, makeFolder, replaceFile } from './store/disk.ts';
import { messageOf } from './store/store.ts';

/** Returns the name of a valid key, undefined for an invalid key. */
export type KeyCheck = (key: string) => string | undefined;

/** A key as the server knows it: its name and its SHA-256, never the key itself. */
interface HashedKey {
  readonly name: string;
  readonly created: string;
  readonly sha256: string;
}

/** Shorter keys can be guessed. */
const MIN_LENGTH = 16;

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const nameRule = "1 to 64 letters, digits, '.', '-' or '_', starting with a letter or digit";

/** Printable ASCII without spaces. */
const PRINTABLE = /^[!-~]+$/;

/** Checks keys of a list separated by commas, each `key` or `name=key`. Messages contain positions and names, never keys. */
export function keysFrom(list: string, source = 'The list of keys'): KeyCheck {
  const keys: HashedKey[] = [];
  for (const [i, entry] of list.split(',').entries()) {
    const text = entry.trim();
    const at = text.indexOf('=');
    const key = text.slice(at + 1);
    // The name of a key without one belongs to the key, wherever it is in the list.
    const name = at < 0 ? `key-${hashOf(key).slice(0, 8)}` : text.slice(0, at);
    const hashed = { name, created: '', sha256: hashOf(key) };
    const fault = faultOfKey(text, key) ?? faultOfName(hashed, keys);
    if (fault !== undefined)
      throw new UsageError(
        `${source}: entry ${i + 1} ${fault}; write 'key' or 'name=key', separated by commas.`,
      );
    keys.push(hashed);
  }
  return new ValidKeys(keys).nameOf;
}

function faultOfKey(text: string, key: string): string | undefined {
  if (text === '') return 'is empty';
  if (!PRINTABLE.test(text)) return 'has a space, or a character that is not printable ASCII';
  if (key.replaceAll('=', '') === '')
    return "has no key after '=': a key that ends in '=' needs a name before it";
  if (key.length >= MIN_LENGTH) return undefined;
  return `has a key of less than ${MIN_LENGTH} characters, which can be guessed`;
}

function faultOfName(
  { name, sha256 }: HashedKey,
  others: readonly HashedKey[],
): string | undefined {
  if (!NAME.test(name)) return `has an invalid name before '=': a name is ${nameRule}`;
  const same = others.find((other) => other.name === name || other.sha256 === sha256);
  return same && `has the name or the key of the entry '${same.name}'`;
}

function hashOf(key: string): string {
  return hash('sha256', key, 'hex');
}

/** The keys that are valid now. */
class ValidKeys {
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

/** A server looks for changes of its data folder so often. */
const POLL_MS = 1000;

const STAY_VALID = 'The previous keys stay valid until the server stops.';

/** The keys in a data folder, as they change. */
export interface FollowedKeys {
  readonly nameOf: KeyCheck;
  /** Creates a key if the folder has none, and returns it. */
  makeFirst(): Promise<string | undefined>;
}

/** Follows the keys in a data folder. Each problem is reported once, and the last keys stay valid. */
export function followKeys(folder: string, report: (problem: string) => void): FollowedKeys {
  let version = versionOf(folder);
  const keys = new ValidKeys(readKeys(folder) ?? []);
  const reload = () => {
    const known = version;
    try {
      version = versionOf(folder);
      if (version === known) return;
      const changed = readKeys(folder);
      if (changed) keys.replace(changed);
      else report(`${fileIn(folder)} is gone. ${STAY_VALID}`);
    } catch (error) {
      report(`${lineOf(error)} ${STAY_VALID}`);
    }
  };
  setInterval(reload, POLL_MS).unref();
  const makeFirst = async () => {
    if (readKeys(folder)) return undefined;
    const { key } = await createKey(folder, 'first');
    reload();
    return key;
  };
  return { nameOf: keys.nameOf, makeFirst };
}

/** Changes with every new file. Empty without a file. */
function versionOf(folder: string): string {
  const path = fileIn(folder);
  try {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    return stat ? [stat.ino, stat.size, stat.mtimeNs].join() : '';
  } catch (error) {
    throw unreadable(path, error, folder);
  }
}

function unreadable(path: string, error: unknown, folder: string): UsageError {
  return new UsageError(`${path} cannot be read: ${adviceOn(error, folder)}`);
}

function fileIn(folder: string): string {
  return join(folder, 'keys.json');
}

/** The keys in a data folder; undefined if it has none. */
export function readKeys(folder: string): readonly HashedKey[] | undefined {
  const path = fileIn(folder);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw unreadable(path, error, folder);
  }
  const keys = parseKeys(text);
  if (keys) return keys;
  throw new UsageError(
    `${path} is damaged; restore it from a backup, or move it away and create new keys.`,
  );
}

function parseKeys(text: string): readonly HashedKey[] | undefined {
  try {
    const { keys } = JSON.parse(text);
    if (!Array.isArray(keys) || !keys.every(isHashedKey)) return undefined;
    const names = new Set(keys.map(({ name }) => name));
    return names.size === keys.length ? keys : undefined;
  } catch {
    // Damaged JSON has no keys.
    return undefined;
  }
}

const SHA256 = /^[\da-f]{64}$/;

function isHashedKey(value: Partial<HashedKey> | null): value is HashedKey {
  const { name, created, sha256 } = value ?? {};
  if (typeof name !== 'string' || typeof created !== 'string') return false;
  return NAME.test(name) && typeof sha256 === 'string' && SHA256.test(sha256);
}

/** The keys in a data folder, which has to have them. */
export function listKeys(folder: string): readonly HashedKey[] {
  const keys = readKeys(folder);
  if (keys) return keys;
  throw new UsageError(
    `There are no keys in ${resolve(folder)}; create one first, or choose another --data-dir.`,
  );
}

/** Creates a key, and returns it. Only its hash is stored. */
export async function createKey(folder: string, name = `key-${randomBytes(3).toString('hex')}`) {
  if (!NAME.test(name)) throw new UsageError(`A name must be ${nameRule}.`);
  const key = `pk_${randomBytes(24).toString('base64url')}`;
  await changeKeys(folder, (keys) => {
    if (keys.some((each) => each.name === name))
      throw new UsageError(
        `The key '${name}' already exists; revoke it first, or choose another name.`,
      );
    return [...keys, { name, created: new Date().toISOString(), sha256: hashOf(key) }];
  });
  return { name, key };
}

/** Revokes a key, and returns how many are left. */
export async function revokeKey(folder: string, name: string): Promise<number> {
  listKeys(folder);
  const left = await changeKeys(folder, (keys) => {
    const others = keys.filter((key) => key.name !== name);
    if (others.length < keys.length) return others;
    // The message omits the given name, because it may be a key by mistake.
    const names = keys.map((key) => key.name).join(', ');
    throw new UsageError(`There is no key of that name; the names are: ${names}.`);
  });
  return left.length;
}

/** Changes the keys under a lock, so that concurrent changes do not undo each other. */
async function changeKeys(
  folder: string,
  change: (keys: readonly HashedKey[]) => readonly HashedKey[],
): Promise<readonly HashedKey[]> {
  let unlock = () => {};
  try {
    // The second attempt is for a folder that another process has begun to make.
    await makeFolder(resolve(folder)).catch(() => makeFolder(resolve(folder)));
    unlock = lock(join(folder, 'keys.lock'), 10_000);
    const keys = change(readKeys(folder) ?? []);
    await replaceFile(fileIn(folder), [Buffer.from(`${JSON.stringify({ keys }, null, 2)}\n`)]);
    return keys;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The keys cannot be changed: ${adviceOn(error, folder)}`);
  } finally {
    unlock();
  }
}

/** What to do about an error of the system. */
function adviceOn(error: unknown, folder: string): string {
  const code = codeOf(error);
  if (code === 'ENOTDIR' || (existsSync(folder) && !statSync(folder).isDirectory()))
    return `${folder} is not a folder; choose another --data-dir.`;
  if (code === 'ENOENT') return `${folder} cannot be made; choose another --data-dir.`;
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk of ${folder} is full; free space.`;
  return `${messageOf(error)}; check the disk, and whether this user may read and write ${folder}.`;
}
