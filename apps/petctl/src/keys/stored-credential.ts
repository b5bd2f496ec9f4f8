import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';
import { credentialsFile } from '../settings/places.ts';
import { storedFor } from './credentials.ts';
import { type Credential, usable } from './find-credentials.ts';
import { credentialName, type Scheme } from './schemes.ts';

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
