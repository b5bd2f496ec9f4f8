import { describeOnClusters, describeOnSchema } from '@petstore/testing/postgres';
import { apiKey, type ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { startOnDatabase } from '../server-process.ts';

const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
const rex = { name: 'Rex', categoryId: 1 };

const post = ({ baseUrl }: ServerProcess, pet: object, more = {}) =>
  fetch(`${baseUrl}/pets`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(pet) });

describeOnSchema('a server on PostgreSQL', (newSchema) => {
  test('shows its connections, never the address of the database, and exits with 0 on SIGTERM', async () => {
    const url = `${await newSchema()}&application_name=SECRET`;
    const server = await startOnDatabase(url, { PETSTORE_DATABASE_POOL: '3', PETSTORE_LOG_LEVEL: 'debug' });
    onTestFinished(() => server.kill());
    expect((await post(server, rex, { 'idempotency-key': 'a-key' })).status).toBe(201);
    expect(await (await fetch(`${server.origin}/readyz`)).json()).toEqual({
      status: 'ok',
      connections: {
        read: { idle: 1, busy: 0, opening: 0, waiting: 0 },
        write: { idle: 1, busy: 0, opening: 0, waiting: 0 },
      },
    });
    const metrics = await (await fetch(`${server.origin}/metrics`)).text();
    expect(metrics).toContain('petstore_store_connections{purpose="write",state="idle"} 1');
    expect(metrics).toContain('petstore_store_commit_writes_sum 1');
    expect(metrics).toContain('petstore_idempotency_keys 1');
    expect(metrics).toContain('petstore_idempotency_keys_forgotten_total 0');
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    expect(server.stdout() + server.stderr()).not.toContain('SECRET');
  });
});

describeOnSchema('a page on PostgreSQL', (newSchema) => {
  test('ends early if its pets are large, with a next link', async () => {
    const server = await startOnDatabase(await newSchema());
    onTestFinished(() => server.kill());
    const added: unknown[] = [];
    for (let i = 0; i < 5; i++)
      added.push(await (await post(server, { name: 'é'.repeat(200_000), categoryId: i })).json());
    const pages: unknown[][] = [];
    for (let next: string | undefined = '?limit=100'; next; ) {
      const response: Response = await fetch(`${server.baseUrl}/pets${next}`, { headers });
      pages.push((await response.json()) as unknown[]);
      next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    // Three pets of 400 kB reach the bound of a page.
    expect(pages.map((page) => page.length)).toEqual([3, 2]);
    expect(pages.flat()).toEqual(added);
  });
});

describeOnClusters('a server on an unresponsive database', (newCluster) => {
  test('stops in bounded time, with an exit code other than 0', async () => {
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const timeouts = { PETSTORE_SHUTDOWN_TIMEOUT: '1', PETSTORE_DATABASE_STATEMENT_TIMEOUT: '60' };
    const server = await startOnDatabase(cluster.url(), timeouts);
    onTestFinished(() => server.kill());
    expect((await post(server, rex)).status).toBe(201);
    await cluster.signal('SIGSTOP');
    const outcome = post(server, rex).then(
      () => 'success',
      () => 'aborted',
    );
    const busy = /petstore_store_connections\{purpose="write",state="busy"\} 1/;
    await expect.poll(async () => busy.test(await (await fetch(`${server.origin}/metrics`)).text())).toBe(true);
    await server.kill('SIGTERM');
    expect(await outcome).toBe('aborted');
    expect(server.child.exitCode).not.toBe(0);
  });
});
