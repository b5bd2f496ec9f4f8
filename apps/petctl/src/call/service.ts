import type { Options, UserAndPassword } from '@petstore/client';
import { NoCredentialError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { type Credential, findCredentials } from '../keys/find-credentials.ts';
import { type Security, schemeNamed } from '../keys/schemes.ts';
import { settings } from '../settings/settings.ts';
import { version } from '../version.ts';
import { listener } from './deprecation.ts';
import { proxyOf } from './transport.ts';

/** What a command needs to know to call the service. */
export interface Service {
  readonly options: Options;
  /** Where requests go. */
  readonly baseUrl: string;
  /** Tells what was held back until it was clear how the call ended. */
  readonly tellDeprecation: () => Promise<void>;
}

/** Where and how to call, from the settings, with the credentials for that place. */
export async function serviceFor(invocation: Invocation, credentials: readonly Credential[]): Promise<Service> {
  const { settings: resolved, io, flags } = invocation;
  const baseUrl = resolved.baseUrl.value;
  // A proxy that cannot be used is found before anything is sent.
  await proxyOf(new URL(baseUrl), io.env);
  const deprecation = listener(invocation);
  const verbosity = Number(flags.get('verbose') ?? 0);
  const trace = verbosity > 0 ? (await import('./trace.ts')).trace(io.stderr, credentials, verbosity) : undefined;
  const options: Options = {
    // The client would otherwise look for a key in its own variable.
    apiKey: '',
    credentials: Object.fromEntries(credentials.map((one) => [one.scheme.name, clientValue(one)])),
    baseUrl,
    transport: trace ? trace.transport(invocation.transport) : invocation.transport,
    timeout: resolved.of(settings.timeout).value,
    retry: resolved.of(settings.retries).value,
    headers: { 'user-agent': `petctl/${version}` },
    on: { deprecated: deprecation.hear, ...(trace && { retry: trace.retry }) },
  };
  return { options, baseUrl, tellDeprecation: deprecation.tell };
}

/** The credentials of the first combination of which all are there. Throws where none is complete. */
export async function credentialsFor({ settings, io }: Invocation, security: Security): Promise<readonly Credential[]> {
  const baseUrl = settings.baseUrl.value;
  const found = await findCredentials(io, baseUrl, security);
  if (found) return found;
  const needed = security.map((names) => names.map(schemeNamed));
  throw new NoCredentialError(new URL(baseUrl).origin, needed);
}

/** What the client takes. */
function clientValue({ scheme, value }: Credential): string | UserAndPassword {
  if (scheme.type !== 'basic') return value;
  const [, username = '', password = ''] = /^([^:]*):(.*)$/s.exec(value) ?? [];
  return { username, password };
}
