// Tells failures of the network from mistakes in a `fetch` that the caller wrote: both are thrown.
import { recordOf } from './errors.ts';

/**
 * How the messages begin that `fetch` has, in several engines and runtimes, for a request without a
 * response.
 */
const messages = [
  'Failed to fetch', // Chrome
  'NetworkError', // Firefox: NetworkError when attempting to fetch resource.
  'Load failed', // Safari
  'The Internet connection', // Safari: The Internet connection appears to be offline.
  'error sending request', // Deno
  'Network connection lost', // Cloudflare Workers
  'Network request failed', // React Native
];

/** The names of `DOMException`s that a `fetch` with limits of its own throws. */
const names: unknown[] = ['NetworkError', 'TimeoutError', 'AbortError'];

/** Whether a `fetch` threw because the network failed. Otherwise its code is wrong. */
export function isNetworkError(error: unknown): boolean {
  const { message, code, cause, stack } = recordOf(error);
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
  const { cause = error } = recordOf(error);
  const { message, code } = recordOf(cause);
  return String(message || code || cause).trim();
}

/** The `name` of an error. Errors of other realms are not an `instanceof Error`. */
export function nameOf(error: unknown): unknown {
  return recordOf(error).name;
}
