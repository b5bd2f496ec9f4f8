import { once } from 'node:events';
import { apiKey } from '@petstore/testing/server';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.ts';
import { listen, listenForSuite, modes, withFunctions } from './listening.ts';
import { openWire } from './wire.ts';

describe.each(modes)('%s', (_, options) => {
  const pets = memoryStore();
  /** The number of concurrent creates, and its maximum. */
  let running = 0;
  let maxRunning = 0;
  /** Delays creates. */
  let blocked: Promise<unknown> = Promise.resolve();
  const slow = withFunctions(pets, {
    create: async (pet) => {
      running++;
      maxRunning = Math.max(maxRunning, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await blocked;
      running--;
      return pets.collection('pets').create(pet);
    },
  });
  const server = listenForSuite(options, slow);
  const serverWithShortTimeouts = listenForSuite({ ...options, requestTimeout: 200 }, slow);
  const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\n`;

  const post = (name: string) => {
    const body = JSON.stringify({ name, categoryId: 1 });
    const length = Buffer.byteLength(body);
    return `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
  };
  const get = (path: string) => `GET ${path} HTTP/1.1\r\n${head}\r\n`;

  test('pipelined requests are handled one at a time and get their responses in order', async () => {
    maxRunning = 0;
    const wire = openWire(server().origin);
    wire.send(Array.from({ length: 20 }, (_, i) => post(`pipelined ${i}`)).join(''));
    const responses = await wire.until(20);
    wire.socket.destroy();
    expect(responses.map(({ body }) => JSON.parse(body).name)).toEqual(
      Array.from({ length: 20 }, (_, i) => `pipelined ${i}`),
    );
    expect(maxRunning).toBe(1);
  });

  test('thousands of pipelined requests, too many for one read, all get a response', async () => {
    const wire = openWire(server().origin);
    const bodies = Array.from({ length: 5000 }, (_, i) =>
      i % 7 === 0 ? get('/healthz') : get(`/v1/pets/${i + 10_000}`),
    );
    wire.send(bodies.join(''));
    const responses = await wire.until(5000);
    wire.socket.destroy();
    expect(responses.map(({ status }) => status)).toEqual(bodies.map((_, i) => (i % 7 === 0 ? 200 : 404)));
  });

  test.each([
    ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
    ['garbage', 'garbage\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['an unknown expectation', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
    ['too large a head', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a head that never ends', 'GET / HTTP/1.1\r\nHost: x\r\n', 408],
    ['a malformed chunk', 'POST /v1/pets HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n', 401],
  ])('two valid requests get their responses, although %s follows', async (_, next, status) => {
    const wire = openWire((status === 408 ? serverWithShortTimeouts : server)().origin);
    wire.send(post('first') + post('second') + next);
    const responses = await wire.ended();
    expect(responses.map((response) => response.status)).toEqual([201, 201, status]);
    const [first, second] = responses.map(({ body }) => JSON.parse(body));
    expect([first, second].map(({ name }) => name)).toEqual(['first', 'second']);
    for (const pet of [first, second])
      expect(await pets.collection('pets').get(pet.id)).toEqual({ json: JSON.stringify(pet) });
  });

  test('no request after a response that closes the connection is handled', async () => {
    const wire = openWire(server().origin);
    wire.send(post('last').replace('Host: x', 'Host: x\r\nConnection: close') + post('never done'));
    const responses = await wire.ended();
    expect(responses.map(({ status }) => status)).toEqual([201]);
    const { json } = await pets.collection('pets').list({ after: 0, limit: 100_000 });
    expect(json).not.toContain('never done');
  });

  test.each([
    ['a head', (all: string) => all.slice(0, 40), 400],
    ['a body', (all: string) => all.slice(0, -5), 400],
    ['a body that is too large', (all: string) => all.replace(/Length: \d+/, 'Length: 99999999'), 413],
    ['a body without a key', (all: string) => all.replace(/Authorization.*\r\n/, '').slice(0, -5), 401],
    [
      'a chunk',
      (all: string) => all.replace(/Content-Length: \d+\r\n\r\n/, 'Transfer-Encoding: chunked\r\n\r\nff\r\n'),
      400,
    ],
  ])('a client that half-closes within %s gets all responses', async (_, truncate, status) => {
    const wire = openWire(server().origin, { halfOpen: true });
    wire.socket.end(post('one') + post('two') + post('three') + truncate(post('four')));
    const responses = await wire.ended();
    expect(responses.map((response) => response.status)).toEqual([201, 201, 201, status]);
  });

  test.each([
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['garbage', 'garbage\r\n\r\n'],
    ['an upgrade', 'GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'],
    ['an incomplete body', 'POST /nope HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ])('a client that resets the connection after the response to %s affects nobody else', async (_, bytes) => {
    const wire = openWire(server().origin);
    wire.send(bytes);
    await wire.until(1);
    const closed = once(wire.socket, 'close');
    wire.socket.resetAndDestroy();
    await closed;
    // vitest reports an unhandled error as a failure.
    expect((await fetch(`${server().origin}/healthz`)).status).toBe(200);
  });

  test('nothing after a request for an upgrade is taken for a request, because Node drops a part of it', async () => {
    const wire = openWire(server().origin);
    const inner = get('/v1/pets/77');
    const outer = post(`dropped ${inner}`);
    const begin = outer.indexOf(inner);
    wire.send(get('/healthz').replace('Host', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHost') + outer.slice(0, begin));
    await wire.until(1);
    wire.send(outer.slice(begin));
    const responses = await wire.ended();
    expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([[200, 'close']]);
  });

  test('a request whose head comes too late gets a 408 and nothing else', async () => {
    const wire = openWire(serverWithShortTimeouts().origin);
    const { promise, resolve: go } = Promise.withResolvers<void>();
    blocked = promise;
    const late = get('/healthz');
    wire.send(post('first') + late.slice(0, 30));
    // Node looks for late requests every second.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    wire.send(late.slice(30));
    setTimeout(go, 100);
    expect((await wire.ended()).map(({ status }) => status)).toEqual([201, 408]);
  });

  test('a request whose body never arrives does not delay a stop once it has its response', async () => {
    const stopping = await listen(options);
    const wire = openWire(stopping.origin);
    wire.send('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nxx');
    expect(await wire.until(1)).toMatchObject([{ status: 401 }]);
    const begin = performance.now();
    await stopping.stop(20_000);
    expect(performance.now() - begin).toBeLessThan(2000);
  });

  test('a client that half-closes after a body still gets the response', async () => {
    const wire = openWire(server().origin, { halfOpen: true });
    wire.socket.end(post('half closed'));
    const [response] = await wire.ended();
    expect(response).toMatchObject({ status: 201 });
    expect(JSON.parse(response?.body ?? '')).toMatchObject({ name: 'half closed' });
  });
});
