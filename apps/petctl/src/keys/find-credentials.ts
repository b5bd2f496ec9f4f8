import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';
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
  const { storedCredential } = await import('./stored-credential.ts');
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
