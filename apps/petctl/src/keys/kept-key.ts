import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';
import { credentialsFile } from '../settings/places.ts';
import { keptFor } from './credentials.ts';
import { type FoundKey, keyVariable, usable } from './find-key.ts';

/** The key that is kept for an origin, in the file or in the keyring. */
export async function keptKey(env: Io['env'], origin: string): Promise<FoundKey | undefined> {
  const kept = keptFor(env, origin);
  if (kept?.in === 'file') return { key: usable(kept.key, credentialsFile(env)), from: credentialsFile(env) };
  if (!kept) return undefined;
  const { openKeyring } = await import('./keyring.ts');
  const key = (await openKeyring())?.get(origin);
  if (key === undefined)
    throw new UsageError(
      `The key for ${origin} is in the keyring of the system, which cannot be opened.`,
      `Unlock it, or set ${keyVariable}.`,
    );
  return { key, from: 'keyring' };
}
