import { UsageError } from '../io/errors.ts';
import { isObject, readJsonFile, writeJsonFile } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { credentialName, type Scheme, type Security, schemeNamed } from './schemes.ts';

/** A credential and its origin. For a basic scheme it is `user:password`. */
export interface Credential {
  readonly scheme: Scheme;
  readonly value: string;
  readonly from: string;
}

/** The profile and origin that a credential belongs to. Credentials of one are never used for another. */
export interface Holder {
  readonly env: Io['env'];
  readonly profile: string;
  readonly origin: string;
}

/** The credentials of the first complete combination, if any. */
export async function findCredentials(holder: Holder, security: Security): Promise<readonly Credential[] | undefined> {
  if (security.length === 0) return [];
  for (const names of security) {
    const found = await Promise.all(names.map((name) => findCredential(holder, schemeNamed(name))));
    const complete = found.filter((one) => one !== undefined);
    if (complete.length === names.length) return complete;
  }
  return undefined;
}

/** The credential of a scheme: from the environment, else the stored one. */
export async function findCredential(holder: Holder, scheme: Scheme): Promise<Credential | undefined> {
  const value = holder.env[scheme.variable];
  if (value) return { scheme, value: validCredential(value, scheme, scheme.variable), from: scheme.variable };
  return storedCredential(holder, scheme);
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
async function storedCredential(holder: Holder, scheme: Scheme): Promise<Credential | undefined> {
  const stored = storedFor(holder, scheme);
  if (!stored) return undefined;
  const file = credentialsFile(holder.env);
  if (stored.in === 'file') return { scheme, value: validCredential(stored.value, scheme, file), from: file };
  const value = (await openKeyring())?.get(accountOf(holder, scheme));
  if (value === undefined) throw lockedKeyring(holder, scheme);
  return { scheme, value, from: 'keyring' };
}

export function lockedKeyring({ origin }: Holder, scheme: Scheme): UsageError {
  return new UsageError(
    `The ${credentialName(scheme)} for ${origin} is in the system's keyring, which cannot be opened.`,
    `Unlock it, or set ${scheme.variable}.`,
  );
}

/** How a credential is stored. */
export type Stored = { readonly in: 'file'; readonly value: string } | { readonly in: 'keyring' };

type Entries = Readonly<Record<string, unknown>>;

/** The stored entry of a scheme. */
export function storedFor(holder: Holder, scheme: Scheme): Stored | undefined {
  const entry = entriesOf(holder)[scheme.name];
  if (entry === undefined) return undefined;
  if (isObject(entry) && typeof entry.key === 'string') return { in: 'file', value: entry.key };
  if (isObject(entry) && entry.keyring === true) return { in: 'keyring' };
  throw new UsageError(
    `${credentialsFile(holder.env)}: the entry for ${holder.origin} contains no ${credentialName(scheme)}.`,
    "Remove it, and log in again with 'petctl auth login'.",
  );
}

/** Stores a credential, or removes the stored one. */
export function store(holder: Holder, scheme: Scheme, stored: Stored | undefined): void {
  const { env, profile, origin } = holder;
  const file = credentialsFile(env);
  const { [profile]: before, ...profiles } = readJsonFile(file);
  const { [origin]: _, ...origins } = isObject(before) ? before : {};
  const { [scheme.name]: __, ...schemes } = entriesOf(holder);
  const entry = stored?.in === 'file' ? { key: stored.value } : stored && { keyring: true };
  const entries = { ...schemes, ...(entry && { [scheme.name]: entry }) };
  const remaining = { ...origins, ...(Object.keys(entries).length > 0 && { [origin]: entries }) };
  writeJsonFile(file, { ...profiles, ...(Object.keys(remaining).length > 0 && { [profile]: remaining }) });
}

/** All stored credentials, with profile, origin and place. */
export function allStored(env: Io['env']): { profile: string; origin: string; scheme: string; in: string }[] {
  const profiles = Object.entries(readJsonFile(credentialsFile(env)));
  return profiles.flatMap(([profile, origins]) =>
    Object.entries(isObject(origins) ? origins : {}).flatMap(([origin, entries]) =>
      Object.entries(isObject(entries) ? entries : {}).map(([scheme, entry]) => {
        const place = isObject(entry) && entry.keyring === true ? 'keyring' : 'file';
        return { profile, origin, scheme, in: place };
      }),
    ),
  );
}

/** The stored entries of an origin, by scheme. */
function entriesOf({ env, profile, origin }: Holder): Entries {
  const origins = readJsonFile(credentialsFile(env))[profile];
  const entries = isObject(origins) ? origins[origin] : undefined;
  return isObject(entries) ? entries : {};
}

/** There is no credential for the target of the request. */
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
  const secrets = credentials.flatMap(writtenForms);
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
}

/** The forms in which a request may contain the credential. */
function writtenForms({ scheme, value }: Credential): string[] {
  const password = scheme.type === 'basic' ? value.slice(value.indexOf(':') + 1) : '';
  const base64 = Buffer.from(value).toString('base64');
  return [base64, value, encodeURIComponent(value), password].filter((text) => text !== '');
}

/** The system's keyring. Its package is optional. */
export interface Keyring {
  get(account: string): string | undefined;
  set(account: string, credential: string): void;
  delete(account: string): void;
}

// Without Secret Service the package would use the kernel's keyring, which is lost at the next boot.
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
export function accountOf(
  { profile, origin }: { readonly profile: string; readonly origin: string },
  { name }: Scheme,
): string {
  return `${profile} ${origin} ${name}`;
}
