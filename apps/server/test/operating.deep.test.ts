// The log, readiness and the end of a process.
import { once } from 'node:events';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { Agent, request as open } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort, newFolder } from '@petstore/testing';
import { apiKey, runServer, type ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import {
  environment,
  isClosed,
  linesOf,
  listPets,
  main,
  startForTest,
  startGate,
} from './listening.ts';
import { json, key, openForTest, pet, post, postHead, raw } from './wire.ts';

/** Sends SIGTERM, and expects the process to end with 0. */
async function expectEnd({ child }: Pick<ServerProcess, 'child'>) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
}

test('without a trusted proxy the log has the address of the connection, also for bytes that are no request', async () => {
  const server = await startForTest();
  await listPets(server.baseUrl, { ...key, 'x-request-id': 'mine', 'x-forwarded-for': '9.9.9.9' });
  expect(await linesOf(server, 'mine')).toMatchObject([{ client: '127.0.0.1' }]);
  const { headers } = await raw(server.origin, 'garbage\r\n\r\n');
  const lines = await linesOf(server, headers.get('x-request-id') ?? '');
  expect(lines).toMatchObject([{ client: '127.0.0.1', status: 400 }]);
});

test.each(['a full disk', 'a closed pipe', 'a pipe that nobody reads'])(
  'a log on %s stops nothing',
  async (where) => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const variables = { PETSTORE_DATA_DIR: newFolder(), PETSTORE_API_KEYS: apiKey };
    const server = runServer(main, {
      env: environment(variables),
      stdout: where === 'a full disk' ? full : 'pipe',
    });
    onTestFinished(() => {
      server.child.kill('SIGKILL');
    });
    const { baseUrl, origin } = await server.greeting;
    if (where === 'a closed pipe') server.child.stdout?.destroy();
    const path = `${baseUrl}/${'long'.repeat(1000)}`;
    for (let i = 0; i < 15; i++) {
      const many = await Promise.all(
        Array.from({ length: 20 }, () => fetch(path, { headers: key })),
      );
      expect(many.map(({ status }) => status)).toEqual(many.map(() => 404));
    }
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    expect(metrics).toContain('\npetstore_log_lines_lost_total ');
    await expectEnd(server);
  },
);

test('settings reach the server; what Kubernetes sets for a service of this name is none', async () => {
  const origin = 'https://shop.example';
  const { baseUrl } = await startForTest({
    PETSTORE_BODY_LIMIT: '100',
    PETSTORE_RATE_LIMIT: '3',
    PETSTORE_CORS_ORIGIN: origin,
    PETSTORE_VALIDATE_RESPONSES: 'true',
    ...{
      PETSTORE_SERVICE_HOST: '10.0.0.1',
      PETSTORE_PORT_80_TCP_PORT: '80',
      PETSTORE_PORT: 'tcp://10.0.0.1:80',
    },
  });
  const create = (name: string) =>
    fetch(`${baseUrl}/pets`, {
      method: 'POST',
      headers: { ...key, ...json, origin },
      body: pet(name),
    });
  const responses = [
    await create('Rex'),
    await create('x'.repeat(100)),
    await create('Tom'),
    await create('Ida'),
  ];
  expect(responses.map(({ status }) => status)).toEqual([201, 413, 201, 429]);
  expect(responses.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual(
    Array(4).fill(origin),
  );
});

test('SIGTERM ends a server with idle and half-sent connections soon, with 0', async () => {
  const server = await startForTest({
    PETSTORE_SHUTDOWN_TIMEOUT: '600',
    PETSTORE_REQUEST_TIMEOUT: '600',
  });
  const [idle, used, half] = [1, 2, 3].map(() => openForTest(server.origin));
  await once(idle?.socket as Socket, 'connect');
  used?.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await used?.until(1);
  half?.send('GET /v1/pets HTTP/1.1\r\nHost: x\r\n');
  // A response on a later connection proves that the server has read this one.
  await fetch(`${server.origin}/healthz`);
  await expectEnd(server);
  // Otherwise it has waited until the head was late.
  expect(await half?.ended()).toEqual([]);
});

test('SIGTERM cuts off no busy connection: the last response of each says that it closes', async () => {
  const server = await startForTest();
  const agents = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));
  onTestFinished(() => {
    for (const agent of agents) agent.destroy();
  });
  const answered = Promise.withResolvers<void>();
  let isRefused = false;
  const clients = agents.map(async (agent) => {
    while (!isRefused) {
      const { outcome, isReused } = await ask(`${server.baseUrl}/pets`, agent);
      // In the end, new connections are refused.
      if (outcome !== 200) isRefused = true;
      if (isReused) expect(outcome).toBe(200);
      answered.resolve();
    }
  });
  await answered.promise;
  await expectEnd(server);
  await Promise.all(clients);
});

/** Sends a GET. Resolves with the status, or the code of what went wrong, and whether the connection was used before. */
function ask(url: string, agent: Agent) {
  return new Promise<{ outcome: unknown; isReused: boolean }>((resolve) => {
    const finish = (outcome: unknown) => resolve({ outcome, isReused: sent.reusedSocket });
    const sent = open(url, { agent, headers: key }, (response) => {
      response.resume().on('end', () => finish(response.statusCode));
      response.on('error', finish);
    });
    sent.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    sent.end();
  });
}

test('SIGTERM while requests are pipelined: what is done gets its response', async () => {
  const folder = newFolder();
  const server = await startForTest({ PETSTORE_DATA_DIR: folder });
  const wire = openForTest(server.origin);
  wire.send(Array.from({ length: 60 }, (_, i) => post(pet(`pipelined ${i}`))).join(''));
  await wire.until(1);
  await expectEnd(server);
  const responses = await wire.ended();
  const next = await startForTest({ PETSTORE_DATA_DIR: folder });
  const done = (await (await listPets(next.baseUrl)).text()).match(/pipelined/g) ?? [];
  expect(responses.map(({ status }) => status)).toEqual(done.map(() => 201));
});

test('SIGTERM waits no longer than its time-out for a body that never arrives', async () => {
  const server = await startForTest({
    PETSTORE_SHUTDOWN_TIMEOUT: '0.5',
    PETSTORE_REQUEST_TIMEOUT: '600',
  });
  const wire = openForTest(server.origin);
  wire.send(`${postHead}Expect: 100-continue\r\nContent-Length: 9\r\n\r\n`);
  await once(wire.socket, 'data');
  await expectEnd(server);
});

test('SIGTERM under load: every response that was begun is complete, and no acknowledged pet is lost', async () => {
  const folder = newFolder();
  const server = await startForTest({ PETSTORE_DATA_DIR: folder });
  const wires = Array.from({ length: 16 }, () => openForTest(server.origin));
  for (const wire of wires)
    wire.send(`${postHead}Content-Length: ${pet('x').length}\r\n\r\n${pet('x')}`.repeat(100));
  await Promise.all(wires.map((wire) => wire.until(1)));
  await expectEnd(server);
  const responses = (await Promise.all(wires.map((wire) => wire.ended()))).flat();
  expect(responses.filter(({ status }) => status !== 201)).toEqual([]);
  const next = await startForTest({ PETSTORE_DATA_DIR: folder });
  for (const { body } of responses.filter((_, i) => i % 10 === 0))
    expect(
      (await fetch(`${next.baseUrl}/pets/${JSON.parse(body).id}`, { headers: key })).status,
    ).toBe(200);
});

test('during the drain delay, requests are served, and /readyz is 503', async () => {
  const { origin, baseUrl, child } = await startForTest({ PETSTORE_DRAIN_DELAY: '600' });
  expect((await fetch(`${origin}/readyz`)).status).toBe(200);
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503);
  expect((await listPets(baseUrl)).status).toBe(200);
});

test('a stop signal that comes twice at once is one signal; a later one ends the server at once', async () => {
  const { baseUrl, origin, child } = await startForTest({ PETSTORE_DRAIN_DELAY: '600' });
  child.kill('SIGTERM');
  child.kill('SIGINT');
  await expect.poll(async () => (await fetch(`${origin}/readyz`)).status).toBe(503);
  expect((await listPets(baseUrl)).status).toBe(200);
  await pause(1100);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([1, null]);
});

test('while the store opens, the server is alive but not ready, and SIGTERM ends it', async () => {
  const database = await startGate();
  const port = await freePort();
  const variables = {
    PORT: String(port),
    PETSTORE_API_KEYS: apiKey,
    PETSTORE_REQUEST_TIMEOUT: '1',
  };
  const DATABASE_URL = `postgres://u@127.0.0.1:${database.port}/d`;
  const server = runServer(main, { env: environment({ ...variables, DATABASE_URL }) });
  onTestFinished(() => {
    server.child.kill('SIGKILL');
  });
  server.child.stdout?.resume();
  const origin = `http://127.0.0.1:${port}`;
  await expect.poll(() => isClosed(origin)).toBe(false);
  expect((await fetch(`${origin}/readyz`)).status).toBe(503);
  expect(await (await listPets(`${origin}/v1`)).json()).toMatchObject({
    code: 'unavailable',
    status: 503,
  });
  await expectEnd(server);
});

test('a server whose disk never responds is not ready, and ends on SIGTERM', async () => {
  const folder = newFolder();
  const trigger = join(folder, 'stand-still');
  const preload = join(folder, 'preload.mjs');
  writeFileSync(
    preload,
    `import { existsSync } from 'node:fs';
  import { open } from 'node:fs/promises';
  const handle = await open(process.execPath);
  const prototype = Object.getPrototypeOf(handle);
  await handle.close();
  const { datasync } = prototype;
  prototype.datasync = function () {
    return existsSync(${JSON.stringify(trigger)}) ? new Promise(() => {}) : datasync.call(this);
  };`,
  );
  const { origin, baseUrl, child } = await startForTest({
    NODE_OPTIONS: `--import=${preload}`,
    PETSTORE_SHUTDOWN_TIMEOUT: '1',
  });
  const create = () =>
    fetch(`${baseUrl}/pets`, { method: 'POST', headers: { ...key, ...json }, body: pet('Rex') });
  expect((await create()).status).toBe(201);
  writeFileSync(trigger, '');
  const waiting = create().catch(() => undefined);
  const ready = async () => (await fetch(`${origin}/readyz`)).status;
  await expect.poll(ready).toBe(503);
  const ended = Promise.withResolvers<number | null>();
  child.once('exit', ended.resolve);
  child.kill('SIGTERM');
  expect(await ended.promise).toBe(0);
  await waiting;
});
