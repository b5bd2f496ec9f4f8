import type { Options, UserAndPassword } from '@petstore/client';
import { type Operation, service } from '@petstore/types';
import { NoCredentialError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { type Credential, findCredentials } from '../keys/find-credentials.ts';
import { schemeNamed } from '../keys/schemes.ts';
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
export async function credentialsFor(invocation: Invocation, called: Called): Promise<readonly Credential[]> {
  const { security } = called;
  const address = addressOf(invocation, called);
  const found = await findCredentials(invocation.io, address, security);
  if (found) return found;
  const needed = security.map((names) => names.map(schemeNamed));
  throw new NoCredentialError(new URL(address).origin, needed);
}

/** What of an operation decides where it is called, and with which credentials. */
export type Called = Pick<Operation, 'security' | 'server'>;

/** Where an operation is called: the client takes its own server, unless the base address is none that the spec names. */
export function addressOf({ settings }: Invocation, { server }: Called): string {
  const { value: baseUrl } = settings.baseUrl;
  const bare = (url: string) => new URL(url, baseUrl).href.replace(/\/+$/, '');
  if (server === undefined) return baseUrl;
  const named = Object.values<string>(service.deployments).filter((url) => URL.canParse(url));
  const isNamed = named.length === 0 || named.some((url) => bare(url) === bare(baseUrl));
  return isNamed ? bare(server) : baseUrl;
}

/** What the client takes. */
function clientValue({ scheme, value }: Credential): string | UserAndPassword {
  if (scheme.type !== 'basic') return value;
  const [, username = '', password = ''] = /^([^:]*):(.*)$/s.exec(value) ?? [];
  return { username, password };
}
