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
  // The call may have ended while the function got the key.
  signal.throwIfAborted();
  deadline.attempts++;
  const { response, url } = await send(operation, { ...request, headers }, deadline);
  // If a `fetch` of the caller has read the body, reading it again throws a `TypeError` for this
  // mistake.
  const isCallersCode = response.bodyUsed;
  const text = await throughNetwork(settings, isCallersCode, () => response.text());
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
    const target = redirectTarget(operation.wire.method, url, response);
    if (target === undefined || redirects === MAX_REDIRECTS) return { response, url };
    await response.body?.cancel();
    url = target;
  }
}

/** Sends one request, and tells the hooks of it. */
async function sendOnce(
  { id, wire, settings }: BoundOperation,
  url: string,
  { headers, body }: PreparedRequest,
  { signal, attempts: attempt }: Deadline,
): Promise<Response> {
  const { method } = wire;
  const { on, fetch: fetchNow = fetch } = settings;
  // An event is made only for a hook, because it costs time.
  if (on.request) {
    const shown = { ...headers, authorization: '***' };
    notify(on.request, { operation: id, attempt, method, url, headers: shown });
  }
  const started = performance.now();
  const init: RequestInit = { method, headers, body, redirect: 'manual', signal };
  const isCallersCode = settings.fetch !== undefined;
  const response = await throughNetwork(settings, isCallersCode, () => fetchNow(url, init));
  if (on.response) {
    const milliseconds = performance.now() - started;
    const { status, headers: received } = response;
    notify(on.response, { operation: id, attempt, status, headers: received, milliseconds });
  }
  return response;
}

/** The address of a redirect that is followed: of a read, and within the origin. */
function redirectTarget(method: string, url: string, response: Response): string | undefined {
  const { status, headers } = response;
  const location = headers.get('location');
  if (method !== 'GET' || status < 300 || status >= 400 || !location) return undefined;
  return addressWithin(url, location);
}

/**
 * The result of code that uses the network. A failure of the network becomes a `ConnectionError`.
 * `fetch` throws a `TypeError` for one; in code of the caller, it may also be a mistake.
 */
async function throughNetwork<T>(
  settings: Settings,
  isCallersCode: boolean,
  run: () => Promise<T>,
): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const isOfFetch = !isCallersCode && nameOf(cause) === 'TypeError';
    if (!isOfFetch && !isNetworkError(cause)) throw cause;
    throw new ConnectionError(
      `connection to ${settings.baseUrl} failed (${reasonOf(cause)}); check baseUrl or PETSTORE_BASE_URL`,
      { cause },
    );
  }
}

/** The data of a success. Throws the error for any other response. */
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
    throw new ErrorClass(response, text, undefined, addressHint(operation, status));
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
  if (wire.pagination && !Array.isArray(data)) throw unexpected('no list');
  // With several successes, the caller has to know which one it is.
  return successes.length === 1 ? data : { status, data };
}

/** A 404 of any path is often due to an address without the version segment. */
function addressHint({ settings }: BoundOperation, status: number): string {
  const isComplete = settings.baseUrl.endsWith(basePath);
  return status === 404 && !isComplete ? ` (baseUrl does not end in ${basePath})` : '';
}

function problemOf({ status, headers }: Response): string {
  // A browser hides a redirect and its target behind the status 0.
  const target = status === 0 ? 'elsewhere' : headers.get('location');
  return target ? `the redirect to ${target} is not followed` : `unexpected status ${status}`;
}
