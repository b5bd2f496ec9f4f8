import { UsageError } from '../errors/errors.ts';
import { isObject, readJsonFile } from '../settings/json-file.ts';
import { credentialsFile } from '../settings/places.ts';
import { writeJsonFile } from '../settings/write-json-file.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where the key of an origin is kept. */
export type Kept = { readonly in: 'file'; readonly key: string } | { readonly in: 'keyring' };

/** What is kept for an origin. A key belongs to one origin and is never looked up for another. */
export function keptFor(env: Environment, origin: string): Kept | undefined {
  const entry = readJsonFile(credentialsFile(env))[origin];
  if (entry === undefined) return undefined;
  if (isObject(entry) && typeof entry.key === 'string') return { in: 'file', key: entry.key };
  if (isObject(entry) && entry.keyring === true) return { in: 'keyring' };
  throw new UsageError(
    `${credentialsFile(env)}: what stands there for ${origin} is no key.`,
    "Take it out, and log in again with 'petctl auth login'.",
  );
}

/** Keeps something for an origin, or forgets what was kept. */
export function keep(env: Environment, origin: string, kept: Kept | undefined): void {
  const file = credentialsFile(env);
  const { [origin]: _, ...others } = readJsonFile(file);
  const entry = kept?.in === 'file' ? { key: kept.key } : { keyring: true };
  writeJsonFile(file, kept ? { ...others, [origin]: entry } : others);
}
