import { BlockList } from 'node:net';
import { networkInterfaces } from 'node:os';
import { skips } from '@petstore/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { clientAddress } from '../../src/http/client-address.ts';
import type { RequestEntry } from '../../src/log.ts';
import { type Listening, listen, modes } from '../listen.ts';
import { openWire } from './wire.ts';

const addresses = new BlockList();
addresses.addAddress('127.0.0.1');
addresses.addSubnet('10.0.0.0', 8);

describe.each(modes)('%s', (_, options) => {
  let server: Listening | undefined;
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** The log entry of a request with these headers. */
  async function logged(headers: Record<string, string>, more: Parameters<typeof listen>[0] = {}) {
    const entries: RequestEntry[] = [];
    server = await listen({ ...options, ...more, logRequest: (entry) => void entries.push(entry) });
    const response = await fetch(`${server.baseUrl}/pets`, {
      headers: { authorization: `Bearer ${server.apiKey}`, ...headers },
    });
    await response.text();
    await expect.poll(() => entries.length).toBe(1);
    return entries[0];
  }

  test.each([
    ['no proxy is trusted', undefined, 'x-forwarded-for', '1.1.1.1', '127.0.0.1'],
    ['one proxy', 1, 'x-forwarded-for', '6.6.6.6, 1.1.1.1', '1.1.1.1'],
    ['one proxy, with a port', 1, 'x-forwarded-for', '6.6.6.6, 1.1.1.1:80', '1.1.1.1'],
    ['two proxies', 2, 'x-forwarded-for', '6.6.6.6, 1.1.1.1, 10.0.0.1', '1.1.1.1'],
    ['two proxies, one of them bypassed', 2, 'x-forwarded-for', '1.1.1.1', '1.1.1.1'],
    ['proxies by address', addresses, 'x-forwarded-for', '6.6.6.6, 1.1.1.1, 10.9.9.9', '1.1.1.1'],
    ['only proxies', addresses, 'x-forwarded-for', '10.1.1.1, 10.9.9.9', '10.1.1.1'],
    ['no address', 1, 'x-forwarded-for', 'unknown', '127.0.0.1'],
    ['an injection', 1, 'x-forwarded-for', '1.1.1.1","key":"root', '127.0.0.1'],
    ['IPv6', 1, 'x-forwarded-for', '6.6.6.6, 2001:db8::1', '2001:db8::1'],
    ['IPv4 in IPv6', 1, 'x-forwarded-for', '::ffff:1.1.1.1', '1.1.1.1'],
    ['Forwarded', 1, 'forwarded', 'for=6.6.6.6, for=1.1.1.1;proto=https;by="a,b;for=7.7.7.7"', '1.1.1.1'],
    ['Forwarded in IPv6', 1, 'forwarded', 'by=x;For="[2001:db8::1]:4711"', '2001:db8::1'],
    ['Forwarded, hidden', 1, 'forwarded', 'for=_hidden', '127.0.0.1'],
    ['Forwarded, with quotes that never end', 1, 'forwarded', 'for="1.1.1.1', '127.0.0.1'],
    ['Forwarded, after a quote left open', 1, 'forwarded', 'for=6.6.6.6;by=", for=1.1.1.1', '1.1.1.1'],
    ['Forwarded, quoted after a quote left open', 1, 'forwarded', 'for="6.6.6.6, for="1.1.1.1:80";by=a', '1.1.1.1'],
    ['Forwarded, with an escaped quote', 1, 'forwarded', 'for=1.1.1.1;by="a\\", for=6.6.6.6"', '1.1.1.1'],
  ] as const)('the address of the client: %s', async (_, trust, name, value, client) => {
    const entry = await logged({ [name]: value }, { clientAddress: clientAddress(trust, name) });
    expect(entry).toMatchObject({ client });
  });

  test('the header that the proxies do not write is ignored', async () => {
    const trusting = clientAddress(1, 'x-forwarded-for');
    const entry = await logged({ forwarded: 'for=6.6.6.6' }, { clientAddress: trusting });
    expect(entry).toMatchObject({ client: '127.0.0.1' });
  });

  const [traceId, parentId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  test.each([`00-${traceId}-${parentId}-01`, `01-${traceId}-${parentId}-00-more`, `cc-${traceId}-${parentId}-01`])(
    'the trace of %s is logged',
    async (traceparent) => {
      expect(await logged({ traceparent })).toMatchObject({ traceId, parentId });
    },
  );

  test.each([
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}-${parentId}`,
    'x',
  ])('%s is no trace', async (traceparent) => {
    expect(await logged({ traceparent })).not.toHaveProperty('traceId');
  });

  test('the rate limit is in the headers, and rejects a request before its body arrives', async () => {
    server = await listen({ ...options, rateLimit: 2 });
    const headers = { authorization: `Bearer ${server.apiKey}` };
    const rateLimitHeaders = async () => {
      const response = await fetch(`${server?.baseUrl}/pets`, { headers });
      return [response.headers.get('ratelimit-policy'), response.headers.get('ratelimit')];
    };
    expect(await rateLimitHeaders()).toEqual(['"per-key";q=2;w=60', '"per-key";r=1;t=30']);
    expect(await rateLimitHeaders()).toEqual(['"per-key";q=2;w=60', expect.stringMatching(/^"per-key";r=0;t=\d\d$/)]);
    const wire = openWire(server.origin);
    wire.send(
      `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${server.apiKey}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    );
    const [rejected] = await wire.until(1);
    wire.socket.destroy();
    expect(rejected).toMatchObject({ status: 429 });
    expect(rejected?.headers.get('ratelimit')).toMatch(/^"per-key";r=0;/);
  });

  const noIpv6 = Object.values(networkInterfaces())
    .flat()
    .every((address) => address?.family !== 'IPv6');
  test.skipIf(skips('IPv4 clients of an IPv6 socket', noIpv6 ? 'there is no IPv6 address' : undefined))(
    'an IPv4 client of an IPv6 socket is logged with its IPv4 address, also if its bytes are no request',
    async () => {
      const clients: (string | undefined)[] = [];
      const note = ({ client }: Pick<RequestEntry, 'client'>) => void clients.push(client);
      server = await listen({ ...options, host: '::', logRequest: note, onRejection: note });
      const wire = openWire(server.origin.replace('[::]', '127.0.0.1'));
      wire.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\ngarbage\r\n\r\n');
      await wire.ended();
      expect(clients).toEqual(['127.0.0.1', '127.0.0.1']);
    },
  );

  test('every response forbids browsers to guess its content type', async () => {
    server = await listen(options);
    for (const path of ['/v1/pets', '/v1/nowhere', '/healthz', '/metrics', '/nowhere']) {
      expect((await fetch(server.origin + path)).headers.get('x-content-type-options')).toBe('nosniff');
    }
  });
});
