import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { Agent } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { apiKey, startServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { get } from '../requests.ts';
import { main, preload, startOnDatabase } from '../server-process.ts';
import { metric, openConnection, startCluster } from './cluster.ts';

const requests = 'petstore_requests_total{operation="listPets",status="200"}';
const head = `Host: x\r\nAuthorization: Bearer ${apiKey}\r\n`;

/** What a server that does not start has written. */
const startError = (url: string, env: NodeJS.ProcessEnv) =>
  startOnDatabase(url, { PETSTORE_WORKERS: '2', ...env }).then(
    () => 'it started',
    (error) => String(error.message),
  );

/** Makes each process fail to load a library. */
function withoutLibrary(library: string): { NODE_OPTIONS: string } {
  return preload(`import { registerHooks } from 'node:module';
    const resolve = (name, context, next) => {
      if (name === '${library}') throw new Error('there is no ' + name);
      return next(name, context);
    };
    registerHooks({ resolve });`);
}

test('several workers without a database are rejected in one line that says what to do', async () => {
  const error = await startServer(main, { PETSTORE_WORKERS: '2' }).catch(String);
  expect(error).toMatch(/: petstore-server: --workers is 2, but .* Set DATABASE_URL .*\n$/);
});

describeOnSchema('a server of two workers', (newSchema) => {
  test('serves one port with both, and has the sums of both in its metrics', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_DATABASE_POOL: '3' });
    for (let i = 0; i < 10; i++) expect((await get(`${server.baseUrl}/pets`)).status).toBe(200);
    await expect.poll(() => metric(server, requests)).toBe(10);
    expect(await metric(server, 'petstore_workers{state="serving"}')).toBe(2);
    await expect.poll(() => metric(server, 'petstore_store_connections{purpose="write",state="idle"}')).toBe(2);
    expect((await get(`${server.origin}/healthz`)).status).toBe(200);
    expect((await get(`${server.origin}/readyz`)).status).toBe(200);
    const served = () => server.entries().filter(({ operation }) => operation === 'listPets');
    await expect.poll(() => served().length).toBe(10);
    expect(new Set(served().map(({ pid }) => pid))).toEqual(new Set(await server.workers()));
  });

  test('counts each idempotency key once in its metrics', async () => {
    const server = await startCluster(await newSchema());
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    for (let i = 0; i < 4; i++) {
      const response = await fetch(`${server.baseUrl}/pets`, {
        method: 'POST',
        headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': 'one' },
        body,
      });
      expect([response.status, ((await response.json()) as { id: number }).id]).toEqual([201, 1]);
    }
    await expect.poll(() => metric(server, 'petstore_idempotency_keys')).toBe(1);
  });

  test('has its routes for operators on a separate port', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_ADMIN_PORT: '0' });
    for (const path of ['/metrics', '/healthz', '/readyz']) {
      expect((await get(server.adminOrigin + path)).status).toBe(200);
      expect((await get(server.origin + path)).status).toBe(404);
    }
  });

  test('serves and stops without the library of the metrics', async () => {
    const server = await startCluster(await newSchema(), withoutLibrary('prom-client'));
    const reported = () => server.entries().filter(({ msg }) => msg === 'the metrics cannot be loaded');
    // The primary and both workers report it.
    await expect.poll(() => new Set(reported().map(({ pid }) => pid)).size).toBe(3);
    expect((await get(`${server.baseUrl}/pets`)).status).toBe(200);
    expect((await get(`${server.origin}/metrics`)).status).toBe(500);
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
  });

  test('shares the rate limit of a key', async () => {
    const server = await startCluster(await newSchema(), {
      PETSTORE_RATE_LIMIT: '100',
      // Every object has a property of this name.
      PETSTORE_API_KEYS: `constructor=${apiKey}`,
    });
    const connection = () => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      onTestFinished(() => agent.destroy());
      return async () =>
        Number(/r=(\d+)/.exec(String((await get(`${server.baseUrl}/pets`, agent)).headers.ratelimit))?.[1]);
    };
    // A new connection goes to the worker that has fewer: these two have different workers.
    const [remaining, remainingElsewhere] = [connection(), connection()];
    await remaining();
    const poll = async () => {
      for (let i = 0; i < 50; i++) await remaining();
      return remainingElsewhere();
    };
    // The limit restores more than one request a second, so only the requests of the other worker can lower the rest.
    await expect.poll(poll, { interval: 1_000 }).toBeLessThan(50);
  });

  test('bounds the total number of connections', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_MAX_CONNECTIONS: '3' });
    const request = `GET /v1/pets HTTP/1.1\r\n${head}\r\n`;
    for (let i = 0; i < 3; i++) await once(await openConnection(server, request), 'data');
    const [closed] = await Promise.all([once(await openConnection(server), 'close')]);
    expect(closed).toEqual([false]);
  });

  test('bounds the time of a head, and responds to a client that half-closes', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_HEADERS_TIMEOUT: '0.2' });
    const half = await openConnection(server, 'GET /v1/pets HTTP/1.1\r\n');
    expect(String((await once(half, 'data'))[0])).toContain('HTTP/1.1 408');
    const ending = await openConnection(server);
    ending.end(`GET /v1/pets HTTP/1.1\r\n${head}\r\n`);
    expect(String((await once(ending, 'data'))[0])).toContain('HTTP/1.1 200');
  });

  test('does not start on a used port, and reports it in one line', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void taken.close());
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const message = await startError(await newSchema(), { PORT: String(port) });
    expect(message).toMatch(new RegExp(`: petstore-server: port ${port} on 127.0.0.1 is in use; .*\\n$`));
  });

  test('does not start without its database, reports it in one line, and leaves no process behind', async () => {
    const url = 'postgres://petstore@127.0.0.1:1/none';
    const message = await startError(url, { PETSTORE_DATABASE_CONNECT_TIMEOUT: '0.2', PETSTORE_LOG_LEVEL: 'error' });
    expect(message).toMatch(/^The server did not start: petstore-server: There is no connection .*\n$/);
  });

  test('does not start if it cannot create the first key, reports it in one line, and leaves no process behind', async () => {
    const folder = newFolder();
    mkdirSync(join(folder, 'keys.lock'));
    const keys = { PETSTORE_API_KEYS: undefined, PETSTORE_DATA_DIR: folder };
    const message = await startError(await newSchema(), { ...keys, PETSTORE_LOG_LEVEL: 'silent' });
    expect(message).toMatch(/^The server did not start: petstore-server: .*keys\.lock cannot be locked .*\n$/);
  });

  test.each(['1', '2'])('does not start without the library of its app, and ends: %s process(es)', async (workers) => {
    const env = { PETSTORE_WORKERS: workers, PETSTORE_VALIDATE_RESPONSES: 'true', PETSTORE_LOG_LEVEL: 'silent' };
    const message = await startError(await newSchema(), { ...env, ...withoutLibrary('express') });
    expect(message).toMatch(/^The server did not start: petstore-server: .*there is no express/);
  });

  test('reports in one line that a worker does not start', async () => {
    const url = await newSchema();
    const errorWith = async (script: string) => startError(url, { PETSTORE_LOG_LEVEL: 'silent', ...preload(script) });
    expect(await errorWith("if (process.send) process.kill(process.pid, 'SIGKILL');")).toBe(
      'The server did not start: petstore-server: a worker ended with SIGKILL before it served.\n',
    );
    expect(await errorWith("process.execPath = '/no/program';")).toBe(
      'The server did not start: petstore-server: a worker cannot be started (ENOENT).\n',
    );
  });
});
