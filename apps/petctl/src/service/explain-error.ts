import { ConnectionError, ResponseError, TimeoutError } from '@petstore/client';
import { service } from '@petstore/types';
import { CliError, type ErrorKind } from '../errors.ts';
import { codeOf } from '../text.ts';
import type { CallSetup } from './client.ts';
import { enteredKey } from './credentials.ts';

/**
 * Turns an error of the client into a `CliError`, with an exit code and a hint what to do. Any other
 * error stays as it is.
 */
export function explainError(error: unknown, setup: CallSetup): unknown {
  if (error instanceof ResponseError) return explainResponseError(error, setup);
  if (error instanceof TimeoutError) {
    const message = 'The call took longer than --timeout.';
    return new CliError('unreachable', message, 'Use a longer --timeout.', { code: 'timeout' });
  }
  if (error instanceof ConnectionError) return explainConnectionError(error, setup);
  return error;
}

/** The codes of certificates that Node does not trust. */
const untrusted = ['SELF_SIGNED', 'UNABLE_TO_VERIFY', 'UNABLE_TO_GET_ISSUER'];

function explainConnectionError(error: ConnectionError, { settings }: CallSetup): CliError {
  const cause = systemErrorOf(error);
  if (cause instanceof CliError) return cause;
  const code = codeOf(cause);
  const hint = untrusted.some((part) => code.includes(part))
    ? "To trust the service's certificate, set NODE_EXTRA_CA_CERTS to a file with the issuer's certificate."
    : 'Check the service, --base-url and the proxy, if there is one.';
  const { origin } = new URL(settings.target.baseUrl);
  return new CliError('unreachable', `The connection to ${origin} failed (${code}).`, hint);
}

/** The innermost cause: the client and `fetch` each wrap the system's error. */
function systemErrorOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? systemErrorOf(error.cause) : error;
}

function explainResponseError(error: ResponseError, setup: CallSetup): CliError {
  const { status, code, requestId } = error;
  const kind = kindOf(status);
  const details = { status, code, requestId };
  const location = redirectLocation(error);
  if (location !== null) {
    const message = `The service redirects to ${location}.`;
    return new CliError(kind, message, 'Change --base-url to match this address.', details);
  }
  if (isWrongAddress(error, setup)) {
    const message = `There is no ${service.title} at ${setup.settings.target.baseUrl}.`;
    return new CliError('rejected', message, addressHint(setup), details);
  }
  return new CliError(kind, error.message, hintFor(kind, setup), details);
}

function redirectLocation({ status, headers }: ResponseError): string | null {
  return status >= 300 && status < 400 ? headers.get('location') : null;
}

/** Whether a response means that the base URL is wrong, and not that a resource is missing. */
function isWrongAddress(
  { status, code }: ResponseError,
  { operation, settings }: CallSetup,
): boolean {
  if (status !== 404 && status !== 405) return false;
  const isDeclared = operation.responses[status] !== undefined;
  return code === undefined || !isDeclared || !settings.target.baseUrl.endsWith(service.basePath);
}

function addressHint({ settings }: CallSetup): string {
  return settings.target.baseUrl.endsWith(service.basePath)
    ? 'Check --base-url; -v shows the request.'
    : `The base URL should end with ${service.basePath}.`;
}

const hints: Partial<Record<ErrorKind, string>> = {
  not_found: 'Check the identifier and --base-url.',
  rate_limited: 'Send fewer requests, or wait with a longer --timeout and more --retries.',
  failed: 'Retry later; -v shows the request.',
};

function hintFor(kind: ErrorKind, { key }: CallSetup): string | undefined {
  if (kind !== 'unauthorized') return hints[kind];
  if (key.from === 'PETCTL_API_KEY') return 'Correct PETCTL_API_KEY.';
  if (key.from === enteredKey) return 'Log in with another key.';
  return `The key is from ${key.from}; 'petctl auth login' stores another key.`;
}

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 300 && status < 500 ? 'rejected' : 'failed';
}
