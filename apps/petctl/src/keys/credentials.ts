import { UsageError } from '../io/errors.ts';
import { isObject, readJsonFile, writeJsonFile } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { credentialName, type Scheme, type Security, schemeNamed } from './schemes.ts';

/** A credential, and where it comes from. That of a basic scheme is `user:password`. */
export interface Credential {
  readonly scheme: Scheme;
  readonly value: string;
  readonly from: string;
}

/** Whose credentials they are: those of one profile for one origin are never looked up for another. */
export interface Holder {
  readonly env: Io['env'];
  readonly profile: string;
  readonly origin: string;
}

/** The credentials of the first combination of which all are there; nothing where none is complete. */
export async function findCredentials(holder: Holder, security: Security): Promise<readonly Credential[] | undefined> {
  if (security.length === 0) return [];
  for (const names of security) {
    const found = await Promise.all(names.map((name) => findCredential(holder, schemeNamed(name))));
    const complete = found.filter((one) => one !== undefined);
    if (complete.length === names.length) return complete;
  }
  return undefined;
}

/** The credential of a scheme: from the environment, else the one that is stored. */
export async function findCredential(holder: Holder, scheme: Scheme): Promise<Credential | undefined> {
  const value = holder.env[scheme.variable];
  if (value) return { scheme, value: usable(value, scheme, scheme.variable), from: scheme.variable };
  return storedCredential(holder, scheme);
}

/** A credential that can be sent. */
export function usable(value: string, scheme: Scheme, from: string): string {
  if (scheme.type === 'basic') {
    if (/^[^:\p{Cc}]*:\P{Cc}*$/u.test(value)) return value;
    throw new UsageError(`${from} holds no user name and password: write user:password.`);
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(
    `${from} holds what no ${credentialName(scheme)} can be: it must be visible ASCII without spaces.`,
  );
}

/** The credential that is stored, in the file or in the keyring. */
async function storedCredential(holder: Holder, scheme: Scheme): Promise<Credential | undefined> {
  const stored = storedFor(holder, scheme);
  if (!stored) return undefined;
  const file = credentialsFile(holder.env);
  if (stored.in === 'file') return { scheme, value: usable(stored.value, scheme, file), from: file };
  const { accountOf, openKeyring } = await import('./keyring.ts');
  const value = (await openKeyring())?.get(accountOf(holder, scheme));
  if (value === undefined) throw closedKeyring(holder, scheme);
  return { scheme, value, from: 'keyring' };
}

export function closedKeyring({ origin }: Holder, scheme: Scheme): UsageError {
  return new UsageError(
    `The ${credentialName(scheme)} for ${origin} is in the keyring of the system, which cannot be opened.`,
    `Unlock it, or set ${scheme.variable}.`,
  );
}

/** Where a credential is stored. */
export type Stored = { readonly in: 'file'; readonly value: string } | { readonly in: 'keyring' };

type Entries = Readonly<Record<string, unknown>>;

/** What is stored for a scheme. */
export function storedFor(holder: Holder, scheme: Scheme): Stored | undefined {
  const entry = entriesOf(holder)[scheme.name];
  if (entry === undefined) return undefined;
  if (isObject(entry) && typeof entry.key === 'string') return { in: 'file', value: entry.key };
  if (isObject(entry) && entry.keyring === true) return { in: 'keyring' };
  throw new UsageError(
    `${credentialsFile(holder.env)}: the entry for ${holder.origin} holds no ${credentialName(scheme)}.`,
    "Take it out, and log in again with 'petctl auth login'.",
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
  const kept = { ...origins, ...(Object.keys(entries).length > 0 && { [origin]: entries }) };
  writeJsonFile(file, { ...profiles, ...(Object.keys(kept).length > 0 && { [profile]: kept }) });
}

/** All that is stored, one line for each: for whom, and where. */
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

/** What is stored for an origin, by the names of the schemes. */
function entriesOf({ env, profile, origin }: Holder): Entries {
  const origins = readJsonFile(credentialsFile(env))[profile];
  const entries = isObject(origins) ? origins[origin] : undefined;
  return isObject(entries) ? entries : {};
}

/** There is no credential for where the request would go. */
export class NoCredentialError extends Error {
  override readonly name = 'NoCredentialError';
  /** The combinations of schemes of which one is needed. */
  readonly needed: readonly (readonly Scheme[])[];

  constructor(origin: string, needed: readonly (readonly Scheme[])[]) {
    const [only = [], ...others] = needed;
    const names = needed.map((all) => all.map(credentialName).join(' and '));
    super(
      others.length === 0 && only.length === 1
        ? `There is no ${names[0]} for ${origin}.`
        : `There are not all credentials for ${origin}: it takes ${names.join(', or ')}.`,
    );
    this.needed = needed;
  }
}

/** Takes credentials out of a text: a service may say them again. */
export function redactor(credentials: readonly Credential[]): (text: string) => string {
  const secrets = credentials.flatMap(writtenForms);
  return (line) => secrets.reduce((text, secret) => text.replaceAll(secret, '***'), line);
}

/** The credential as a request may carry it. */
function writtenForms({ scheme, value }: Credential): string[] {
  const password = scheme.type === 'basic' ? value.slice(value.indexOf(':') + 1) : '';
  const base64 = Buffer.from(value).toString('base64');
  return [base64, value, encodeURIComponent(value), password].filter((text) => text !== '');
}
