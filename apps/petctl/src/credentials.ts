import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { deployments, parseExact } from '@petstore/types';
import type { Command } from 'commander';
import { CliError, UsageError } from './errors.ts';
import { settingsOf } from './settings.ts';
import { codeOf, isObject } from './text.ts';

/** The service that a command calls, and the origin that a key in the environment is for: that of an address beside it, if any. */
export interface Target {
  readonly baseUrl: string;
  readonly origin: string;
  readonly keyOrigin: string;
}

/** The address of a command: that of its flags, else of the environment, else of the last login, else of the first deployment. */
export function targetOf(command: Command): Target {
  const { baseUrl, deployment } = settingsOf(command);
  const [from, deploymentFrom] = ['baseUrl', 'deployment'].map((name) =>
    command.getOptionValueSource(name),
  );
  if (from !== undefined && from === deploymentFrom)
    throw new UsageError(
      'The base URL and the deployment both say where the service is.',
      'Set only one of them.',
    );
  const given = deployment && from !== 'cli' ? deployments[deployment] : baseUrl;
  const { PETCTL_BASE_URL, PETCTL_DEPLOYMENT = '' } = process.env;
  const inEnvironment =
    PETCTL_BASE_URL ?? deployments[PETCTL_DEPLOYMENT as keyof typeof deployments];
  const { href, origin } = parseAddress(
    given ?? readFile().current ?? deployments[firstDeployment],
  );
  const keyOrigin = inEnvironment ? parseAddress(inEnvironment).origin : origin;
  return { baseUrl: href.replace(/\/+$/, ''), origin, keyOrigin };
}

const [firstDeployment] = Object.keys(deployments) as [keyof typeof deployments];

/** Throws for an address without quoting it, because it may contain a password. */
function parseAddress(text: string): URL {
  if (/^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(text) && URL.canParse(text)) return new URL(text);
  throw new UsageError(
    'The base URL is invalid.',
    `Use one such as ${deployments[firstDeployment]}, without a user or a query.`,
  );
}

/** An API key, and where it comes from. */
export interface Key {
  readonly value: string;
  readonly from: string;
}

/** The key for an address. Throws if there is none. */
export async function keyFor(target: Target): Promise<Key> {
  const key = await findKey(target);
  if (key) return key;
  const { baseUrl, origin, keyOrigin } = target;
  const other =
    process.env.PETCTL_API_KEY === undefined ? '' : ` PETCTL_API_KEY is for ${keyOrigin}.`;
  const hint = `Log in with 'petctl auth login --base-url ${baseUrl}', or set PETCTL_API_KEY${other && ' and PETCTL_BASE_URL'}.`;
  throw new CliError('unauthorized', `There is no API key for ${origin}.${other}`, hint);
}

/** The key of the environment, if that is for this address, else the stored one. */
export async function findKey({ origin, keyOrigin }: Target): Promise<Key | undefined> {
  const { PETCTL_API_KEY: value } = process.env;
  if (value === undefined || keyOrigin !== origin) return storedKey(origin);
  return { value: checkedKey(value, 'PETCTL_API_KEY'), from: 'PETCTL_API_KEY' };
}

/** The stored key for an origin. Throws if the keyring that has it cannot be opened. */
export async function storedKey(origin: string): Promise<Key | undefined> {
  const value = readFile().keys[origin];
  if (value === undefined) return undefined;
  if (value !== inKeyring)
    return { value: checkedKey(value, credentialsFile()), from: credentialsFile() };
  const password = (await keyringEntry(origin))?.getPassword();
  if (password) return { value: password, from: 'the keyring' };
  throw new UsageError(
    `The keyring with the key for ${origin} cannot be opened.`,
    'Unlock it, or set PETCTL_API_KEY.',
  );
}

/** The origins that have a stored key. */
export function storedOrigins(): string[] {
  return Object.keys(readFile().keys);
}

/** Returns a key, or throws if no request can carry it. */
export function checkedKey(value: string, from: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(`${from} has no valid API key: it must be visible ASCII without spaces.`);
}

/** Stores a key in the keyring, or in a file that only its owner can read, and remembers the address. Returns the place. */
export async function storeKey({ baseUrl, origin }: Target, key: string): Promise<string> {
  const entry = await keyringEntry(origin);
  try {
    entry?.setPassword(key);
  } catch (error) {
    throw new UsageError(
      `The keyring did not take the key (${codeOf(error)}).`,
      'Or set PETCTL_KEYRING=false.',
    );
  }
  const { keys } = readFile();
  writeFile({ current: baseUrl, keys: { ...keys, [origin]: entry ? inKeyring : key } });
  return entry ? "the system's keyring" : credentialsFile();
}

/** Removes the key for an address, and forgets the address. Returns whether there was a key. */
export async function removeKey({ origin }: Target): Promise<boolean> {
  const { current, keys } = readFile();
  const { [origin]: removed, ...others } = keys;
  if (removed === undefined) return false;
  // Without the keyring, the key would stay there.
  if (removed === inKeyring && (await storedKey(origin)))
    (await keyringEntry(origin))?.deletePassword();
  const isCurrent = current !== undefined && new URL(current).origin === origin;
  writeFile({ current: isCurrent ? undefined : current, keys: others });
  return true;
}

/** The file: the address of the last login, and the keys by origin. */
interface Stored {
  readonly current: string | undefined;
  readonly keys: Readonly<Record<string, string>>;
}

/** Stands for a key that the keyring has. No key contains a space. */
const inKeyring = 'in the keyring';

/** A relative folder is ignored, because the current folder must not configure petctl. */
function credentialsFile(): string {
  const { XDG_CONFIG_HOME = '', APPDATA = '', HOME = '' } = process.env;
  const home =
    process.platform === 'win32' ? APPDATA : join(isAbsolute(HOME) ? HOME : devNull, '.config');
  return join(isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : home, 'petctl', 'credentials.json');
}

function readFile(): Stored {
  const file = credentialsFile();
  try {
    const { current, keys } = Object(parseExact(readFileSync(file, 'utf8')));
    const isValid = isObject(keys) && Object.values(keys).every((key) => typeof key === 'string');
    if (isValid && (current === undefined || URL.canParse(current)))
      return { current, keys: keys as Stored['keys'] };
    throw new Error('it has another content');
  } catch (error) {
    // Accounts of services have /dev/null as their home folder.
    if (/^(ENOENT|ENOTDIR)$/.test(codeOf(error))) return { current: undefined, keys: {} };
    throw new UsageError(
      `${file} cannot be read (${codeOf(error)}).`,
      'Fix it, or move it away and log in again.',
    );
  }
}

/** Replaces the file at once. If it is a link, the file that it leads to. */
function writeFile(stored: Stored): void {
  let file = credentialsFile();
  if (existsSync(file)) file = realpathSync(file);
  const temporary = `${file}.${process.pid}`;
  try {
    // Root would replace the device.
    if (file === devNull) throw new Error(`it leads to ${devNull}`);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${JSON.stringify(stored, undefined, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
    });
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw new UsageError(
      `${file} cannot be written (${codeOf(error)}).`,
      'Check its folder and permissions.',
    );
  }
}

/** The entry of the system's keyring; undefined if there is no keyring, or PETCTL_KEYRING is false. */
async function keyringEntry(origin: string) {
  if (process.env.PETCTL_KEYRING === 'false') return undefined;
  try {
    const { Entry } = await import('@napi-rs/keyring');
    // Without Secret Service, the library would use the keyring of the kernel, which is lost at the next boot.
    const entry = new Entry('petctl', origin, { linux: { store: 'secret-service' } });
    // A test: without a keyring this throws, without a password it does not.
    entry.getPassword();
    return entry;
  } catch {
    return undefined;
  }
}
