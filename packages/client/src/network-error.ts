// Tells failures of the network from mistakes in a `fetch` that the caller wrote: both are thrown.
import { asObject } from './errors.ts';

/** The beginnings of the messages that `fetch` throws for a failure of the network. */
const messages = [
  'Failed to fetch', // Chrome
  'NetworkError', // Firefox: NetworkError when attempting to fetch resource.
  'Load failed', // Safari
  'The Internet connection', // Safari: The Internet connection appears to be offline.
  'error sending request', // Deno
  'Network connection lost', // Cloudflare Workers
  'Network request failed', // React Native
];

/** The names of the `DOMException`s that a `fetch` with its own limits throws. */
const names: unknown[] = ['NetworkError', 'TimeoutError', 'AbortError'];

/** Whether a `fetch` threw because the network failed, and not because of a mistake in its code. */
export function isNetworkError(error: unknown): boolean {
  const { name, message, code, cause, stack } = asObject(error);
  if (names.includes(name)) return true;
  if (messages.some((start) => String(message).startsWith(start))) return true;
  // Errors of the system have a code, for example ECONNRESET. Errors of node:assert have a code, too.
  if (name !== 'TypeError') return typeof code === 'string' && code !== 'ERR_ASSERTION';
  // Safari translates its messages, but gives its own errors no stack.
  if (!stack) return true;
  // Node wraps the system's error. For a mistake such as an invalid URL, Node wraps a TypeError.
  return cause !== undefined && nameOf(cause) !== 'TypeError';
}

/** Why the network failed, in the words of the system's error, which Node wraps. */
export function reasonOf(error: unknown): string {
  const { cause = error } = asObject(error);
  const { message, code } = asObject(cause);
  return String(message || code || cause).trim();
}

/** The `name` of an error, also of one from another realm, which is not an `instanceof Error`. */
export function nameOf(error: unknown): unknown {
  return asObject(error).name;
}
