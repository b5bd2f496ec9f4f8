import { devNull, userInfo } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { Entry } from '@napi-rs/keyring';
import { kebab } from '../flags/flag.ts';
import { CliError, systemCode, UsageError } from '../io/errors.ts';
import { changeJsonFile, readJsonFile } from '../io/files.ts';
import type { Environment } from '../io/process-io.ts';
import { isObject } from '../io/text.ts';
import { type Operation, type SecurityScheme, service } from '../old.ts';

/** A security scheme that petctl supports. */
export interface Scheme {
  readonly name: string;
  /** The environment variable of its credential; there is no flag, because process lists show flags. */
  readonly variable: string;
  /** Whether its credential is what petctl calls the API key: that of the main scheme of the spec. */
  readonly isApiKey: boolean;
}

/** The variable of the API key. */
const keyVariable = 'PETCTL_API_KEY';

// A spec without schemes has no keyScheme.
const { securitySchemes, keyScheme }: { securitySchemes: Record<string, SecurityScheme>; keyScheme?: string } = service;

/** The supported schemes of the service, the API key's first. */
export function schemes(): readonly Scheme[] {
  const supported: Scheme[] = [];
  for (const [name, { type }] of Object.entries(securitySchemes)) {
    if (type !== 'bearer') continue;
    const isApiKey = name === keyScheme;
    const defaultName = `PETCTL_AUTH_${kebab(name).replaceAll('-', '_').toUpperCase()}`;
    let variable = isApiKey ? keyVariable : defaultName;
    for (let i = 2; supported.some((one) => one.variable === variable); i++) variable = `${defaultName}_${i}`;
    supported.push({ name, variable, isApiKey });
  }
  return supported.sort((one, other) => Number(other.isApiKey) - Number(one.isApiKey));
}

/** The scheme of a name in an operation's security. */
export function schemeNamed(name: string): Scheme {
  const scheme = schemes().find((one) => one.name === name);
  if (!scheme) throw new Error(`there is no scheme ${name}`);
  return scheme;
}

/** The name of a scheme's credential in messages. */
export function credentialName({ isApiKey, name }: Scheme): string {
  return isApiKey ? 'API key' : `credential '${name}'`;
}

/** A credential for a security scheme. */
export interface Credential {
  readonly scheme: Scheme;
  readonly value: string;
  /** Where it comes from: an environment variable, a file or the keyring. */
  readonly from: string;
}

/** The URL origin of a credential, which is never used for others. */
export interface CredentialScope {
  readonly env: Environment;
  readonly origin: string;
  /** The flags that selected the origin; hints name them. */
  readonly flags: readonly string[];
}

/** Identifies a stored credential. */
export interface CredentialId extends CredentialScope {
  readonly scheme: Scheme;
}

/** The credentials of the first combination of schemes that all have one; none if no scheme is needed. Throws if one is missing. */
export async function findCredentials(
  scope: CredentialScope,
  security: Operation['security'],
): Promise<readonly Credential[]> {
  const combinations = security.map((names) => names.map(schemeNamed));
  if (combinations.length === 0) return [];
  for (const schemes of combinations) {
    const results = await Promise.all(schemes.map((scheme) => findCredential({ ...scope, scheme })));
    const credentials = results.filter((credential) => credential !== undefined);
    if (credentials.length === schemes.length) return credentials;
  }
  throw noCredential(scope, combinations);
}

/** The credential of a scheme: from the environment, else the stored one. */
export async function findCredential(id: CredentialId): Promise<Credential | undefined> {
  const { env, scheme } = id;
  const { [scheme.variable]: key } = env;
  if (key) return { scheme, value: validCredential(key, scheme, scheme.variable), from: scheme.variable };
  const stored = readStored(id);
  if (!stored) return undefined;
  const file = credentialsFile(env);
  if ('key' in stored) return { scheme, value: validCredential(stored.key, scheme, file), from: file };
  const value = (await keyringEntry(id))?.getPassword();
  if (!value) throw keyringLocked(id);
  return { scheme, value, from: 'keyring' };
}

/** Returns a well-formed credential, or throws. */
export function validCredential(value: string, scheme: Scheme, from: string): string {
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(`${from} is not a valid ${credentialName(scheme)}: it must be visible ASCII without spaces.`);
}

/** The error for a credential in a keyring that cannot be opened. */
function keyringLocked({ origin, scheme }: CredentialId): UsageError {
  return new UsageError(
    `The ${credentialName(scheme)} for ${origin} is in the system's keyring, which cannot be opened.`,
    `Unlock it, or set ${scheme.variable}.`,
  );
}

/** The error for missing credentials; `needed` are the accepted combinations of schemes. */
export function noCredential({ origin, flags }: CredentialScope, needed: readonly (readonly Scheme[])[]): CliError {
  const [first = [], ...others] = needed;
  const names = needed.map((all) => all.map(credentialName).join(' and '));
  const logins = first.map(({ isApiKey, name }) => `'petctl auth login${isApiKey ? '' : ` --scheme ${name}`}'`);
  return new CliError(
    'unauthorized',
    others.length === 0 && first.length === 1
      ? `There is no ${names[0]} for ${origin}.`
      : `Credentials for ${origin} are missing: it needs ${names.join(', or ')}.`,
    `Log in with ${logins.join(' and ')}${flags.length > 0 ? ` and the same ${flags.join(' and ')}` : ''}, or set ${first.map(({ variable }) => variable).join(' and ')}.`,
  );
}

/** The entry of the file for a credential: the credential itself, or that the keyring has it. */
type StoredCredential = { readonly key: string } | { readonly keyring: true };

/** The stored entry of a credential; undefined if it is not stored. */
export function readStored(id: CredentialId): StoredCredential | undefined {
  const { env, origin, scheme } = id;
  const { [scheme.name]: entry } = objectOrEmpty(readJsonFile(credentialsFile(env))[origin]);
  if (entry === undefined) return undefined;
  const { key, keyring } = objectOrEmpty(entry);
  if (typeof key === 'string') return { key };
  if (keyring === true) return { keyring };
  throw new UsageError(
    `${credentialsFile(env)}: the entry for ${origin} contains no ${credentialName(scheme)}.`,
    "Remove it, and log in again with 'petctl auth login'.",
  );
}

/** Changes or removes the entry of a credential in the file. Returns whether the old entry says that the keyring has the credential. */
export function saveCredential(id: CredentialId, stored: StoredCredential | undefined): boolean {
  const { env, origin, scheme } = id;
  let wasInKeyring = false;
  changeJsonFile(credentialsFile(env), (origins) => {
    const before = objectOrEmpty(origins[origin]);
    wasInKeyring = objectOrEmpty(before[scheme.name]).keyring === true;
    return withEntry(origins, origin, withEntry(before, scheme.name, stored));
  });
  return wasInKeyring;
}

/** A copy of an object with a changed property, or without the property if its new value is empty. */
function withEntry(object: Readonly<Record<string, unknown>>, name: string, value: object = {}): object {
  const { [name]: _, ...others } = object;
  return Object.keys(value).length > 0 ? { ...others, [name]: value } : others;
}

function objectOrEmpty(data: unknown): Record<string, unknown> {
  return isObject(data) ? data : {};
}

// Without Secret Service, the library would use the kernel's keyring on Linux, which is lost at the next boot.
const keyringOptions = { linux: { store: 'secret-service' } } as const;

/** The entry of a credential in the system's keyring; undefined if the system has no persistent keyring. */
export async function keyringEntry({ origin, scheme }: CredentialId): Promise<Entry | undefined> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entry = new Entry('petctl', `${origin} ${scheme.name}`, keyringOptions);
    // A test: without a keyring this throws, without a password it does not.
    entry.getPassword();
    return entry;
  } catch {
    return undefined;
  }
}

/** Removes a credential from the keyring. */
export async function removeFromKeyring(id: CredentialId): Promise<void> {
  const entry = await keyringEntry(id);
  if (!entry) throw keyringLocked(id);
  changeKeyring(() => entry.deletePassword(), 'Unlock it.');
}

/** Changes the system's keyring, which the user may not allow. */
export function changeKeyring(change: () => unknown, hint: string): void {
  try {
    change();
  } catch (error) {
    throw new UsageError(`The system's keyring cannot be changed (${systemCode(error)}).`, hint);
  }
}

/** Replaces credentials in a text: a service may echo them. */
export function redactor(credentials: readonly Credential[], replacementOf: (credential: Credential) => string) {
  const secrets = credentials.flatMap((one) =>
    encodedForms(one).map((secret) => [secret, replacementOf(one)] as const),
  );
  return (line: string) => secrets.reduce((text, [secret, replacement]) => text.replaceAll(secret, replacement), line);
}

/** A credential in each encoding that a request may contain. */
function encodedForms({ value }: Credential): string[] {
  return [Buffer.from(value).toString('base64'), value, encodeURIComponent(value)].filter((text) => text !== '');
}

/** The file of the stored credentials. */
export function credentialsFile(env: Environment): string {
  return join(folder(env), 'credentials.json');
}

/** petctl's configuration folder. Ignores a relative XDG_CONFIG_HOME, as the XDG specification requires. */
function folder({ XDG_CONFIG_HOME, APPDATA, HOME }: Environment): string {
  if (XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME)) return join(XDG_CONFIG_HOME, 'petctl');
  if (process.platform === 'win32' && APPDATA) return join(APPDATA, 'petctl');
  return join(homeFolder(HOME), '.config', 'petctl');
}

/** The user's home folder. A relative one is ignored, because the current folder must not configure petctl. */
function homeFolder(home: string | undefined): string {
  if (home && isAbsolute(home)) return home;
  try {
    return userInfo().homedir;
  } catch {
    // The system does not know the account, as in some containers.
    return devNull;
  }
}
