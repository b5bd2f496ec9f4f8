import {
  type Call,
  type CallOptions,
  type Hooks,
  type Options,
  type PageCall,
  petstore,
} from '@petstore/client';
import { type Operation, operations } from '@petstore/types';
import manifest from '../../package.json' with { type: 'json' };
import type { InputValues } from '../input.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import type { Key } from './credentials.ts';

/** What a call of an operation needs besides its input. */
export interface CallSetup {
  readonly operation: Operation;
  readonly settings: Settings;
  readonly key: Key;
}

/**
 * A method of the client, for an operation that is known at run time only. A list is a `PageCall`.
 */
export type Method = (
  input: InputValues,
  options?: CallOptions,
) => PageCall<unknown> & Call<unknown>;

/** The client's method for an operation. */
export function methodFor(
  { operation, settings, key }: CallSetup,
  session: Session,
  fetch: Options['fetch'] = session.connections.fetch,
): Method {
  const client = petstore({
    baseUrl: settings.target.baseUrl,
    apiKey: key.value,
    headers: { 'user-agent': `petctl/${manifest.version}` },
    fetch,
    on: hooksFor(operation, settings, session),
    timeout: settings.timeout,
    // --timeout bounds the wait that the service asks for.
    retry: { limit: settings.retries, cap: Number.POSITIVE_INFINITY },
  });
  return client[operation.id as keyof typeof operations] as Method;
}

/** The notice for a deprecated operation. */
export function deprecationOf(
  { command, successor }: Operation,
  sunset: string | undefined,
): string {
  const other = Object.values<Operation>(operations).find(({ id }) => id === successor);
  const removal = sunset === undefined ? '' : ` and will be removed on ${sunset}`;
  const hint = other ? ` Use 'petctl ${other.command.join(' ')}' instead.` : '';
  return `'petctl ${command.join(' ')}' is deprecated${removal}.${hint}`;
}

/** The hooks that write to stderr: the notice of a deprecated operation, and lines of --verbose. */
function hooksFor(operation: Operation, settings: Settings, { reporter }: Session): Hooks {
  const deprecated: Hooks['deprecated'] = ({ sunset }) =>
    reporter.notice(deprecationOf(operation, sunset));
  if (!settings.isVerbose) return { deprecated };
  return {
    deprecated,
    request: ({ method, url }) => reporter.trace(`> ${method} ${url}`),
    response: ({ status, headers, milliseconds }) => {
      const id = headers.get('x-request-id');
      reporter.trace(`< ${status} in ${Math.round(milliseconds)} ms, request ${id}`);
    },
    retry: ({ error, attempt, delay }) =>
      reporter.trace(`! ${error.name}; attempt ${attempt + 1} in ${Math.round(delay)} ms`),
  };
}
