import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, test } from 'vitest';
import { beginRequest } from '../http/wire.ts';
import { get } from '../requests.ts';
import { Clients, gone, openConnection, startCluster } from './cluster.ts';

describeOnSchema('a server of two workers that is stopped', (newSchema) => {
  test('responds to every received request, exits with 0, and leaves no process behind', async () => {
    const server = await startCluster(await newSchema());
    const workers = await server.workers();
    // Once it no longer listens, new connections are rejected; accepted ones are served.
    const clients = new Clients(`${server.baseUrl}/pets`, 16, ({ isAccepted }) => !isAccepted);
    await clients.more(500);
    await server.kill('SIGTERM');
    await clients.stop();
    expect([server.child.exitCode, clients.errors]).toEqual([0, []]);
    await gone(workers);
    expect(server.entries().slice(-1)).toMatchObject([{ msg: 'stopped', abortedRequests: 0 }]);
  });

  test('counts aborted requests, in bounded time', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_SHUTDOWN_TIMEOUT: '0.5' });
    await beginRequest(server.origin);
    await beginRequest(server.origin);
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(1);
    expect(server.stderr()).toContain('2 requests were aborted');
  });

  test('during its drain delay is not ready, serves, and closes connections', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_DRAIN_DELAY: '600' });
    const workers = await server.workers();
    server.child.kill('SIGTERM');
    await expect.poll(async () => (await get(`${server.origin}/readyz`)).status).toBe(503);
    const { status, headers } = await get(`${server.baseUrl}/pets`);
    expect([status, headers.connection]).toEqual([200, 'close']);
    // Workers that start during the delay are not ready either.
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    expect((await get(`${server.origin}/readyz`)).status).toBe(503);
    await server.kill('SIGTERM');
    expect(server.child.signalCode).toBe('SIGTERM');
    await gone(workers);
  });

  test('exits in bounded time, and not with 0, if a worker hangs', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_SHUTDOWN_TIMEOUT: '0.2' });
    const workers = await server.workers();
    process.kill(workers[0] ?? 0, 'SIGSTOP');
    await server.kill('SIGTERM');
    expect(server.child.exitCode).not.toBe(0);
    await gone(workers);
  });

  test('exits with 0 if it reads the last messages of its workers late', async () => {
    const server = await startCluster(await newSchema());
    // The messages about so many closed connections fill the channels to the primary.
    const sockets = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const socket = await openConnection(server, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
        await once(socket, 'data');
        return socket;
      }),
    );
    const closed = sockets.map((socket) => once(socket.resume(), 'close'));
    const ended = once(server.child, 'exit');
    server.child.kill('SIGTERM');
    await expect.poll(() => server.entries().some(({ msg }) => msg === 'stopping')).toBe(true);
    server.child.kill('SIGSTOP');
    await Promise.all(closed);
    // In this time, workers would exit if they did not wait for the primary.
    await pause(1000);
    server.child.kill('SIGCONT');
    expect(await ended).toEqual([0, null]);
  });

  test('stops cleanly while it replaces its workers', async () => {
    const server = await startCluster(await newSchema());
    server.child.kill('SIGUSR2');
    await expect.poll(async () => (await server.workers()).length).toBe(3);
    const workers = await server.workers();
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    await gone(workers);
  });

  test('starts no worker while it stops, also if a worker that is being replaced exits then', async () => {
    const server = await startCluster(await newSchema(), { PETSTORE_SHUTDOWN_TIMEOUT: '2' });
    const logged = (msg: string) => server.entries().filter((entry) => entry.msg === msg);
    await beginRequest(server.origin);
    await beginRequest(server.origin);
    server.child.kill('SIGUSR2');
    await expect.poll(() => logged('worker started').length).toBe(3);
    // The first worker exits this long before the second one, whose replacement would then start.
    await pause(1500);
    await server.kill('SIGTERM');
    expect([logged('worker replaced').length, logged('worker started').length]).toEqual([1, 3]);
  });
});
