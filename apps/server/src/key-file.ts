// The API keys in a data folder, which the commands change while servers run.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { codeOf, lineOf, UsageError } from './errors.ts';
import { type HashedKey, hashOf, isName, type KeyCheck, nameRule, ValidKeys } from './keys.ts';
import { lock } from './store/disk.ts';

/** A server looks for changes so often. */
const POLL_MS = 1000;

/** The keys in a data folder, which a running server follows. */
export class FollowedKeys {
  readonly #folder: string;
  readonly #report: (problem: string) => void;
  #version: string;
  readonly #keys: ValidKeys;

  /** Each problem is reported once. The last keys stay valid. */
  constructor(folder: string, report: (problem: string) => void) {
    this.#folder = folder;
    this.#report = report;
    this.#version = versionOf(folder);
    this.#keys = new ValidKeys(readKeys(folder) ?? []);
    setInterval(() => this.reload(), POLL_MS).unref();
  }

  get nameOf(): KeyCheck {
    return this.#keys.nameOf;
  }

  /** Reads the keys if they have changed. */
  reload(): void {
    const known = this.#version;
    try {
      this.#version = versionOf(this.#folder);
      if (this.#version === known) return;
      const keys = readKeys(this.#folder);
      if (keys) this.#keys.replace(keys);
      else this.#report(`${fileOf(this.#folder)} is gone. ${STAY_VALID}`);
    } catch (error) {
      this.#report(`${lineOf(error)} ${STAY_VALID}`);
    }
  }
}

const STAY_VALID = 'The previous keys stay valid until the server stops.';

/** The keys in a data folder; undefined if it has none. */
export function readKeys(folder: string): readonly HashedKey[] | undefined {
  const path = fileOf(folder);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UsageError(`${path} cannot be read: ${adviceOn(error, folder)}`);
  }
  const keys = parseKeys(text);
  if (keys) return keys;
  throw new UsageError(
    `${path} is damaged; restore it from a backup, or move it away and create new keys.`,
  );
}

/** Creates a key, and returns it. Only its hash is stored. */
export function createKey(folder: string, name = `key-${randomBytes(3).toString('hex')}`) {
  if (!isName(name)) throw new UsageError(`A name must be ${nameRule}.`);
  const key = `pk_${randomBytes(24).toString('base64url')}`;
  changeKeys(folder, (keys) => {
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
  listKeys(folder);
  const left = changeKeys(folder, (keys) => {
    const others = keys.filter((key) => key.name !== name);
    if (others.length < keys.length) return others;
    // The message omits the given name, because it may be a key by mistake.
    const names = keys.map((key) => key.name).join(', ');
    throw new UsageError(`There is no key of that name; the names are: ${names}.`);
  });
  return left.length;
}

/** The keys in a data folder, which has to have them. */
export function listKeys(folder: string): readonly HashedKey[] {
  const keys = readKeys(folder);
  if (keys) return keys;
  throw new UsageError(
    `There are no keys in ${resolve(folder)}; create one first, or choose another --data-dir.`,
  );
}

function fileOf(folder: string): string {
  return join(folder, 'keys.json');
}

function parseKeys(text: string): HashedKey[] | undefined {
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
  return isName(name) && typeof sha256 === 'string' && SHA256.test(sha256);
}

/** Changes with every new file. Empty without a file. */
function versionOf(folder: string): string {
  const stat = statSync(fileOf(folder), { bigint: true, throwIfNoEntry: false });
  return stat ? [stat.ino, stat.size, stat.mtimeNs].join() : '';
}

/** Changes the keys under a lock, so that concurrent changes do not undo each other. */
function changeKeys(
  folder: string,
  change: (keys: readonly HashedKey[]) => readonly HashedKey[],
): readonly HashedKey[] {
  let unlock: (() => void) | undefined;
  try {
    makeFolder(resolve(folder));
    unlock = lock(join(folder, 'keys.lock'), 10_000);
    const keys = change(readKeys(folder) ?? []);
    replaceFile(fileOf(folder), `${JSON.stringify({ keys }, null, 2)}\n`);
    return keys;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The keys cannot be changed: ${adviceOn(error, folder)}`);
  } finally {
    unlock?.();
  }
}

/** Makes a folder and those above it. With `recursive`, Node never returns where the system refuses: below /proc. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Replaces a private file, so that a power cut leaves the old one or the new one. */
function replaceFile(path: string, text: string): void {
  const temporary = `${path}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flush: true });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  const handle = openSync(dirname(path), 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** What to do about an error of the system. */
function adviceOn(error: unknown, folder: string): string {
  const code = codeOf(error);
  if (code === 'ENOTDIR' || (existsSync(folder) && !statSync(folder).isDirectory()))
    return `${folder} is not a folder; choose another --data-dir.`;
  if (code === 'ENOENT') return `${folder} cannot be made; choose another --data-dir.`;
  if (code === 'ENOSPC' || code === 'EDQUOT') return `the disk of ${folder} is full; free space.`;
  const reason = error instanceof Error ? error.message : String(error);
  return `${reason}; check the disk, and whether this user may write to ${folder}.`;
}
