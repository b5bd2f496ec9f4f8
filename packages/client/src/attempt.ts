import { addressWithin } from './addresses.ts';
import type { Success } from './call.ts';
import { ConnectionError } from './errors.ts';
import { notify } from './hooks.ts';
import { isNetworkError, nameOf, reasonOf } from './network-error.ts';
import type { Operation, PreparedRequest } from './request.ts';
import { dataOf } from './response.ts';
import { checkKey, type Settings } from './settings.ts';

/** What the attempts of a call have in common. */
export interface Progress {
  /** The number of attempts that sent a request. */
  attempts: number;
}

/** Sends a request once, and reads the response. */
export async function attemptOnce(
  operation: Operation,
  request: PreparedRequest,
  signal: AbortSignal,
  progress: Progress,
): Promise<Success<unknown>> {
  const { apiKey } = operation.settings;
  signal.throwIfAborted();
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (!key) throw new TypeError(`${operation.id}: the function apiKey returned no key`);
  checkKey(key);
  // The call may have ended while the function got the key.
  signal.throwIfAborted();
  progress.attempts++;
  const headers = { ...request.headers, authorization: `Bearer ${key}` };
  const { response, url } = await send(operation, { ...request, headers }, signal, progress);
  const text = await textOf(response, operation.settings);
  return { data: dataOf(operation, request, response, text), response, url };
}

const MAX_REDIRECTS = 5;

/** Sends a request, and follows redirects of reads within the origin. */
async function send(
  operation: Operation,
  { url: first, headers, body }: PreparedRequest,
  signal: AbortSignal,
  { attempts: attempt }: Progress,
): Promise<{ response: Response; url: string }> {
  const { id, wire, settings } = operation;
  const { method } = wire;
  const { on } = settings;
  let url = first;
  for (let redirects = 0; ; redirects++) {
    notify(on.request, () => ({
      ...{ operation: id, attempt, method, url },
      headers: { ...headers, authorization: '***' },
    }));
    const started = performance.now();
    const init: RequestInit = { method, headers, body, redirect: 'manual', signal };
    const response = await fetchWith(settings, url, init);
    const milliseconds = performance.now() - started;
    notify(on.response, () => {
      const { status, headers: received } = response;
      return { operation: id, attempt, status, headers: received, milliseconds };
    });
    const target = redirects < MAX_REDIRECTS ? redirectTarget(method, url, response) : undefined;
    if (target === undefined) return { response, url };
    await response.body?.cancel();
    url = target;
  }
}

async function fetchWith(settings: Settings, url: string, init: RequestInit): Promise<Response> {
  const { fetch = globalThis.fetch } = settings;
  try {
    return await fetch(url, init);
  } catch (error) {
    // The global fetch gets valid arguments only, so its TypeErrors are failures of the network.
    const isOfGlobalFetch = settings.fetch === undefined && nameOf(error) === 'TypeError';
    if (isOfGlobalFetch || isNetworkError(error)) throw connectionError(settings, error);
    throw error;
  }
}

/** The address of a redirect that is followed: of a read, and within the origin. */
function redirectTarget(method: string, url: string, response: Response): string | undefined {
  const { status, headers } = response;
  const location = headers.get('location');
  if (method !== 'GET' || status < 300 || status >= 400 || !location) return undefined;
  return addressWithin(url, location);
}

/** The text of a body. A `fetch` of the caller that has read the body itself made a mistake. */
async function textOf(response: Response, settings: Settings): Promise<string> {
  const wasRead = response.bodyUsed;
  try {
    return await response.text();
  } catch (error) {
    const isBroken = !wasRead && nameOf(error) === 'TypeError';
    if (isBroken || isNetworkError(error)) throw connectionError(settings, error);
    throw error;
  }
}

function connectionError({ baseUrl }: Settings, cause: unknown): ConnectionError {
  const reason = `connection to ${baseUrl} failed (${reasonOf(cause)})`;
  return new ConnectionError(`${reason}; check baseUrl or PETSTORE_BASE_URL`, { cause });
}
