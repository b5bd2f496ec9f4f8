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

/** The credentials of the first combination of which all are there; nothing where none is complete. */
export async function findCredentials(
  io: Io,
  baseUrl: string,
  security: Security,
): Promise<readonly Credential[] | undefined> {
  if (security.length === 0) return [];
  for (const names of security) {
    const found = await Promise.all(names.map((name) => findCredential(io, baseUrl, schemeNamed(name))));
    const complete = found.filter((one) => one !== undefined);
    if (complete.length === names.length) return complete;
  }
  return undefined;
}

/** The credential of a scheme for an address: from the environment, else the one that is stored for this very origin. */
export async function findCredential({ env }: Io, baseUrl: string, scheme: Scheme): Promise<Credential | undefined> {
  const value = env[scheme.variable];
  if (value) return { scheme, value: usable(value, scheme, scheme.variable), from: scheme.variable };
  return storedCredential(env, new URL(baseUrl).origin, scheme);
}

/** A credential that can be sent. */
export function usable(value: string, scheme: Scheme, from: string): string {
  if (scheme.type === 'basic') {
    if (/^[^:\p{Cc}]*:\P{Cc}*$/u.test(value)) return value;
    throw new UsageError(`${from} holds no user name and password: write user:password.`);
  }
  if (/^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError(
    `${from} holds what no ${credentialName(scheme)} can be: it has to be visible ASCII without spaces.`,
  );
}

/** The credential that is stored for an origin, in the file or in the keyring. */
export async function storedCredential(
  env: Io['env'],
  origin: string,
  scheme: Scheme,
): Promise<Credential | undefined> {
  const stored = storedFor(env, origin, scheme);
  if (!stored) return undefined;
  const file = credentialsFile(env);
  if (stored.in === 'file') return { scheme, value: usable(stored.value, scheme, file), from: file };
  const { accountOf, openKeyring } = await import('./keyring.ts');
  const value = (await openKeyring())?.get(accountOf(origin, scheme));
  if (value === undefined)
    throw new UsageError(
      `The ${credentialName(scheme)} for ${origin} is in the keyring of the system, which cannot be opened.`,
      `Unlock it, or set ${scheme.variable}.`,
    );
  return { scheme, value, from: 'keyring' };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the credential of an origin is stored. */
export type Stored = { readonly in: 'file'; readonly value: string } | { readonly in: 'keyring' };

/** What is stored for an origin. A credential belongs to one origin and is never looked up for another. */
export function storedFor(env: Environment, origin: string, scheme: Scheme): Stored | undefined {
  const { key, others } = entriesOf(env, origin);
  const entry = scheme.isKey ? key : others[scheme.name];
  if (entry === undefined) return undefined;
  if (isObject(entry) && typeof entry.key === 'string') return { in: 'file', value: entry.key };
  if (isObject(entry) && entry.keyring === true) return { in: 'keyring' };
  throw new UsageError(
    `${credentialsFile(env)}: the entry for ${origin} holds no ${credentialName(scheme)}.`,
    "Take it out, and log in again with 'petctl auth login'.",
  );
}

/** Stores a credential for an origin, or removes the stored one. */
export function store(env: Environment, origin: string, scheme: Scheme, stored: Stored | undefined): void {
  const file = credentialsFile(env);
  const { [origin]: _, ...origins } = readJsonFile(file);
  const entry = stored?.in === 'file' ? { key: stored.value } : stored && { keyring: true };
  const { key, others } = entriesOf(env, origin);
  const { [scheme.name]: before, ...rest } = others;
  const schemes = scheme.isKey ? others : { ...rest, ...(entry && { [scheme.name]: entry }) };
  const next = {
    ...(scheme.isKey ? entry : isObject(key) && key),
    ...(Object.keys(schemes).length > 0 && { schemes }),
  };
  writeJsonFile(file, Object.keys(next).length > 0 ? { ...origins, [origin]: next } : origins);
}

/** The entries of an origin: that of the API key, and those of the other schemes by name. */
function entriesOf(env: Environment, origin: string): { key: unknown; others: Record<string, unknown> } {
  const entry = readJsonFile(credentialsFile(env))[origin];
  if (!isObject(entry)) return { key: entry, others: {} };
  const { schemes, ...key } = entry;
  const isOnlyOthers = isObject(schemes) && Object.keys(key).length === 0;
  return { key: isOnlyOthers ? undefined : key, others: isObject(schemes) ? schemes : {} };
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
