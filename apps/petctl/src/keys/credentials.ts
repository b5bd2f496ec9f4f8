import { UsageError } from '../io/errors.ts';
import { readJsonFile, writeJsonFile } from '../io/files.ts';
import type { Environment } from '../io/process-io.ts';
import { isObject } from '../io/text.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { credentialName, type Scheme, type Security, schemeNamed } from './schemes.ts';

/** A credential for a security scheme. */
export interface Credential {
  readonly scheme: Scheme;
  /** For a basic scheme `user:password`. */
  readonly value: string;
  /** Where it comes from: an environment variable, a file or the keyring. */
  readonly from: string;
}

/** The profile and origin that a credential belongs to, and is never used outside of. */
export interface CredentialScope {
  readonly env: Environment;
  readonly profile: string;
  readonly origin: string;
}

/** The credentials of the first complete combination, if any. */
export async function findCredentials(
  scope: CredentialScope,
  security: Security,
): Promise<readonly Credential[] | undefined> {
  if (security.length === 0) return [];
  for (const names of security) {
    const found = await Promise.all(names.map((name) => findCredential(scope, schemeNamed(name))));
    const complete = found.filter((one) => one !== undefined);
    if (complete.length === names.length) return complete;
  }
  return undefined;
}

/** The credential of a scheme: from the environment, else the stored one. */
export async function findCredential(scope: CredentialScope, scheme: Scheme): Promise<Credential | undefined> {
  const value = scope.env[scheme.variable];
  if (value) return { scheme, value: validCredential(value, scheme, scheme.variable), from: scheme.variable };
  return loadCredential(scope, scheme);
}

/** Returns a well-formed credential, or throws. */
export function validCredential(value: string, scheme: Scheme, from: string): string {
  if (scheme.type === 'basic') {
    if (/^[^:\p{Cc}]*:\P{Cc}*$/u.test(value)) return value;
    throw new UsageError(`${from} is not user:password.`, 'Write the user name, a colon and the password.');
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(`${from} is not a valid ${credentialName(scheme)}: it must be visible ASCII without spaces.`);
}

/** The stored credential, from the file or the keyring. */
async function loadCredential(scope: CredentialScope, scheme: Scheme): Promise<Credential | undefined> {
  const stored = readStored(scope, scheme);
  if (!stored) return undefined;
  const file = credentialsFile(scope.env);
  if (stored.in === 'file') return { scheme, value: validCredential(stored.value, scheme, file), from: file };
  const value = (await openKeyring())?.get(accountOf(scope, scheme));
  if (value === undefined) throw keyringLocked(scope, scheme);
  return { scheme, value, from: 'keyring' };
}

/** The error for a credential in a keyring that cannot be opened. */
export function keyringLocked({ origin }: CredentialScope, scheme: Scheme): UsageError {
  return new UsageError(
    `The ${credentialName(scheme)} for ${origin} is in the system's keyring, which cannot be opened.`,
    `Unlock it, or set ${scheme.variable}.`,
  );
}

/** How a credential is stored: in the file itself, or in the keyring. */
export type StoredCredential = { readonly in: 'file'; readonly value: string } | { readonly in: 'keyring' };

/** How the credential of a scheme is stored; undefined if it is not. */
export function readStored(scope: CredentialScope, scheme: Scheme): StoredCredential | undefined {
  const entry = entriesOf(scope)[scheme.name];
  if (entry === undefined) return undefined;
  const { key, keyring } = objectOrEmpty(entry);
  if (typeof key === 'string') return { in: 'file', value: key };
  if (keyring === true) return { in: 'keyring' };
  throw new UsageError(
    `${credentialsFile(scope.env)}: the entry for ${scope.origin} contains no ${credentialName(scheme)}.`,
    "Remove it, and log in again with 'petctl auth login'.",
  );
}

/** Stores a credential, or removes the stored one. */
export function saveCredential(scope: CredentialScope, scheme: Scheme, stored: StoredCredential | undefined): void {
  const { env, profile, origin } = scope;
  const file = credentialsFile(env);
  const { [profile]: before, ...profiles } = readJsonFile(file);
  const { [origin]: _, ...origins } = objectOrEmpty(before);
  const { [scheme.name]: __, ...schemes } = entriesOf(scope);
  const entry = stored?.in === 'file' ? { key: stored.value } : stored && { keyring: true };
  const entries = { ...schemes, ...(entry && { [scheme.name]: entry }) };
  const remaining = { ...origins, ...(Object.keys(entries).length > 0 && { [origin]: entries }) };
  writeJsonFile(file, { ...profiles, ...(Object.keys(remaining).length > 0 && { [profile]: remaining }) });
}

/** All stored credentials without their values. */
export function listStored(env: Environment): { profile: string; origin: string; scheme: string; in: string }[] {
  return Object.entries(readJsonFile(credentialsFile(env))).flatMap(([profile, origins]) =>
    Object.entries(objectOrEmpty(origins)).flatMap(([origin, entries]) =>
      Object.entries(objectOrEmpty(entries)).map(([scheme, entry]) => {
        return { profile, origin, scheme, in: objectOrEmpty(entry).keyring === true ? 'keyring' : 'file' };
      }),
    ),
  );
}

/** The stored entries of an origin, by scheme. */
function entriesOf({ env, profile, origin }: CredentialScope): Readonly<Record<string, unknown>> {
  const origins = objectOrEmpty(readJsonFile(credentialsFile(env))[profile]);
  return objectOrEmpty(origins[origin]);
}

function objectOrEmpty(data: unknown): Record<string, unknown> {
  return isObject(data) ? data : {};
}

/** There is no credential for the origin of the request. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError';
  /** The accepted combinations of schemes. */
  readonly needed: readonly (readonly Scheme[])[];

  constructor(origin: string, needed: readonly (readonly Scheme[])[]) {
    const [only = [], ...others] = needed;
    const names = needed.map((all) => all.map(credentialName).join(' and '));
    super(
      others.length === 0 && only.length === 1
        ? `There is no ${names[0]} for ${origin}.`
        : `Credentials for ${origin} are missing: it needs ${names.join(', or ')}.`,
    );
    this.needed = needed;
  }
}

/** Removes credentials from a text, because services may echo them. */
export function redactor(credentials: readonly Credential[]): (text: string) => string {
  const secrets = credentials.flatMap(encodedForms);
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
}

/** A credential in each encoding that a request may contain. */
function encodedForms({ scheme, value }: Credential): string[] {
  const password = scheme.type === 'basic' ? value.slice(value.indexOf(':') + 1) : '';
  const base64 = Buffer.from(value).toString('base64');
  return [base64, value, encodeURIComponent(value), password].filter((text) => text !== '');
}

/** The system's keyring. */
export interface Keyring {
  get(account: string): string | undefined;
  set(account: string, credential: string): void;
  delete(account: string): void;
}

// Its default on Linux without Secret Service is the kernel's keyring, which is lost at the next boot.
const options = { linux: { store: 'secret-service' } } as const;

/** The keyring, or undefined if the system has no persistent one. */
export async function openKeyring(): Promise<Keyring | undefined> {
  try {
    const { Entry } = await import('@napi-rs/keyring');
    const entry = (account: string) => new Entry('petctl', account, options);
    // Fails only without a keyring.
    entry('petctl').getPassword();
    return {
      get: (account) => entry(account).getPassword() ?? undefined,
      set: (account, credential) => entry(account).setPassword(credential),
      delete: (account) => void entry(account).deletePassword(),
    };
  } catch {
    return undefined;
  }
}

/** The keyring's account for a credential. */
export function accountOf({ profile, origin }: CredentialScope, { name }: Scheme): string {
  return `${profile} ${origin} ${name}`;
}
