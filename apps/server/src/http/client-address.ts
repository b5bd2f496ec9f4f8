import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP, type Socket } from 'node:net';

/** The trusted proxies: a number of hops in front of the server, or their addresses. */
export type TrustProxy = number | BlockList;

/** The header in which the proxies write the client's address. Other headers are ignored, because clients can set them. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

export type ClientAddress = (request: IncomingMessage) => string | undefined;

/**
 * Creates a function that returns the address of a request's client: the peer of the connection or, behind trusted proxies,
 * the leftmost address that a trusted proxy has added to the header. Entries from the client are further left, so they are ignored.
 */
export function clientAddress(trust: TrustProxy | undefined, header: ProxyHeader = 'x-forwarded-for'): ClientAddress {
  if (trust === undefined) return ({ socket }) => peerAddress(socket);
  const isTrusted = (address: string, hop: number) =>
    typeof trust === 'number' ? hop < trust : trust.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  return ({ socket, headers }) => {
    let address = peerAddress(socket);
    // Node joins repeated headers with commas, in order.
    const value = headers[header]?.toString() ?? '';
    const hops = header === 'forwarded' ? forwardedFor(value) : value.split(',').reverse();
    for (let hop = 0; address !== undefined && isTrusted(address, hop); hop++) {
      const next = addressIn(hops[hop] ?? '');
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

/** The address of the peer of a connection. */
export function peerAddress({ remoteAddress }: Pick<Socket, 'remoteAddress'>): string | undefined {
  return remoteAddress === undefined ? undefined : plainAddress(remoteAddress);
}

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** The address of an entry, without its port; undefined if it is not an address. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, plain] = /^\s*(?:\[([\da-f:.]+)\](?::\d+)?|([\da-f:.]+))\s*$/i.exec(entry) ?? [];
  const text = bracketed ?? plain ?? '';
  const address = isIP(text) ? text : text.replace(/:\d+$/, '');
  return isIP(address) ? plainAddress(address) : undefined;
}

/**
 * The `for` of each element of a `Forwarded` header (RFC 7239), last element first. Quoted text may contain commas and semicolons. The
 * header is read from its end, so that a quote that a client has left open does not enclose what a proxy has appended.
 */
function forwardedFor(header: string): string[] {
  const addresses = [''];
  for (const [part] of reversed(header).matchAll(/,|(?:"(?:"\\|[^"])*"?|[^",;])+/g)) {
    const [, value] = /^\s*for=(.*)$/is.exec(reversed(part)) ?? [];
    if (part === ',') addresses.push('');
    else if (value !== undefined) addresses[addresses.length - 1] = value.trim().replace(/^"(.*)"$/s, '$1');
  }
  return addresses;
}

function reversed(text: string): string {
  return [...text].reverse().join('');
}
