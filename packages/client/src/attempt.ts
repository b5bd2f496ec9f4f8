import { parseExact } from '@petstore/types';
import { addressWithin } from './addresses.ts';
import type { Success } from './call.ts';
import type { Deadline } from './deadline.ts';
import { ConnectionError, errorClassOf, UnexpectedResponseError } from './errors.ts';
import { basePath } from './gen/calls.gen.ts';
import { notify } from './hooks.ts';
import { isNetworkError, nameOf, reasonOf } from './network-error.ts';
import type { Operation, PreparedRequest } from './request.ts';
import { authorizationOf, type Settings } from './settings.ts';

/** Sends a request once, and reads the response. */
export async function attemptOnce(
  operation: Operation,
  request: PreparedRequest,
  deadline: Deadline,
): Promise<Success<unknown>> {
  const { signal } = deadline;
  const { apiKey } = operation.settings;
  signal.throwIfAborted();
  // The settings have the header of a key that is no function.
  const authorization = typeof apiKey === 'function' ? authorizationOf(await apiKey()) : {};
  const headers = { ...request.headers, ...authorization };
  // The call may have ended while the function got the key.
  signal.throwIfAborted();
  deadline.attempts++;
  const { response, url } = await send(operation, { ...request, headers }, deadline);
  const wasRead = response.bodyUsed;
  const text = await overNetwork(operation.settings, wasRead, () => response.text());
  return { data: dataOf(operation, request, response, text), response, url };
}

const MAX_REDIRECTS = 5;

/** Sends a request, and follows redirects of reads within the origin. */
async function send(
  operation: Operation,
  { url: first, headers, body }: PreparedRequest,
  { signal, attempts: attempt }: Deadline,
): Promise<{ response: Response; url: string }> {
  const { id, wire, settings } = operation;
  const { method } = wire;
  const { on } = settings;
  let url = first;
  for (let redirects = 0; ; redirects++) {
    // An event is made only for a hook, because it costs time.
    if (on.request) {
      const shown = { ...headers, authorization: '***' };
      notify(on.request, { operation: id, attempt, method, url, headers: shown });
    }
    const started = performance.now();
    const init: RequestInit = { method, headers, body, redirect: 'manual', signal };
    const response = await overNetwork(settings, settings.fetch !== undefined, () =>
      (settings.fetch ?? fetch)(url, init),
    );
    if (on.response) {
      const milliseconds = performance.now() - started;
      const { status, headers: received } = response;
      notify(on.response, { operation: id, attempt, status, headers: received, milliseconds });
    }
    const target = redirects < MAX_REDIRECTS ? redirectTarget(method, url, response) : undefined;
    if (target === undefined) return { response, url };
    await response.body?.cancel();
    url = target;
  }
}

/** The address of a redirect that is followed: of a read, and within the origin. */
function redirectTarget(method: string, url: string, response: Response): string | undefined {
  const { status, headers } = response;
  const location = headers.get('location');
  if (method !== 'GET' || status < 300 || status >= 400 || !location) return undefined;
  return addressWithin(url, location);
}

/**
 * The result of code that uses the network, whose failure becomes a `ConnectionError`. Only code of
 * the caller can throw a `TypeError` for a mistake.
 */
async function overNetwork<T>(
  settings: Settings,
  isCodeOfCaller: boolean,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const isFailure = !isCodeOfCaller && nameOf(cause) === 'TypeError';
    if (!isFailure && !isNetworkError(cause)) throw cause;
    const reason = `connection to ${settings.baseUrl} failed (${reasonOf(cause)})`;
    throw new ConnectionError(`${reason}; check baseUrl or PETSTORE_BASE_URL`, { cause });
  }
}

/** The data of a success. Throws the error for any other response. */
function dataOf(
  operation: Operation,
  request: PreparedRequest,
  response: Response,
  text: string,
): unknown {
  const { id, wire } = operation;
  const { status } = response;
  const { successes = [200] } = wire;
  // The caller asked whether the result has changed, and it has not.
  if (status === 304 && request.headers['if-none-match'] !== undefined) return undefined;
  if (status >= 400) {
    const ErrorClass = errorClassOf(status);
    throw new ErrorClass(response, text, undefined, addressHint(operation, status));
  }
  const fail = (problem: unknown) =>
    new UnexpectedResponseError(response, text, `${id}: ${problem}`);
  if (!successes.includes(status)) throw fail(problemOf(response));
  let data: unknown;
  try {
    if (!wire.empty?.includes(status)) data = parseExact(text);
  } catch (error) {
    throw fail(error);
  }
  if (wire.pagination && !Array.isArray(data)) throw fail('no list');
  return successes.length === 1 ? data : { status, data };
}

/** A 404 of any path is often due to an address without the version segment. */
function addressHint({ settings }: Operation, status: number): string {
  const isComplete = settings.baseUrl.endsWith(basePath);
  return status === 404 && !isComplete ? ` (baseUrl does not end in ${basePath})` : '';
}

function problemOf({ status, headers }: Response): string {
  // A browser hides a redirect behind the status 0.
  const location = headers.get('location') ?? (status === 0 && 'elsewhere');
  return location ? `the redirect to ${location} is not followed` : `unexpected status ${status}`;
}
