import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { newFolder } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import type { NewPet, Pet } from '@petstore/types';
import { expect, test } from 'vitest';
import { storedPets } from '../requests.ts';
import { type ServerOnFolder, startOnFolder } from '../server-process.ts';
import { openWire } from './wire.ts';

const SOAK_MS = Number(process.env.PETSTORE_TEST_SOAK_SECONDS ?? 20) * 1000;

/** The memory of the server itself, its buffers for bodies and responses, and one read of each hostile connection. */
const MAX_RSS_BYTES = 700 * 2 ** 20;

const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\n`;
const post = (body: string) =>
  `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const get = (path: string, lines = head) => `GET ${path} HTTP/1.1\r\n${lines}\r\n`;
const pet = (name: string) => JSON.stringify({ name, categoryId: 1 });

const chunkedHead = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;

/** The bytes that hostile clients send on one connection after another. A connection that does not read stays open for longer. */
const hostile: [string, string, { reads: boolean }][] = [
  ['a number of a megabyte', post(`{"name":"a","categoryId":1.${'0'.repeat(900_000)}1}`), { reads: true }],
  ['repeated keys', post(`{${Array.from({ length: 60_000 }, (_, i) => `"k${i}":1`)},"k1":1}`), { reads: true }],
  ['many keys', post(`{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`)}}`), { reads: true }],
  ['nested arrays', post('['.repeat(500_000) + ']'.repeat(500_000)), { reads: true }],
  ['chunks of a byte', `${chunkedHead}${'1\r\n \r\n'.repeat(200_000)}`, { reads: false }],
  ['deep arrays', post('['.repeat(900_000)), { reads: true }],
  ['no path', 'GET http://x?y HTTP/1.1\r\nHost: x\r\n\r\nPOST http://x?y HTTP/1.1\r\nHost: x\r\n\r\n', { reads: true }],
  ['metrics, pipelined', get('/metrics', 'Host: x\r\n').repeat(2000), { reads: true }],
  ['metrics, pipelined and not read', get('/metrics', 'Host: x\r\n').repeat(5000), { reads: false }],
  ['large pages, pipelined and not read', get('/v1/pets?limit=100').repeat(20), { reads: false }],
  ['the docs, not read', get('/docs/swagger-ui.js', 'Host: x\r\n').repeat(50), { reads: false }],
  ['garbage behind a create', `${post(pet('behind'))}garbage\r\n\r\n`, { reads: true }],
  ['a head of 20 kB', `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`, { reads: true }],
  ['a body that stops', post(`{"name":"${'x'.repeat(900_000)}"}`).slice(0, 800_000), { reads: false }],
  ['two Hosts', get('/v1/pets', `${head}Host: y\r\n`), { reads: true }],
  ['CONNECT', 'CONNECT x:80 HTTP/1.1\r\nHost: x\r\n\r\n', { reads: true }],
];

test('hostile clients do not affect others', { timeout: SOAK_MS + 120_000 }, async () => {
  const argv = ['--response-timeout', '2', '--request-timeout', '5', '--headers-timeout', '2'];
  const server = await startOnFolder(newFolder(), argv);
  server.child.stdout?.resume();
  const agent = new Agent({ keepAlive: true });
  for (let i = 0; i < 12; i++) await create(server, agent, { name: 'x'.repeat(1_000_000), categoryId: i });

  const until = performance.now() + SOAK_MS;
  const isOver = () => performance.now() > until;
  const acknowledged: Pet[] = [];
  const ownDelay = monitorEventLoopDelay();
  ownDelay.enable();
  let slowestMs = 0;
  const timed = async <T>(work: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await work();
    slowestMs = Math.max(slowestMs, performance.now() - started);
    return result;
  };

  const good = Array.from({ length: 4 }, async (_, writer) => {
    for (let i = 0; !isOver(); i++) {
      const name = `good ${writer}.${i}`;
      const added = await timed(() => create(server, agent, { name, categoryId: i }));
      expect(added).toEqual({ id: added.id, name, categoryId: i });
      acknowledged.push(added);
      const read = () => call(server, agent, 'GET', `/v1/pets?limit=1&after=${added.id - 1}`);
      const [status, body] = await timed(read);
      expect([status, JSON.parse(body)]).toEqual([200, [added]]);
    }
  });
  const bad = hostile.map(async ([, bytes, { reads }]) => {
    while (!isOver()) {
      const wire = openWire(server.origin, { reads });
      wire.send(bytes);
      await Promise.race([wire.ended(), pause(reads ? 300 : 3000)]);
      wire.socket.destroy();
    }
  });
  const memory: number[] = [];
  const watch = (async () => {
    while (!isOver()) {
      const [, text] = await call(server, agent, 'GET', '/metrics');
      memory.push(Number(/^process_resident_memory_bytes (\d+)/m.exec(text)?.[1]));
      await pause(500);
    }
  })();
  await Promise.all([...good, ...bad, watch]);

  const [, metrics] = await call(server, agent, 'GET', '/metrics');
  const lag = /^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(metrics)?.[1];
  console.log(
    `${acknowledged.length} good creates; the slowest good request took ${Math.round(slowestMs)} ms, ` +
      `the server's event loop lagged at most ${lag} s lately, ` +
      `the event loop of this test ${Math.round(ownDelay.max / 1e6)} ms; memory ${Math.round(largest(memory) / 2 ** 20)} MiB at max`,
  );
  expect(acknowledged.length).toBeGreaterThan(0);
  expect(largest(memory)).toBeLessThan(MAX_RSS_BYTES);
  // No acknowledged create is lost.
  const stored = await storedPets(`${server.origin}/v1`);
  expect(acknowledged.filter(({ id, name }) => stored.get(id) !== name)).toEqual([]);
  agent.destroy();
  server.child.kill('SIGTERM');
  expect(await server.ended).toEqual({ code: 0, signal: null });
});

/** Not `Math.max(...numbers)`, because the number of arguments is limited. */
const largest = (numbers: readonly number[]) => numbers.reduce((max, number) => Math.max(max, number), 0);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function create(server: ServerOnFolder, agent: Agent, newPet: NewPet): Promise<Pet> {
  const [status, body] = await call(server, agent, 'POST', '/v1/pets', JSON.stringify(newPet));
  expect([status, body.slice(0, 100)]).toEqual([201, expect.any(String)]);
  return JSON.parse(body);
}

function call(
  { origin }: ServerOnFolder,
  agent: Agent,
  method: string,
  path: string,
  body = '',
): Promise<[number, string]> {
  const headers = { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) };
  return new Promise((resolve, reject) => {
    const sent = request(origin + path, { agent, method, headers }, async (response) => {
      try {
        resolve([response.statusCode ?? 0, Buffer.concat(await response.toArray()).toString()]);
      } catch (error) {
        reject(error);
      }
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
