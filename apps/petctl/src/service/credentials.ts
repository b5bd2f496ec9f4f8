import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull, platform } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CliError, UsageError } from '../errors.ts';
import type { Environment, Target } from '../settings.ts';
import { codeOf, isObject } from '../text.ts';

/** An API key, and the place that it comes from. */
export interface Key {
  readonly value: string;
  readonly from: string;
}

/** The place of a key that a user has just entered for a login. */
export const enteredKey = 'the login';

/** The content of the file: the address of the last login, and the keys by address. */
interface Stored {
  readonly current: string | undefined;
  readonly keys: Readonly<Record<string, string>>;
}

/** Stands in the file for a key that is in the keyring. No key looks like this: keys have no spaces. */
const inKeyring = 'in the keyring';

/**
 * The keys that logins have stored, each for one address: in the system's keyring, or in a file.
 */
export class Credentials {
  readonly #env: Environment;
  readonly #file: string;

  constructor(env: Environment) {
    this.#env = env;
    this.#file = join(configFolder(env), 'petctl', 'credentials.json');
  }

  /** The address of the last login. */
  lastAddress(): string | undefined {
    return this.#read().current;
  }

  /** The addresses that have a stored key. */
  addresses(): string[] {
    return Object.keys(this.#read().keys);
  }

  /** The key for an address. Throws if there is none. */
  async keyFor(target: Target): Promise<Key> {
    const key = await this.findKey(target);
    if (key) return key;
    const { baseUrl, environmentKeyFor } = target;
    const login = `Log in with 'petctl auth login --base-url ${baseUrl}', or set PETCTL_API_KEY`;
    const message = `There is no API key for ${baseUrl}.`;
    if (this.#env.PETCTL_API_KEY === undefined)
      throw new CliError('unauthorized', message, `${login}.`);
    throw new CliError(
      'unauthorized',
      `${message} PETCTL_API_KEY is for ${environmentKeyFor}.`,
      `${login} and PETCTL_BASE_URL.`,
    );
  }

  /** The key in the environment, if it is for this address; otherwise the stored key. */
  async findKey({ baseUrl, environmentKeyFor }: Target): Promise<Key | undefined> {
    const value = this.#env.PETCTL_API_KEY;
    if (value === undefined || environmentKeyFor !== baseUrl) return this.storedKey(baseUrl);
    return { value: parseKey(value, 'PETCTL_API_KEY'), from: 'PETCTL_API_KEY' };
  }

  /** The stored key for an address. Throws if the keyring that has it cannot be opened. */
  async storedKey(address: string): Promise<Key | undefined> {
    const value = this.#read().keys[address];
    if (value === undefined) return undefined;
    if (value !== inKeyring) return { value: parseKey(value, this.#file), from: this.#file };
    const entry = await keyringEntry(address, this.#env);
    const password = entry?.getPassword();
    if (password) return { value: password, from: 'the keyring' };
    throw lockedKeyring(address);
  }

  /**
   * Stores a key in the keyring, or in a file that only its owner can read, and remembers the
   * address. Returns the place.
   */
  async storeKey(address: string, key: string): Promise<string> {
    const entry = await keyringEntry(address, this.#env);
    try {
      entry?.setPassword(key);
    } catch (error) {
      throw new UsageError(
        `The keyring did not take the key (${codeOf(error)}).`,
        'Unlock the keyring, or set PETCTL_KEYRING=false to use a file.',
      );
    }
    const keys = { ...this.#read().keys, [address]: entry ? inKeyring : key };
    this.#write({ current: address, keys });
    return entry ? "the system's keyring" : this.#file;
  }

  /** Removes the key for an address, and forgets the address. Returns whether there was a key. */
  async removeKey(address: string): Promise<boolean> {
    const { current, keys } = this.#read();
    const { [address]: removed, ...others } = keys;
    if (removed === undefined) return false;
    if (removed === inKeyring) {
      const entry = await keyringEntry(address, this.#env);
      // Without the keyring, the key would stay there.
      if (!entry?.getPassword()) throw lockedKeyring(address);
      entry.deletePassword();
    }
    this.#write({ current: current === address ? undefined : current, keys: others });
    return true;
  }

  #read(): Stored {
    try {
      return storedIn(readFileSync(this.#file, 'utf8'));
    } catch (error) {
      // ENOTDIR: accounts of services have /dev/null as their home folder.
      if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return { current: undefined, keys: {} };
      throw new UsageError(
        `${this.#file} cannot be read (${codeOf(error)}).`,
        'Fix the file, or move it away and log in again.',
      );
    }
  }

  /** Replaces the file in one step. If the file is a link, replaces the target of the link. */
  #write(stored: Stored): void {
    const file = existsSync(this.#file) ? realpathSync(this.#file) : this.#file;
    const temporary = `${file}.${Date.now()}`;
    try {
      // As root, the rename below would replace /dev/null itself.
      if (file === devNull) throw new Error(`it leads to ${devNull}`);
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      const text = `${JSON.stringify(stored, undefined, 2)}\n`;
      writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
      renameSync(temporary, file);
    } catch (error) {
      if (existsSync(temporary)) rmSync(temporary);
      throw new UsageError(
        `${this.#file} cannot be written (${codeOf(error)}).`,
        'Check its folder and permissions.',
      );
    }
  }
}

/** Returns the text as a key. Throws if no request can carry it. */
export function parseKey(text: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new UsageError(`${from} has no valid API key: a key is visible ASCII without spaces.`);
}

/**
 * The user's folder for settings. A relative path is ignored, because the current folder must not
 * configure petctl.
 */
function configFolder({ XDG_CONFIG_HOME = '', APPDATA = '', HOME = '' }: Environment): string {
  if (isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME;
  if (platform() === 'win32') return APPDATA;
  return join(isAbsolute(HOME) ? HOME : devNull, '.config');
}

/** Throws for a text that `Credentials` did not write. */
function storedIn(text: string): Stored {
  const content: unknown = JSON.parse(text);
  if (isObject(content) && isStringRecord(content.keys)) {
    const { current, keys } = content;
    if (current === undefined) return { current, keys };
    if (typeof current === 'string' && URL.canParse(current)) return { current, keys };
  }
  throw new Error('its content is not from petctl');
}

function lockedKeyring(address: string): UsageError {
  return new UsageError(
    `The keyring with the key for ${address} cannot be opened.`,
    'Unlock the keyring, or set PETCTL_API_KEY.',
  );
}

function isStringRecord(value: unknown): value is Record<string, string> {
  if (!isObject(value)) return false;
  return Object.values(value).every((each) => typeof each === 'string');
}

/**
 * The entry of the system's keyring for an address; undefined if there is no keyring, or
 * PETCTL_KEYRING is false.
 */
async function keyringEntry(address: string, env: Environment) {
  if (env.PETCTL_KEYRING === 'false') return undefined;
  try {
    const { Entry } = await import('@napi-rs/keyring');
    // Without Secret Service, the library would use the keyring of the kernel, which is lost at the
    // next boot.
    const entry = new Entry('petctl', address, { linux: { store: 'secret-service' } });
    // Find out whether there is a keyring: without one, this call throws. If only the password is
    // missing, it does not throw.
    entry.getPassword();
    return entry;
  } catch {
    // Without a keyring, the keys are stored in the file.
    return undefined;
  }
}
