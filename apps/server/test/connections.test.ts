// What is no HTTP gets an Error, one connection is served in order, and what never arrives ends.
import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { memoryStore } from '../src/index.ts';
import { bothWays, listenForSuite, listenForTest, modes, withFunctions } from './listening.ts';
import { expectError, get, head, openForTest, pet, post, postHead, raw, request } from './wire.ts';

const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
const chunked = 'Transfer-Encoding: chunked\r\n';

describe('a message that HTTP does not allow gets an Error, and the connection ends:', () => {
  const send = bothWays();

  test.each([
    ['garbage', 'garbage\r\n\r\n', 400],
    ['an unknown method', 'FOO /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
    ['no Host for a probe', 'GET /healthz HTTP/1.1\r\n\r\n', 400],
    ['an empty Host', 'GET /v1/pets HTTP/1.1\r\nHost:\r\n\r\n', 400],
    ['two Hosts', get('/v1/pets').replace('Host: x', 'Host: x\r\nhost: x'), 400],
    [
      'two Hosts far apart',
      get('/v1/pets').replace('Host: x', `Host: x\r\n${'a:\r\n'.repeat(2000)}Host: y`),
      400,
    ],
    ['a Host with a path', get('/v1/pets').replace('Host: x', 'Host: a b/c?d'), 400],
    ['a Host with a user', get('/v1/pets').replace('Host: x', 'Host: u@x'), 400],
    ['two keys', get('/v1/pets').replace('Host: x', 'Host: x\r\nAuthorization: Bearer a'), 400],
    ['an unknown expectation', get('/v1/pets').replace('Host: x', 'Host: x\r\nExpect: tea'), 417],
    ['too large a head', get('/').replace('Host: x', `Host: x\r\nX-A: ${'a'.repeat(20_000)}`), 431],
    ['HTTP/2.0', get('/v1/pets').replace('HTTP/1.1', 'HTTP/2.0'), 400],
    ['HTTP/1.2', get('/v1/pets').replace('HTTP/1.1', 'HTTP/1.2'), 400],
    ['a malformed chunk', `${postHead}${chunked}\r\nZZ\r\n`, 400],
    ['a length that is no number', `${postHead}Content-Length: +5\r\n\r\n{}   `, 400],
    // What follows are ways to smuggle a request past a proxy that reads them in another way.
    ['a length and chunks', `${postHead}Content-Length: 3\r\n${chunked}\r\n0\r\n\r\n`, 400],
    ['two lengths', `${postHead}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
    ['the same length twice', `${postHead}Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}`, 400],
    ['a list of lengths', `${postHead}Content-Length: 2, 2\r\n\r\n{}`, 400],
    ['a header over two lines', get('/v1/pets').replace('Host: x', 'Host: x\r\nX-A: a\r\n b'), 400],
    ['a bare line feed', get('/v1/pets').replace('Host: x\r\n', 'Host: x\n'), 400],
    ['a space before a colon', `${postHead}Content-Length : 2\r\n\r\n{}`, 400],
    ['the coding identity', `${postHead}Transfer-Encoding: identity\r\n\r\n`, 400],
    ['a coding below chunked', `${postHead}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 400],
    ['chunked twice', `${postHead}${chunked}${chunked}\r\n0\r\n\r\n`, 400],
    [
      'chunks over HTTP/1.0',
      `${postHead.replace('HTTP/1.1', 'HTTP/1.0')}${chunked}\r\n0\r\n\r\n`,
      400,
    ],
  ])('%s', async (_, bytes, status) => {
    const response = await send(bytes);
    expectError(response, 'invalid_request', status);
    expect(response.headers.get('connection')).toBe('close');
  });
});

describe('the target', () => {
  const send = bothWays();

  test.each(
    [
      [
        '*',
        '**',
        '?y',
        '#x',
        'x',
        'x:80',
        'http:',
        'http:/',
        'http://',
        'http://x',
        'http://x#y',
        'http://x:80?y',
      ],
      [
        'http://u@x/',
        'http://?y',
        'http:///v1/pets',
        'ftp://x/v1/pets',
        'mailto:x',
        '//',
        '//x',
        '/\\',
        '/%',
        '/é',
      ],
    ].flat(),
  )('%s gets a response that is no fault of the server, with any method', async (target) => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE']) {
      const { status, headers } = await send(request(`${method} ${target}`, { Host: 'x' }));
      expect(status).toBeLessThan(500);
      if (status >= 400)
        expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
  });
});

describe.each(modes)('%s', (_, options) => {
  const pets = memoryStore();
  /** The number of concurrent creates, and its maximum. */
  let running = 0;
  let maxRunning = 0;
  const slow = withFunctions(pets, {
    create: async (document) => {
      maxRunning = Math.max(maxRunning, ++running);
      // The server could read the next request meanwhile.
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return pets.collection('pets').create(document);
    },
  });
  const server = listenForSuite(options, slow);
  const hasty = listenForSuite({ ...options, requestTimeout: 200 }, slow);

  test('pipelined requests are handled one at a time and get their responses in order', async () => {
    maxRunning = 0;
    const wire = openForTest(server().origin);
    const names = Array.from({ length: 20 }, (_, i) => `pipelined ${i}`);
    wire.send(names.map((name) => post(pet(name))).join(''));
    const responses = await wire.until(20);
    expect(responses.map(({ body }) => JSON.parse(body).name)).toEqual(names);
    expect(maxRunning).toBe(1);
  });

  test('thousands of pipelined requests, too many for one read, all get a response', async () => {
    const wire = openForTest(server().origin);
    const sent = Array.from({ length: 1500 }, (_, i) =>
      i % 7 === 0 ? health : get(`/v1/pets/${i + 10_000}`),
    );
    wire.send(sent.join(''));
    const responses = await wire.until(1500);
    expect(responses.map(({ status }) => status)).toEqual(
      sent.map((_, i) => (i % 7 === 0 ? 200 : 404)),
    );
  });

  test.each([
    ['no Host', 'GET /v1/pets HTTP/1.1\r\n\r\n', 400],
    ['garbage', 'garbage\r\n\r\n', 400],
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
    ['an unknown expectation', 'GET /v1/pets HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n', 417],
    ['too large a head', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a head that never ends', 'GET / HTTP/1.1\r\nHost: x\r\n', 408],
    ['a malformed chunk', `POST /v1/pets HTTP/1.1\r\nHost: x\r\n${chunked}\r\nZZ\r\n`, 400],
  ])('two valid requests get their responses, although %s follows', async (_, next, status) => {
    const wire = openForTest((status === 408 ? hasty : server)().origin);
    wire.send(post(pet('first')) + post(pet('second')) + next);
    const responses = await wire.ended();
    expect(responses.map((response) => response.status)).toEqual([201, 201, status]);
    const [first, second] = responses.map(({ body }) => JSON.parse(body));
    expect([first, second].map(({ name }) => name)).toEqual(['first', 'second']);
    for (const one of [first, second])
      expect((await pets.collection('pets').get(one.id))?.json).toBe(JSON.stringify(one));
  });

  test.each([
    ['Connection: close', 201],
    ['Authorization: Bearer another', 400],
  ])(
    'no request after a response that closes the connection is handled: %s',
    async (line, status) => {
      const wire = openForTest(server().origin);
      wire.send(
        post(pet('last')).replace('Host: x', `Host: x\r\n${line}`) + post(pet('never done')),
      );
      const responses = await wire.ended();
      expect(responses.map((response) => response.status)).toEqual([status]);
      const { json } = await pets.collection('pets').list({ after: 0, limit: 100_000 });
      expect(json).not.toContain('never done');
    },
  );

  test.each([
    ['a head', (all: string) => all.slice(0, 40), 400],
    ['a body', (all: string) => all.slice(0, -5), 400],
    [
      'a body that is too large',
      (all: string) => all.replace(/Length: \d+/, 'Length: 99999999'),
      400,
    ],
    [
      'a body without a key',
      (all: string) => all.replace(/Authorization.*\r\n/, '').slice(0, -5),
      400,
    ],
    ['a chunk', () => `${postHead}${chunked}\r\nff\r\n`, 400],
  ])(
    'a client that closes within %s gets the responses before, and an error',
    async (_, truncate, status) => {
      const wire = openForTest(server().origin, { halfOpen: true });
      wire.socket.end(post(pet('one')) + post(pet('two')) + truncate(post(pet('three'))));
      const responses = await wire.ended();
      expect(responses.map((response) => response.status)).toEqual([201, 201, status]);
    },
  );

  test.each([
    ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['garbage', 'garbage\r\n\r\n'],
    ['an upgrade', health.replace('Host', 'Connection: Upgrade\r\nUpgrade: x\r\nHost')],
    ['an incomplete body', `POST /nope HTTP/1.1\r\nHost: x\r\n${chunked}\r\n`],
  ])(
    'a client that resets the connection after the response to %s affects nobody else',
    async (_, bytes) => {
      const wire = openForTest(server().origin);
      wire.send(bytes);
      await wire.until(1);
      const closed = once(wire.socket, 'close');
      wire.socket.resetAndDestroy();
      await closed;
      // vitest reports an unhandled error as a failure.
      expect((await fetch(`${server().origin}/healthz`)).status).toBe(200);
    },
  );

  test('nothing after an offer to upgrade is taken for a request, because Node drops a part of it', async () => {
    const wire = openForTest(server().origin);
    const inner = get('/v1/pets/77');
    const outer = post(pet(`dropped ${inner}`));
    const begin = outer.indexOf('GET');
    wire.send(
      health.replace('Host', 'Connection: Upgrade\r\nUpgrade: h2c\r\nHost') + outer.slice(0, begin),
    );
    await wire.until(1);
    wire.send(inner);
    const responses = await wire.ended();
    expect(responses.map(({ status, headers }) => [status, headers.get('connection')])).toEqual([
      [200, 'close'],
    ]);
  });

  test('a client that expects 100 Continue gets it before it sends the body, then the response', async () => {
    const wire = openForTest(server().origin);
    const body = pet('continued');
    wire.send(`${postHead}Expect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`);
    const [interim] = await once(wire.socket, 'data');
    expect(String(interim)).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    wire.send(body);
    expect(await wire.until(1)).toMatchObject([{ status: 201 }]);
  });

  test.each([
    ['without a key', postHead.replace(/Authorization.*\r\n/, ''), 401],
    ['that is too large', `${postHead}Content-Length: 9999999\r\n`, 413],
    ['of another type', `${postHead.replace('json', 'xml')}Content-Length: 5\r\n`, 415],
  ])('a body %s is refused before 100 Continue', async (_, lines, status) => {
    const wire = openForTest(server().origin);
    wire.send(
      `${lines}${lines.includes('Length') ? '' : 'Content-Length: 5\r\n'}Expect: 100-continue\r\n\r\n`,
    );
    const [first] = await once(wire.socket, 'data');
    expect(String(first)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  test.each([
    ['a head that never ends', ''],
    ['a body that never ends', 'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{'],
    ['a chunk that never ends', `Content-Type: application/json\r\n${chunked}\r\nff\r\n{`],
  ])('%s gets an Error', async (_, rest) => {
    expectError(
      await raw(hasty().origin, `POST /v1/pets HTTP/1.1\r\n${head}${rest}`),
      'invalid_request',
      408,
    );
  });

  test('a body that never arrives does not delay a stop once its request has the response', async () => {
    const stopping = await listenForTest(options);
    const wire = openForTest(stopping.origin);
    wire.send('POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\nxx');
    expect(await wire.until(1)).toMatchObject([{ status: 401 }]);
    // The time limit of the test is much shorter than this.
    await stopping.stop(3_600_000);
  });
});
