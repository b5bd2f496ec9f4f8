import type { Options } from '@petstore/client';
import { NoKeyError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { findKey } from '../keys/find-key.ts';
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

/** What a request carries that is never sent. */
const placeholderKey = '$PETCTL_API_KEY';

/** Where and how to call, from the settings and with the key for that place unless one is given. `needsKey` is what the spec says. */
export async function serviceFor(
  invocation: Invocation,
  { needsKey = true, key: given }: { needsKey?: boolean; key?: string } = {},
): Promise<Service> {
  const { settings: resolved, io, flags } = invocation;
  const baseUrl = resolved.baseUrl.value;
  const key = given ?? (needsKey ? (await findKey(io, baseUrl))?.key : placeholderKey);
  if (key === undefined) throw new NoKeyError(new URL(baseUrl).origin);
  // A proxy that cannot be used is found before anything is sent.
  await proxyOf(new URL(baseUrl), io.env);
  const deprecation = listener(invocation);
  const verbosity = Number(flags.get('verbose') ?? 0);
  const trace = verbosity > 0 ? (await import('./trace.ts')).trace(io.stderr, key, verbosity) : undefined;
  const options: Options = {
    apiKey: key,
    baseUrl,
    transport: trace ? trace.transport(invocation.transport) : invocation.transport,
    timeout: resolved.of(settings.timeout).value,
    retry: resolved.of(settings.retries).value,
    headers: { 'user-agent': `petctl/${version}` },
    on: { deprecated: deprecation.hear, ...(trace && { retry: trace.retry }) },
  };
  return { options, baseUrl, tellDeprecation: deprecation.tell };
}
