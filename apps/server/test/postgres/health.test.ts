import { apiKey } from '@petstore/testing/load';
import { describeOnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../server-process.ts';

describeOnDatabase('a server on PostgreSQL', (newDatabase) => {
  test('shows its connections, never the address of the database, and stops in order', async () => {
    const url = `${await newDatabase()}&application_name=SECRET`;
    const server = await startServer(url, { PETSTORE_DATABASE_POOL: '3', PETSTORE_LOG_LEVEL: 'debug' });
    onTestFinished(() => server.kill());
    const body = JSON.stringify({ name: 'Rex', categoryId: 1 });
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
    expect((await fetch(`${server.baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201);
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
    await server.kill('SIGTERM');
    expect(server.child.exitCode).toBe(0);
    expect(server.output()).not.toContain('SECRET');
  });
});
