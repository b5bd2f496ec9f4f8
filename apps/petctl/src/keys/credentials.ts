import { UsageError } from '../errors/errors.ts';
import { isObject, readJsonFile } from '../settings/json-file.ts';
import { credentialsFile } from '../settings/places.ts';
import { writeJsonFile } from '../settings/write-json-file.ts';
import { credentialName, type Scheme } from './schemes.ts';

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
