import type { IncomingMessage } from 'node:http';
import { MAX_DISCARDED_BYTES } from '../limits.ts';
import { errorOfStatus, HttpError } from './http-error.ts';

/** The error of a malformed or unsupported HTTP message (RFC 9112); undefined if none. Does not check the target. */
export function messageError(request: IncomingMessage): HttpError | undefined {
  const { headers, httpVersion } = request;
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return malformed('This server speaks HTTP/1.1.');
  const { host, expect } = headers;
  if (host ? !isHost(host) : httpVersion === '1.1' || host === '') {
    return malformed(host ? 'The Host header is not a host.' : 'The Host header is missing or empty.');
  }
  const repeated = repeatedHeader(request.rawHeaders);
  if (repeated !== undefined) return malformed(`The ${repeated} header appears more than once.`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && (httpVersion === '1.0' || coding.toLowerCase() !== 'chunked')) {
    return malformed('The only Transfer-Encoding possible is chunked, over HTTP/1.1.');
  }
  if (expect !== undefined && expect.toLowerCase() !== '100-continue') {
    return errorOfStatus(417, `The expectation '${expect}' is not supported.`);
  }
  return undefined;
}

const PLAIN_TARGET = /^\/[!"$&-~]*$/;
const TARGET = /^\/[!"$-~]*$/;
const BROKEN_ESCAPE = /%(?![\da-f]{2})/i;
const UNRESERVED = /[A-Za-z0-9._~-]/;

/**
 * Normalizes the target of a request (RFC 9110 4.2.3, RFC 9112 3.2): without scheme and host, and with unreserved characters
 * decoded; undefined if it is malformed. Other escapes stay: the readers of the path and the query decode them.
 */
export function normalizeTarget(method: string | undefined, target: string): string | undefined {
  if (PLAIN_TARGET.test(target)) return target;
  if (target === '*' && method === 'OPTIONS') return target;
  const local = localTarget(target);
  if (local === undefined || !TARGET.test(local) || BROKEN_ESCAPE.test(local)) return undefined;
  return local.replace(/%([\da-f]{2})/gi, (escaped, hex: string) => {
    const character = String.fromCharCode(Number.parseInt(hex, 16));
    return UNRESERVED.test(character) ? character : escaped;
  });
}

/** A target without scheme and host; undefined if they are malformed. */
export function localTarget(target: string): string | undefined {
  if (target.startsWith('/')) return target;
  const [, host, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [];
  if (!host || !isHost(host)) return undefined;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Whether `WholeResponse` can write the head: the client keeps the connection open, and does not wait for `100 Continue`. */
export function allowsWholeResponse({ httpVersion, headers: { connection, expect } }: IncomingMessage): boolean {
  const isKeptAlive = connection === undefined || /^keep-alive$/i.test(connection);
  return httpVersion === '1.1' && expect === undefined && isKeptAlive;
}

/**
 * Whether a request has arrived completely. For a request without a body, Node leaves `complete` false if the response was sent
 * before the parser reached the end of the request, so `readableEnded` counts, too.
 */
export function isComplete({ complete, readableEnded }: IncomingMessage): boolean {
  return complete || readableEnded;
}

/** Whether a request asks for an upgrade. Node then stops parsing and drops some of the next bytes, so the rest could be misread. */
export function asksForUpgrade({ headers: { upgrade, connection = '' } }: IncomingMessage): boolean {
  return upgrade !== undefined && /\bupgrade\b/i.test(connection);
}

/** Whether a body is so short that reading the rest of the body costs less than a new connection. */
export function hasShortBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_DISCARDED_BYTES;
}

/** A host with an optional port (RFC 3986 3.2.2). */
function isHost(text: string): boolean {
  return /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d*)?$/i.test(text);
}

/** Headers that must not repeat, because a proxy and this server could use different values. */
const SINGLE = new Set(['host', 'authorization', 'content-type']);
const LENGTHS = new Set([...SINGLE].map(({ length }) => length));

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  // These headers have different lengths, so names are compared only if one of the lengths repeats.
  let lengths = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (!LENGTHS.has(name.length)) continue;
    if (lengths & (1 << name.length) && SINGLE.has(name.toLowerCase())) {
      const earlier = rawHeaders.slice(0, i).filter((_, at) => at % 2 === 0);
      if (earlier.some((earlierName) => earlierName.toLowerCase() === name.toLowerCase())) return name;
    }
    lengths |= 1 << name.length;
  }
  return undefined;
}

function malformed(message: string): HttpError {
  return new HttpError('invalid_request', message);
}
