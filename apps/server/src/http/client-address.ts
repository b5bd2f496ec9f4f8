import type { IncomingMessage } from 'node:http';
import { type BlockList, isIP } from 'node:net';

/** Which proxies are believed: those so many hops in front of the server, or those with these addresses. */
export type TrustProxy = number | BlockList;

/** The header in which the proxies write the client's address. Another one could be the client's own. */
export type ProxyHeader = 'x-forwarded-for' | 'forwarded';

export type ClientAddress = (request: IncomingMessage) => string | undefined;

/**
 * Finds the address of the client: that of the connection, or where trusted proxies stand in front, the last one that a
 * trusted proxy itself put into the header. Whatever the client writes stands further to the left and is never reached.
 */
export function clientAddress(trust: TrustProxy | undefined, header: ProxyHeader = 'x-forwarded-for'): ClientAddress {
  if (trust === undefined) return ({ socket }) => plainAddress(socket.remoteAddress);
  const isTrusted = (address: string, hop: number) =>
    typeof trust === 'number' ? hop < trust : isListed(trust, address);
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress);
    // Node joins repeated headers with commas, in order.
    const value = headers[header]?.toString() ?? '';
    const hops = header === 'forwarded' ? forwardedFor(value) : value.split(',');
    for (let hop = 0; address !== undefined && isTrusted(address, hop); hop++) {
      const next = addressIn(hops[hops.length - 1 - hop] ?? '');
      if (next === undefined) break;
      address = next;
    }
    return address;
  };
}

function isListed(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** An IPv4 address is written as one, also where the socket listens on IPv6. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}

/** The address of one entry, without its port; nothing where it is none. */
function addressIn(entry: string): string | undefined {
  const [, bracketed, plain] = /^\s*(?:\[([\da-f:.]+)\](?::\d+)?|([\da-f:.]+))\s*$/i.exec(entry) ?? [];
  const text = bracketed ?? plain ?? '';
  const address = isIP(text) ? text : text.replace(/:\d+$/, '');
  return isIP(address) ? plainAddress(address) : undefined;
}

/** The `for` of each element of a `Forwarded` header (RFC 7239), in order. Commas and semicolons may stand in quotes. */
function forwardedFor(header: string): string[] {
  const found = [''];
  for (const [token] of header.matchAll(/"(?:[^"\\]|\\.)*"?|[,;]|[^",;]+/g)) {
    const pair = (found.at(-1) ?? '') + token;
    if (token === ',' || token === ';') found.push(token);
    else found[found.length - 1] = pair;
  }
  const addresses = [''];
  for (const part of found) {
    if (part.startsWith(',')) addresses.push('');
    const [, value] = /^[,;]?\s*for=(.*)$/is.exec(part) ?? [];
    if (value !== undefined) addresses[addresses.length - 1] = value.trim().replace(/^"(.*)"$/s, '$1');
  }
  return addresses;
}
