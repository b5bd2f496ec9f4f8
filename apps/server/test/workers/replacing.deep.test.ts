import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { apiKey, runServer } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { beginRequest } from '../http/wire.ts';
import { get } from '../requests.ts';
import { main, preload } from '../server-process.ts';
import { Clients, type ClusterProcess, gone, metric, openConnection, startCluster } from './cluster.ts';

const requests = 'petstore_requests_total{operation="listPets",status="200"}';
const request = `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;

const logged = (server: ClusterProcess, msg: string) => server.entries().filter((entry) => entry.msg === msg);

/** Resolves when this many workers have started in total and two of them run. */
async function serving(server: ClusterProcess, started: number): Promise<void> {
  await expect.poll(() => logged(server, 'worker started').length).toBe(started);
  await expect.poll(() => server.workers()).toHaveLength(2);
}

describeOnSchema('the workers of a server', (newSchema) => {
  test('are replaced one by one on SIGUSR2, also twice, without errors and without lost counts', async () => {
    const server = await startCluster(await newSchema());
    const clients = new Clients(`${server.baseUrl}/pets`, 8);
    await clients.more(200);
    server.child.kill('SIGUSR2');
    await clients.more(50);
    server.child.kill('SIGUSR2');
    await expect.poll(() => logged(server, 'worker replaced').length).toBe(4);
    await clients.more(200);
    await clients.stop();
    expect(clients.errors).toEqual([]);
    await serving(server, 6);
    await expect.poll(() => metric(server, requests)).toBe(clients.served);
    expect(await metric(server, 'petstore_worker_deaths_total')).toBe(0);
    expect(logged(server, 'worker replaced').map(({ abortedRequests }) => abortedRequests)).not.toContain(1);
  });

  test('are replaced after a growing delay when they are killed, and counters keep their values', async () => {
    const server = await startCluster(await newSchema());
    for (let i = 0; i < 10; i++) await get(`${server.baseUrl}/pets`);
    expect(await metric(server, requests)).toBe(10);
    for (let deaths = 1; deaths <= 3; deaths++) {
      for (const pid of await server.workers()) process.kill(pid, 'SIGKILL');
      await serving(server, 2 + 2 * deaths);
      await expect.poll(() => metric(server, 'petstore_worker_deaths_total')).toBe(2 * deaths);
      expect(await metric(server, requests)).toBe(10);
    }
    expect(logged(server, 'worker died')).toHaveLength(6);
    const delays = logged(server, 'missing workers will be started').map(({ delayMs }) => Number(delayMs));
    expect(delays).toEqual(delays.toSorted((a, b) => a - b));
    expect(delays.at(-1)).toBeGreaterThan(Number(delays[0]));
  });

  test('are started after a growing delay while the system cannot create processes', async () => {
    // The system creates no process whose environment is this long.
    const script = `import { writeSync } from 'node:fs';
      const toggle = () => {
        process.env.LONG = process.env.LONG ? '' : 'x'.repeat(4e6);
        writeSync(2, 'toggled');
      };
      if (!process.channel) process.on('SIGWINCH', toggle);`;
    const server = await startCluster(await newSchema(), preload(script));
    server.child.kill('SIGWINCH');
    await expect.poll(() => server.stderr()).toContain('toggled');
    for (const pid of await server.workers()) process.kill(pid, 'SIGKILL');
    await expect.poll(() => logged(server, 'worker did not start').length).toBeGreaterThanOrEqual(6);
    server.child.kill('SIGWINCH');
    await serving(server, 4);
    expect((await get(`${server.baseUrl}/pets`)).status).toBe(200);
    expect(logged(server, 'worker did not start')[0]).toMatchObject({ reason: 'E2BIG' });
    const delays = logged(server, 'missing workers will be started').map(({ delayMs }) => Number(delayMs));
    expect(delays.slice(0, 3)).toEqual([100, 200, 400]);
  });

  test('are replaced when they die, also while another one finishes its requests', async () => {
    const server = await startCluster(await newSchema(), {
      PETSTORE_SHUTDOWN_TIMEOUT: '600',
      PETSTORE_REQUEST_TIMEOUT: '600',
    });
    await beginRequest(server.origin);
    await beginRequest(server.origin);
    server.child.kill('SIGUSR2');
    await expect.poll(() => logged(server, 'worker started').length).toBe(3);
    process.kill(Number(logged(server, 'worker started')[2]?.worker), 'SIGKILL');
    await expect.poll(() => logged(server, 'worker started').length).toBe(4);
    expect(logged(server, 'worker replaced')).toEqual([]);
  });

  test('are replaced when they hang, and leave the connections that they have not accepted to others', async () => {
    const script = `import { writeSync } from 'node:fs';
      if (process.send) process.on('SIGWINCH', () => { writeSync(2, 'hangs'); for (;;); });`;
    const server = await startCluster(await newSchema(), preload(script));
    const [hanging = 0] = await server.workers();
    process.kill(hanging, 'SIGWINCH');
    // Until the signal arrives, the worker would accept connections, which are lost with it.
    await expect.poll(() => server.stderr()).toContain('hangs');
    const sockets = await Promise.all(Array.from({ length: 6 }, () => openConnection(server, request)));
    const responses = sockets.map(async (socket) => String((await once(socket, 'data'))[0]).slice(0, 12));
    expect(await Promise.all(responses)).toEqual(responses.map(() => 'HTTP/1.1 200'));
    await serving(server, 3);
    expect(logged(server, 'worker does not respond, and is killed')).toMatchObject([{ worker: hanging }]);
    expect(logged(server, 'worker died')).toMatchObject([{ worker: hanging, signal: 'SIGKILL' }]);
  });

  test('count the requests for a rate limit once, also those that others serve while they start', async () => {
    const server = await startCluster(await newSchema(), {
      PETSTORE_RATE_LIMIT: '100',
      ...preload('if (process.channel) await new Promise((resolve) => setTimeout(resolve, 1_000));'),
    });
    const remainingOf = (agent: Agent) => async () =>
      Number(/r=(\d+)/.exec(String((await get(`${server.baseUrl}/pets`, agent)).headers.ratelimit))?.[1]);
    const agents = [1, 2].map(() => new Agent({ keepAlive: true, maxSockets: 1 }));
    onTestFinished(() => agents.forEach((agent) => void agent.destroy()));
    const [remaining, remainingElsewhere] = agents.map(remainingOf) as [() => Promise<number>, () => Promise<number>];
    process.kill((await server.workers())[0] ?? 0, 'SIGKILL');
    await expect.poll(() => logged(server, 'worker died').length).toBe(1);
    await expect.poll(() => server.workers()).toHaveLength(2);
    for (let i = 0; i < 40; i++) await remaining();
    const last = await remaining();
    await serving(server, 3);
    // The new worker has no connection yet, so it gets this one.
    expect(await remainingElsewhere()).toBeGreaterThan(last - 10);
  });

  test('can die while the library of the metrics cannot be loaded: later the metrics are served', async () => {
    const script = `import { registerHooks } from 'node:module';
      let failures = process.channel ? 0 : 2;
      const resolve = (name, context, next) => {
        if (name === 'prom-client' && failures-- > 0) throw new Error('too many open files');
        return next(name, context);
      };
      registerHooks({ resolve });`;
    const server = await startCluster(await newSchema(), preload(script));
    // The primary fails to load the library once here, and once when the worker dies.
    await expect.poll(() => logged(server, 'the metrics cannot be loaded').length).toBe(1);
    process.kill((await server.workers())[0] ?? 0, 'SIGKILL');
    await serving(server, 3);
    await expect.poll(async () => (await get(`${server.origin}/metrics`)).status).toBe(200);
  });

  test('leave connections that they have not accepted to their successors when they all die', async () => {
    const server = await startCluster(await newSchema());
    const before = await server.workers();
    for (const pid of before) process.kill(pid, 'SIGSTOP');
    const sockets = await Promise.all(Array.from({ length: 6 }, () => openConnection(server, request)));
    const responses = sockets.map(async (socket) => String((await once(socket, 'data'))[0]).slice(0, 12));
    // Nobody can respond to this request now; the primary accepts it after the connections above.
    const readiness = get(`${server.origin}/readyz`);
    for (const pid of before) process.kill(pid, 'SIGKILL');
    expect(await Promise.all(responses)).toEqual(responses.map(() => 'HTTP/1.1 200'));
    expect((await readiness).status).toBe(200);
  });

  test('fail only their own requests when they are killed under load', async () => {
    const server = await startCluster(await newSchema());
    const clients = new Clients(`${server.baseUrl}/pets`, 8, ({ code }) => code === 'ECONNRESET');
    await clients.more(200);
    const [first = 0] = await server.workers();
    process.kill(first, 'SIGKILL');
    await expect.poll(() => logged(server, 'worker died').length).toBe(1);
    await clients.more(200);
    await clients.stop();
    expect(clients.errors).toEqual([]);
    // Of eight connections each had four.
    expect(logged(server, 'worker died')[0]).toMatchObject({ worker: first, signal: 'SIGKILL', lostConnections: 4 });
  });

  test('accept the first key from the start, and keys that are made later', async () => {
    const folder = newFolder();
    const env = { ...process.env, PORT: '0', PETSTORE_DATA_DIR: folder, DATABASE_URL: await newSchema() };
    const { child, greeting } = runServer(main, { args: ['--workers', '2'], env, stdout: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const { key, url } = await greeting;
    const status = async (each: string) => (await get(url, false, each)).status;
    const statuses = async (each: string) => [await status(each), await status(each)];
    expect(await statuses(key)).toEqual([200, 200]);
    const made = execFileSync(process.execPath, [main, 'keys', 'create', '--name', 'later'], { env, encoding: 'utf8' });
    await expect.poll(() => statuses(made.trim())).toEqual([200, 200]);
  });

  test('do not outlive a primary that is killed', async () => {
    const server = await startCluster(await newSchema());
    const workers = await server.workers();
    expect(workers).toHaveLength(2);
    const clients = new Clients(`${server.baseUrl}/pets`, 4, () => true);
    await clients.more(100);
    await server.kill('SIGKILL');
    await gone(workers);
    await clients.stop();
    expect(clients.errors).toEqual([]);
  });
});
