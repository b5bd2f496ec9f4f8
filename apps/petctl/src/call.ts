import {
  type Call,
  type CallOptions,
  type Hooks,
  type Options,
  type PageCall,
  petstore,
} from '@petstore/client';
import { type Operation, operations } from '@petstore/types';
import manifest from '../package.json' with { type: 'json' };
import type { CallFacts } from './explain.ts';
import type { Input } from './input.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';

/** What a call needs besides its input. */
export interface Calling extends CallFacts {
  readonly settings: Settings;
}

/** A method of the client, for an operation that is known at run time only. A list is a `PageCall`. */
type Method = (input: Input, options?: CallOptions) => PageCall<unknown> & Call<unknown>;

/** The client's method for an operation. `changed` replaces options of the client. */
export function methodFor(calling: Calling, session: Session, changed?: Options): Method {
  const { operation, settings, target, key } = calling;
  const client = petstore({
    baseUrl: target.baseUrl,
    apiKey: key.value,
    headers: { 'user-agent': `petctl/${manifest.version}` },
    fetch: session.connections.fetch,
    on: hooksFor(operation, settings, session),
    timeout: settings.timeout,
    // --timeout bounds the wait that the service asks for.
    retry: { limit: settings.retries, cap: Number.POSITIVE_INFINITY },
    ...changed,
  });
  return client[operation.id as keyof typeof operations] as Method;
}

/** What to say of a deprecated operation. */
export function deprecationOf(
  { command, successor }: Operation,
  sunset: string | undefined,
): string {
  const other = Object.values<Operation>(operations).find(({ id }) => id === successor);
  const removal = sunset === undefined ? '' : ` and may be removed from ${sunset} on`;
  const hint = other ? ` Use 'petctl ${other.command.join(' ')}' instead.` : '';
  return `'petctl ${command.join(' ')}' is deprecated${removal}.${hint}`;
}

/** What deprecated commands and --verbose write on stderr. */
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
