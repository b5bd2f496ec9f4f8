import { type Hooks, type Options, petstore } from '@petstore/client';
import { type Operation, operations } from '@petstore/types';
import manifest from '../package.json' with { type: 'json' };
import { type CallFacts, explained } from './explain.ts';
import type { Input } from './input.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';

/** What a call needs besides its input. */
export interface Calling extends CallFacts {
  readonly settings: Settings;
}

/** Calls an operation. Throws a `CliError` that says what to do. */
export type Call = (
  input: Input,
  options?: { idempotencyKey?: string | undefined },
) => Promise<{ data: unknown; response: Response }>;

/** A method of the client, for an operation that is known at run time only. */
type Method = (
  input: object,
  options?: Parameters<Call>[1],
) => { withResponse(): ReturnType<Call> };

/** A function that calls an operation. `changed` replaces options of the client. */
export function callerFor(calling: Calling, session: Session, changed?: Options): Call {
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
  const method = client[operation.id as keyof typeof operations] as Method;
  return async (input, options) => {
    try {
      return await method(input, options).withResponse();
    } catch (error) {
      throw explained(error, calling);
    }
  };
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
