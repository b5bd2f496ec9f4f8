// Tells failures of the network from mistakes in a `fetch` that the caller wrote: both are thrown.

/** How the messages begin that engines and runtimes have for a request without a whole response. */
const messages = [
  'fetch failed', // Node
  'terminated', // Node, in the body
  'Failed to fetch', // Chrome
  'network error', // Chrome, in the body
  'NetworkError when attempting to fetch resource', // Firefox
  'Error in input stream', // Firefox, in the body
  'Load failed', // Safari
  'The network connection was lost', // Safari
  'The Internet connection appears to be offline', // Safari
  'error sending request', // Deno
  'error reading a body', // Deno
  'Network connection lost', // Cloudflare Workers
  'Network request failed', // React Native
];

/** The names of `DOMException`s that a `fetch` with limits of its own throws. */
const names: unknown[] = ['NetworkError', 'TimeoutError', 'AbortError'];

/** Whether a `fetch` threw because the network failed. Otherwise its code is wrong. */
export function isNetworkError(error: unknown): boolean {
  const { message, code, cause, stack } = describe(error);
  const name = nameOf(error);
  if (names.includes(name)) return true;
  if (messages.some((start) => String(message).startsWith(start))) return true;
  // Errors of the system have a code, for example ECONNRESET. So have those of node:assert.
  if (name !== 'TypeError') return typeof code === 'string' && code !== 'ERR_ASSERTION';
  // Safari translates its messages, but gives its own errors no stack.
  if (!stack) return true;
  // Node wraps the error of the system. A mistake, such as an invalid URL, is another TypeError.
  return cause !== undefined && nameOf(cause) !== 'TypeError';
}

/** Why the network failed, in the words of the system, which Node wraps. */
export function reasonOf(error: unknown): string {
  const { cause = error } = describe(error);
  const { message, code } = describe(cause);
  return String(message || code || cause);
}

/** The `name` of an error. Errors of other realms are not an `instanceof Error`. */
export function nameOf(error: unknown): unknown {
  return describe(error).name;
}

interface Described {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly cause?: unknown;
  readonly stack?: unknown;
}

function describe(error: unknown): Described {
  return typeof error === 'object' && error !== null ? error : {};
}
