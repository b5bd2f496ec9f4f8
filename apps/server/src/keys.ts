import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { lineOf, UsageError } from './errors.ts';
import { lock } from './store/disk.ts';

/** Returns the name of a valid key, undefined for an invalid key. */
export type KeyCheck = (key: string) => string | undefined;

/** A key as the server knows it: its name and its SHA-256, never the key itself. */
interface HashedKey {
  readonly name: string;
  readonly created: string;
  readonly sha256: string;
}

const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const nameRule = "1 to 64 letters, digits, '.', '-' or '_', starting with a letter or digit";

/** Checks keys of a list separated by commas, each `key` or `name=key`. Messages contain positions and names, never keys. */
export function keysFrom(list: string, source = 'The list of keys'): KeyCheck {
  const keys: HashedKey[] = [];
  for (const [i, text] of list.split(',').entries()) {
    const entry = text.trim();
    const at = entry.indexOf('=');
    const [name, key] =
      at < 0 ? [`key-${i + 1}`, entry] : [entry.slice(0, at), entry.slice(at + 1)];
    const sha256 = hashOf(key);
    const same = keys.find((each) => each.name === name || each.sha256 === sha256);
    const finding =
      (entry === '' && 'is empty') ||
      (!/^[!-~]+$/.test(entry) && 'has a space, or a character that is not printable ASCII') ||
      (/^=*$/.test(key) && "has no key after '=': a key that ends in '=' needs a name before it") ||
      (!NAME.test(name) && `has an invalid name before '=': a name is ${nameRule}`) ||
      (same && `has the name or the key of the entry '${same.name}'`);
    if (finding)
      throw new UsageError(
        `${source}: entry ${i + 1} ${finding}; write 'key' or 'name=key', separated by commas.`,
      );
    keys.push({ name, created: '', sha256 });
  }
  return checkOf(() => keys);
}

/** Follows the keys in a data folder, which other processes change. Damage is reported once; the last keys stay valid. */
export function followKeys(folder: string, report: (problem: string) => void): KeyCheck {
  let version = versionOf(folder);
  let keys = readKeys(folder) ?? [];
  let checkedAt = performance.now();
  return checkOf(() => {
    // Looks once a second. The first key is made after the server listens, and has to be valid at once.
    if (version !== '' && performance.now() - checkedAt < 1000) return keys;
    checkedAt = performance.now();
    const known = version;
    try {
      version = versionOf(folder);
      if (version !== known) keys = readKeys(folder) ?? keys;
    } catch (error) {
      report(`${lineOf(error)} The previous keys stay valid.`);
    }
    return keys;
  });
}

/** The keys of a folder; undefined without a file. */
export function readKeys(folder: string): HashedKey[] | undefined {
  const file = fileOf(folder);
  try {
    const { keys }: { keys: HashedKey[] } = JSON.parse(readFileSync(file, 'utf8'));
    const isWhole = ({ name, created, sha256 }: HashedKey) =>
      NAME.test(name) && typeof created === 'string' && /^[\da-f]{64}$/.test(sha256);
    if (keys.every(isWhole) && new Set(keys.map(({ name }) => name)).size === keys.length)
      return keys;
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOENT') return undefined;
    if (code)
      throw new UsageError(
        `${file} cannot be read (${code}); run all commands as the user of the server.`,
      );
  }
  // The parser's message would quote the text.
  throw new UsageError(
    `${file} is damaged; restore it from a backup, or move it away and create new keys.`,
  );
}

/** Creates a key, and returns it. Only its hash is stored. */
export function createKey(folder: string, name = `key-${randomBytes(3).toString('hex')}`) {
  if (!NAME.test(name)) throw new UsageError(`A name must be ${nameRule}.`);
  const key = `pk_${randomBytes(24).toString('base64url')}`;
  change(folder, (keys) => {
    if (keys.some((each) => each.name === name))
      throw new UsageError(
        `The key '${name}' already exists; revoke it first, or choose another name.`,
      );
    return [...keys, { name, created: new Date().toISOString(), sha256: hashOf(key) }];
  });
  return { name, key };
}

/** Revokes a key, and returns how many are left. */
export function revokeKey(folder: string, name: string): number {
  if (!readKeys(folder)) throw new UsageError(`There are no keys in ${folder}; create one first.`);
  const left = change(folder, (keys) => {
    const others = keys.filter((key) => key.name !== name);
    if (others.length < keys.length) return others;
    // The message omits the given name, because it may be a key by mistake.
    throw new UsageError(
      `There is no key of that name; the names are: ${keys.map((key) => key.name).join(', ')}.`,
    );
  });
  return left.length;
}

const fileOf = (folder: string) => join(folder, 'keys.json');
const hashOf = (key: string) => hash('sha256', key, 'hex');
const codeOf = (error: unknown) => (error as { code?: string }).code;

/** Compares the hash of a key with all known hashes in constant time. Remembers valid keys until the known ones change. */
function checkOf(known: () => readonly HashedKey[]): KeyCheck {
  let [keys, valid] = [known(), new Map<string, string>()];
  return (key) => {
    if (known() !== keys) [keys, valid] = [known(), new Map()];
    const cached = valid.get(key);
    if (cached !== undefined) return cached;
    const digest = Buffer.from(hashOf(key));
    const matches = keys.map(({ sha256 }) => timingSafeEqual(Buffer.from(sha256), digest));
    const name = keys[matches.indexOf(true)]?.name;
    if (name !== undefined) valid.set(key, name);
    return name;
  };
}

function versionOf(folder: string): string {
  const stat = statSync(fileOf(folder), { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.ino, stat.size, stat.mtimeNs].join() : '';
}

/** Changes the keys under a lock, so that concurrent changes do not undo each other. */
function change(
  folder: string,
  make: (keys: readonly HashedKey[]) => readonly HashedKey[],
): readonly HashedKey[] {
  let unlock = () => {};
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    unlock = lock(join(folder, 'keys.lock'), 10_000);
    const keys = make(readKeys(folder) ?? []);
    const temporary = `${fileOf(folder)}.tmp`;
    writeFileSync(temporary, `${JSON.stringify({ keys }, null, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    renameSync(temporary, fileOf(folder));
    // A revoked key stays revoked after a power cut.
    const handle = openSync(folder, 'r');
    fsyncSync(handle);
    closeSync(handle);
    return keys;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      `The keys in ${folder} cannot be changed (${codeOf(error)}); check the disk and the user.`,
    );
  } finally {
    unlock();
  }
}
