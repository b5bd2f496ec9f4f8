import { parseExact } from '@petstore/types';
import type { Success } from './call.ts';
import { ConnectionError, errorClassOf, UnexpectedResponseError } from './errors.ts';
import { basePath } from './gen/calls.gen.ts';
import { notify } from './hooks.ts';
import { mergedHeaders, resolved } from './options.ts';
import type { Operation, PreparedRequest } from './request.ts';

/** The state of a call that its attempts share. */
export interface Progress {
  readonly signal: AbortSignal;
  /** The number of attempts that sent a request. */
  attempts: number;
}

/** Sends a request once, and reads the response. */
export async function attemptOnce(
  operation: Operation,
  request: PreparedRequest,
  progress: Progress,
): Promise<Success<unknown>> {
  const { id, settings } = operation;
  const { signal } = progress;
  const { apiKey } = settings;
  signal.throwIfAborted();
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  if (!key) throw new TypeError(`${id}: no API key; pass apiKey, or set PETSTORE_API_KEY`);
  const headers = { ...request.headers, ...mergedHeaders({ authorization: `Bearer ${key}` }) };
  // The call may have ended while the function got the key.
  signal.throwIfAborted();
  progress.attempts++;
  let response: Response;
  let text: string;
  try {
    response = await send(operation, { ...request, headers }, progress);
    text = await response.text();
  } catch (cause) {
    // fetch wraps the system's error.
    const { message, code } = Object(Object(cause).cause ?? cause);
    const reason = `connection to ${settings.baseUrl} failed (${message || code || cause})`;
    throw new ConnectionError(`${reason}; check baseUrl or PETSTORE_BASE_URL`, { cause });
  }
  return { data: dataOf(operation, response, text), response };
}

const MAX_REDIRECTS = 5;

/** Sends a request, and follows redirects of reads within the origin. */
async function send(
  operation: Operation,
  request: PreparedRequest,
  progress: Progress,
): Promise<Response> {
  const { id, wire, settings } = operation;
  const { on, fetch = globalThis.fetch } = settings;
  const { headers, body } = request;
  const { method } = wire;
  const event = { operation: id, attempt: progress.attempts };
  let { url } = request;
  for (let redirects = 0; ; redirects++) {
    notify(on.request, () => ({
      ...event,
      method,
      url,
      headers: { ...headers, authorization: '***' },
    }));
    const started = performance.now();
    const response = await fetch(url, {
      method,
      headers,
      body,
      redirect: 'manual',
      signal: progress.signal,
    });
    const { status, headers: received } = response;
    const milliseconds = performance.now() - started;
    notify(on.response, () => ({ ...event, status, headers: received, milliseconds }));
    const location =
      method === 'GET' && redirects < MAX_REDIRECTS && status < 400 && received.get('location');
    const target = location ? resolved(location, url) : '';
    // An address with a user or with `blob:` has the same `origin`, but fetch rejects it.
    if (status < 300 || !target.startsWith(new URL('/', url).href)) return response;
    await response.body?.cancel();
    url = target;
  }
}

/** The data of a success. Throws the error for any other response. */
function dataOf({ id, wire, settings }: Operation, response: Response, text: string): unknown {
  const { status } = response;
  const { successes = [200] } = wire;
  const fail = (problem: string) =>
    new UnexpectedResponseError(response, text, `${id}: ${problem}`);
  if (status >= 400) {
    const isWrongAddress = status === 404 && !settings.baseUrl.endsWith(basePath);
    const hint = isWrongAddress ? ` (baseUrl does not end in ${basePath})` : '';
    throw new (errorClassOf(status))(response, text, undefined, hint);
  }
  if (!successes.includes(status)) {
    const location = response.headers.get('location');
    // A browser hides a redirect behind the status 0.
    throw fail(
      status && !location
        ? `unexpected status ${status}`
        : `the redirect to ${location ?? 'elsewhere'} is not followed`,
    );
  }
  let data: unknown;
  try {
    if (!wire.empty?.includes(status)) data = parseExact(text);
  } catch (error) {
    throw fail(String(error));
  }
  if (wire.pagination && !Array.isArray(data)) throw fail('no list');
  return successes.length === 1 ? data : { status, data };
}
