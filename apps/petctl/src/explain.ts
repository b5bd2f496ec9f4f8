import { ConnectionError, ResponseError, TimeoutError } from '@petstore/client';
import { type Operation, service } from '@petstore/types';
import type { Key } from './credentials.ts';
import { CliError, type ErrorKind } from './errors.ts';
import type { Target } from './target.ts';
import { codeOf } from './text.ts';

/** What an error says about its call. */
export interface CallFacts {
  readonly operation: Operation;
  readonly target: Target;
  readonly key: Key;
}

/** The error of a call with its exit code and what to do. An error of ours stays as it is. */
export function explained(error: unknown, facts: CallFacts): unknown {
  if (error instanceof ResponseError) return explainedResponse(error, facts);
  if (error instanceof TimeoutError)
    return new CliError(
      'unreachable',
      'The call took longer than --timeout.',
      'Use a longer one.',
      { code: 'timeout' },
    );
  if (error instanceof ConnectionError) return explainedConnection(error, facts);
  return error;
}

/** The codes of certificates that Node does not trust. */
const untrusted = ['SELF_SIGNED', 'UNABLE_TO_VERIFY', 'UNABLE_TO_GET_ISSUER'];

function explainedConnection(error: ConnectionError, { target }: CallFacts): CliError {
  const cause = systemErrorOf(error);
  if (cause instanceof CliError) return cause;
  const code = codeOf(cause);
  const hint = untrusted.some((part) => code.includes(part))
    ? 'To trust its certificate, set NODE_EXTRA_CA_CERTS to a file with that of its issuer.'
    : 'Check the service, --base-url and the proxy, if there is one.';
  const { origin } = new URL(target.baseUrl);
  return new CliError('unreachable', `The connection to ${origin} failed (${code}).`, hint);
}

/** The innermost cause: the client and `fetch` each wrap the system's error. */
function systemErrorOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? systemErrorOf(error.cause) : error;
}

function explainedResponse(error: ResponseError, facts: CallFacts): CliError {
  const { status, code, requestId, headers, message } = error;
  const kind = kindOf(status);
  const details = { status, code, requestId };
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  if (location !== null)
    return new CliError(
      kind,
      `The service redirects to ${location}.`,
      'Change --base-url to match this.',
      details,
    );
  if (isWrongAddress(error, facts))
    return new CliError(
      status === 404 ? 'rejected' : kind,
      `There is no ${service.title} at ${facts.target.baseUrl}.`,
      addressHint(facts),
      details,
    );
  return new CliError(kind, message, hintFor(kind, facts), details);
}

/** Whether a response shows that the service is not at the base URL, and not that a resource is missing. */
function isWrongAddress(
  { status, code }: ResponseError,
  { operation, target }: CallFacts,
): boolean {
  if (status !== 404 && status !== 405) return false;
  const isDeclared = operation.responses[status] !== undefined;
  return code === undefined || !isDeclared || !target.baseUrl.endsWith(service.basePath);
}

function addressHint({ target }: CallFacts): string {
  return target.baseUrl.endsWith(service.basePath)
    ? 'Check --base-url; -v shows the request.'
    : `The base URL should end with ${service.basePath}.`;
}

const hints: Partial<Record<ErrorKind, string>> = {
  not_found: 'Check the identifier and --base-url.',
  rate_limited: 'Send fewer requests, or wait with a longer --timeout and more --retries.',
  failed: 'Retry later; -v shows the request.',
};

function hintFor(kind: ErrorKind, { key }: CallFacts): string | undefined {
  if (kind !== 'unauthorized') return hints[kind];
  if (key.from === 'PETCTL_API_KEY') return 'Correct PETCTL_API_KEY.';
  if (key.from === enteredKey) return 'Log in with another one.';
  return `The key is from ${key.from}; 'petctl auth login' stores another.`;
}

/** Where a key is from that a login tries. */
export const enteredKey = 'the login';

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 300 && status < 500 ? 'rejected' : 'failed';
}
