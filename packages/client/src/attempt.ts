import { parseExact } from '@petstore/types';
import type { Success } from './call.ts';
import type { Deadline } from './deadline.ts';
import { ConnectionError, errorClassOf, UnexpectedResponseError } from './errors.ts';
import { basePath } from './gen/calls.gen.ts';
import { addressWithin } from './links.ts';
import { isNetworkError, nameOf, reasonOf } from './network-error.ts';
import { notify } from './options.ts';
import type { BoundOperation, PreparedRequest } from './request.ts';
import { checkedKey, type Settings } from './settings.ts';

/** Sends a request once, and reads the response. */
export async function attemptOnce(
  operation: BoundOperation,
  request: PreparedRequest,
  deadline: Deadline,
): Promise<Success<unknown>> {
  const { signal } = deadline;
  const { settings } = operation;
  const { apiKey } = settings;
  signal.throwIfAborted();
  const key = typeof apiKey === 'function' ? checkedKey(await apiKey()) : apiKey;
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  // The call may have ended while `apiKey` was running.
  signal.throwIfAborted();
  deadline.attempts++;
  const { response, url } = await send(operation, { ...request, headers }, deadline);
  // A used body means that the caller's `fetch` has read it. Reading it again throws a `TypeError`,
  // which is then the caller's mistake, and not a failure of the network.
  const mayBeMistake = response.bodyUsed;
  const text = await throughNetwork(settings, mayBeMistake, () => response.text());
  return { data: dataOf(operation, request, response, text), response, url };
}

const MAX_REDIRECTS = 5;

/** Sends a request, and follows redirects of reads within the origin. */
async function send(
  operation: BoundOperation,
  request: PreparedRequest,
  deadline: Deadline,
): Promise<{ response: Response; url: string }> {
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    const response = await sendOnce(operation, url, request, deadline);
    const next = addressToFollow(operation.wire.method, url, response);
    if (next === undefined || redirects === MAX_REDIRECTS) return { response, url };
    await response.body?.cancel();
    url = next;
  }
}

/** Sends one request, and runs the hooks for it. */
async function sendOnce(
  { id, wire, settings }: BoundOperation,
  url: string,
  { headers, body }: PreparedRequest,
  { signal, attempts: attempt }: Deadline,
): Promise<Response> {
  const { method } = wire;
  const { on, fetch: fetchNow = fetch } = settings;
  // Without a hook, no event is made, because that takes time.
  if (on.request) {
    const shown = { ...headers, authorization: '***' };
    notify(on.request, { operation: id, attempt, method, url, headers: shown });
  }
  const started = performance.now();
  const init: RequestInit = { method, headers, body, redirect: 'manual', signal };
  // A `TypeError` of the caller's own `fetch` may be a mistake in its code.
  const mayBeMistake = settings.fetch !== undefined;
  const response = await throughNetwork(settings, mayBeMistake, () => fetchNow(url, init));
  if (on.response) {
    const milliseconds = performance.now() - started;
    const { status, headers: received } = response;
    notify(on.response, { operation: id, attempt, status, headers: received, milliseconds });
  }
  return response;
}

/**
 * The address that a redirect leads to; undefined if the client does not follow it. The client
 * follows only redirects of reads, and only within the origin.
 */
function addressToFollow(method: string, url: string, response: Response): string | undefined {
  const { status, headers } = response;
  const location = headers.get('location');
  if (method !== 'GET' || status < 300 || status >= 400 || !location) return undefined;
  return addressWithin(url, location);
}

/**
 * Runs code that uses the network. If the network fails, throws a `ConnectionError`. The platform's
 * `fetch` reports a failure of the network by a `TypeError`. Where a `TypeError` may also be a
 * mistake of the caller, `mayBeMistake` is set, and `isNetworkError` decides.
 */
async function throughNetwork<T>(
  settings: Settings,
  mayBeMistake: boolean,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const isFailureOfFetch = !mayBeMistake && nameOf(cause) === 'TypeError';
    if (!isFailureOfFetch && !isNetworkError(cause)) throw cause;
    throw new ConnectionError(
      `connection to ${settings.baseUrl} failed (${reasonOf(cause)}); check baseUrl or PETSTORE_BASE_URL`,
      { cause },
    );
  }
}

/** Returns the data of a success. Throws an error for any other response. */
function dataOf(
  operation: BoundOperation,
  request: PreparedRequest,
  response: Response,
  text: string,
): unknown {
  const { id, wire } = operation;
  const { status } = response;
  const { successes = [200], empty = [] } = wire;
  // The caller asked whether the result has changed, and it has not.
  if (status === 304 && request.headers['if-none-match'] !== undefined) return undefined;
  if (status >= 400) {
    const ErrorClass = errorClassOf(status);
    throw new ErrorClass(response, text, undefined, versionHint(operation, status));
  }
  const unexpected = (problem: unknown) =>
    new UnexpectedResponseError(response, text, `${id}: ${problem}`);
  if (!successes.includes(status)) throw unexpected(problemOf(response));
  let data: unknown;
  try {
    if (!empty.includes(status)) data = parseExact(text);
  } catch (error) {
    throw unexpected(error);
  }
  if (wire.pagination && !Array.isArray(data)) throw unexpected('not a list');
  // With several success statuses, the caller has to know which of them the response has.
  return successes.length === 1 ? data : { status, data };
}

/** What a 404 adds to its message if `baseUrl` lacks the version segment, which is a common cause. */
function versionHint({ settings }: BoundOperation, status: number): string {
  const isComplete = settings.baseUrl.endsWith(basePath);
  return status === 404 && !isComplete ? ` (baseUrl does not end in ${basePath})` : '';
}

function problemOf({ status, headers }: Response): string {
  // In a browser, a redirect has the status 0 and no `Location`.
  const target = status === 0 ? 'another address' : headers.get('location');
  return target ? `unexpected redirect to ${target}` : `unexpected status ${status}`;
}
