// Hostile clients stop nobody else, and use bounded memory and time.
import { Agent, request as open } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listenForTest, startForTest } from './listening.ts';
import {
  get,
  head,
  json,
  key,
  openForTest,
  openWire,
  pet,
  post,
  postHead,
  raw,
  request,
} from './wire.ts';

const FLOOD_MS = 4_000;
/** The server itself, its bounds for bodies and responses, and what the collector has not collected yet. */
const MAX_RSS_BYTES = 600 * 2 ** 20;

const chunked = `${postHead}Transfer-Encoding: chunked\r\n\r\n`;
const metrics = 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n';
const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`).join();

/** What hostile clients send, on one connection after another. Those that do not read keep their connection open. */
const floods: [what: string, bytes: string, options?: { reads?: boolean; clients?: number }][] = [
  ['numbers of a megabyte', post(`{"name":"a","categoryId":1.${'0'.repeat(900_000)}1}`)],
  ['many members, one of them repeated,', post(`{${members(60_000)},"k1":1}`)],
  ['many unknown members', post(`{${members(90_000)}}`)],
  ['deep arrays', post('['.repeat(500_000) + ']'.repeat(500_000))],
  ['deep arrays that never end', post('['.repeat(1_000_000))],
  ['many escapes', post(`{"name":"${'\\u0061'.repeat(170_000)}","categoryId":null}`)],
  ['bytes that are not UTF-8', post(`{"name":"${'\ud800'.repeat(300_000)}"}`)],
  ['queries of many pairs', get(`/v1/pets?${'x=1&'.repeat(3500)}`).repeat(50)],
  ['metrics', metrics.repeat(2000)],
  ['garbage', `${post('{}')}garbage\r\n\r\n`],
  ['heads of 20 kB', `GET / HTTP/1.1\r\n${head}X-A: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['heads that never end', `GET / HTTP/1.1\r\n${head}`, { reads: false, clients: 2000 }],
  ['chunks of a byte', chunked + '1\r\n \r\n'.repeat(200_000), { reads: false }],
  [
    'bodies that stop',
    post('x'.repeat(1_000_000)).slice(0, 900_000),
    { reads: false, clients: 800 },
  ],
  ['metrics that are not read', metrics.repeat(5000), { reads: false }],
  ['pages that are not read', get('/v1/pets?limit=100').repeat(5), { reads: false, clients: 200 }],
  ['docs that are not read', get('/docs/swagger-ui.js').repeat(50), { reads: false, clients: 50 }],
];

test.each(floods)(
  'a flood of %s leaves the memory bounded, and others are served',
  async (...[, bytes, options]) => {
    const { reads = true, clients = 4 } = options ?? {};
    const server = await startForTest({
      PETSTORE_LOG_LEVEL: 'error',
      PETSTORE_REQUEST_TIMEOUT: '5',
    });
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    onTestFinished(() => agent.destroy());
    for (let i = 0; i < 3; i++)
      await call(`${server.baseUrl}/pets`, agent, pet('x'.repeat(400_000)));
    const until = Date.now() + FLOOD_MS;
    const bad = Array.from({ length: clients }, async () => {
      while (Date.now() < until) {
        const wire = openWire(server.origin, { reads });
        wire.send(bytes);
        await Promise.race([wire.ended(), pause(reads ? 300 : FLOOD_MS)]);
        wire.socket.destroy();
      }
    });
    let good = 0;
    let slowest = 0;
    let memory = 0;
    while (Date.now() < until) {
      const started = performance.now();
      const { status, text } = await call(`${server.baseUrl}/pets`, agent, pet(`good ${good}`));
      // A flood of bodies may use up the memory for bodies: that is said, and nothing was done.
      if (status !== 503)
        expect([status, text]).toEqual([201, expect.stringContaining(`"good ${good++}"`)]);
      const { text: metrics } = await call(`${server.origin}/metrics`, agent);
      memory = Math.max(memory, residentBytesIn(metrics));
      slowest = Math.max(slowest, performance.now() - started);
    }
    await Promise.all(bad);
    console.log(
      `${good} good creates, the slowest with metrics in ${Math.round(slowest)} ms, ${memory >> 20} MiB`,
    );
    expect(good).toBeGreaterThan(0);
    expect(memory).toBeLessThan(MAX_RSS_BYTES);
  },
);

/** The memory of the server, by its metrics. */
function residentBytesIn(metrics: string): number {
  const name = 'process_resident_memory_bytes ';
  const line = metrics.split('\n').find((each) => each.startsWith(name));
  return Number(line?.slice(name.length));
}

function call(url: string, agent: Agent, body?: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { ...key, ...(body !== undefined && json) };
    const sent = open(
      url,
      { agent, headers, method: body === undefined ? 'GET' : 'POST' },
      (response) => {
        response
          .toArray()
          .then((all) => resolve({ status: response.statusCode ?? 0, text: all.join('') }), reject);
      },
    );
    sent.on('error', reject).end(body);
  });
}

test.each<[string, (length: number) => string]>([
  ['unknown members', (length) => `{${members(length / 12)}}`],
  ['deep arrays', (length) => '['.repeat(length / 2) + ']'.repeat(length / 2)],
  ['long numbers', (length) => `{"name":"a","categoryId":1.${'0'.repeat(length)}1}`],
  ['exact numbers', (length) => `[${'9007199254740993,'.repeat(length / 17)}1]`],
])('the time for %s grows with their length, not with its square', async (_, bodyOf) => {
  const { origin } = await listenForTest();
  const send = (length: number) =>
    raw(origin, request('POST /v1/pets', { ...key, ...json }, bodyOf(length)));
  await expectLinearAsync(async (length) => expect((await send(length)).status).toBe(400), 100_000);
});

test('a client that does not read is disconnected', async () => {
  const { origin, baseUrl } = await listenForTest();
  for (const name of ['a', 'b', 'c'])
    await call(`${baseUrl}/pets`, new Agent(), pet(name.repeat(900_000)));
  const { socket, send, until } = openForTest(origin);
  send(get('/v1/pets').repeat(50));
  socket.pause();
  // Longer than a client may take to read on, which Node finds at the second look.
  await pause(70_000);
  socket.resume();
  expect((await until(50)).length).toBeLessThan(50);
});

const LINEAR_FACTOR = 8;
const LINEAR_ROUNDS = 5;

/**
 * Expects less than 24 times the CPU time for eight times the length; quadratic work takes 64 times. It compares the least of
 * several rounds, because other load only adds time.
 */
async function expectLinearAsync(work: (length: number) => unknown, small: number): Promise<void> {
  const least = async (length: number) => {
    const times: number[] = [];
    for (let round = 0; round < LINEAR_ROUNDS; round++) {
      const before = process.cpuUsage();
      await work(length);
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
    }
    return Math.min(...times);
  };
  const few = await least(small);
  // Less than 5 ms is too short to compare.
  expect(await least(small * LINEAR_FACTOR)).toBeLessThan(Math.max(few, 5_000) * LINEAR_FACTOR * 3);
}
