// Servers that share a database.
import { once } from 'node:events';
import { freePort } from '@petstore/testing';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../src/index.ts';
import { describeOnClusters, describeOnSchema } from './databases.ts';
import { linesOf, startForTest, startGate } from './listening.ts';
import { json, key, pet } from './wire.ts';

async function create(origin: string, name: string, idempotencyKey: string) {
  const headers = { ...key, ...json, 'idempotency-key': idempotencyKey };
  const response = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: pet(name) });
  const [replayed, requestId] = ['idempotency-replayed', 'x-request-id'].map((each) =>
    response.headers.get(each),
  );
  return {
    status: response.status,
    text: await response.text(),
    replayed,
    requestId: requestId ?? '',
  };
}
const list = async (origin: string) =>
  await (await fetch(`${origin}/v1/pets`, { headers: key })).json();

describeOnSchema('servers on a database', (newSchema) => {
  test('two of them are one service: what one creates the other lists and does not do again', async () => {
    const DATABASE_URL = await newSchema();
    const [one, other] = await Promise.all([
      startForTest({ DATABASE_URL }),
      startForTest({ DATABASE_URL }),
    ]);
    const first = await create(one.origin, 'Rex', 'k');
    expect(await create(other.origin, 'Rex', 'k')).toMatchObject({
      status: 201,
      text: first.text,
      replayed: 'true',
    });
    expect((await create(other.origin, 'Tom', 'k')).status).toBe(422);
    for (let round = 0; round < 10; round++) {
      const both = await Promise.all(
        [one, other].map(({ origin }) => create(origin, 'Ida', `round-${round}`)),
      );
      expect(both.map(({ replayed }) => replayed).sort()).toEqual([null, 'true'].sort());
      expect(both[0]?.text).toBe(both[1]?.text);
    }
    expect(await list(other.origin)).toHaveLength(11);
    expect(await list(one.origin)).toEqual(await list(other.origin));
  });

  test('an error of the database is in the log with its stack, and not in the response', async () => {
    const DATABASE_URL = await newSchema();
    const server = await startForTest({ DATABASE_URL });
    const database = new Client(DATABASE_URL);
    await database.connect();
    await database.query('DROP TABLE petstore_counters CASCADE');
    await database.end();
    const failed = await create(server.origin, 'Rex', 'k');
    expect([failed.status, failed.text]).toEqual([
      expect.any(Number),
      expect.not.stringContaining('counters'),
    ]);
    expect(failed.status).toBeGreaterThanOrEqual(500);
    const [line] = await linesOf(server, failed.requestId);
    expect(line).toMatchObject({
      level: 50,
      err: { stack: expect.stringMatching(/counters[\s\S]*\n +at /) },
    });
  });

  test('an outage is one line with its stack, a short line for each request, and one line at its end', async () => {
    const DATABASE_URL = await newSchema();
    const server = await startForTest({ DATABASE_URL });
    const database = new Client(DATABASE_URL);
    await database.connect();
    await database.query('ALTER TABLE petstore_counters RENAME TO hidden');
    for (let i = 0; i < 20; i++)
      expect((await create(server.origin, 'Rex', `key-${i}`)).status).toBe(503);
    await database.query('ALTER TABLE hidden RENAME TO petstore_counters');
    await database.end();
    const { status, requestId } = await create(server.origin, 'Rex', 'k');
    expect(status).toBe(201);
    await linesOf(server, requestId);
    const lines = server.stdout().trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('"stack"'))).toHaveLength(1);
    expect(lines.filter((line) => line.includes('"refused":20'))).toHaveLength(1);
    const refused = lines.filter((line) => line.includes('"status":503'));
    expect(refused).toHaveLength(20);
    for (const line of refused) expect(line.length).toBeLessThan(500);
  });

  test('a server that starts is alive before its store is open, and asks for patience', async () => {
    const url = new URL(await newSchema());
    const { hostname, port } = url;
    const gate = await startGate();
    url.host = `127.0.0.1:${gate.port}`;
    const own = await freePort();
    const starting = startForTest({ DATABASE_URL: url.href, PORT: String(own) });
    const origin = `http://127.0.0.1:${own}`;
    const statusOf = (path: string) =>
      fetch(origin + path).then(
        ({ status }) => status,
        () => 0,
      );
    await expect.poll(() => statusOf('/healthz')).toBe(200);
    expect(await statusOf('/readyz')).toBe(503);
    const refused = await create(origin, 'Rex', 'k');
    expect([refused.status, refused.text]).toEqual([503, expect.stringContaining('Retry later.')]);
    gate.open({ hostname, port });
    await starting;
    expect([await statusOf('/readyz'), (await create(origin, 'Rex', 'k')).status]).toEqual([
      200, 201,
    ]);
  });
});

describeOnClusters('a database that is silent', (newCluster) => {
  test('does not keep a server from its end', async () => {
    const cluster = await newCluster();
    onTestFinished(() => cluster.remove());
    await cluster.start();
    const DATABASE_URL = cluster.url();
    const server = await startForTest({ DATABASE_URL, PETSTORE_SHUTDOWN_TIMEOUT: '1' });
    expect((await create(server.origin, 'Rex', 'k')).status).toBe(201);
    const store = await openPostgresStore(DATABASE_URL);
    await cluster.signal('SIGSTOP');
    const waiting = create(server.origin, 'Tom', 'other').catch(() => undefined);
    // A write of this process waits for the time-out of a statement, which the server would wait for, too.
    const statement = store
      .collection('pets')
      .create({})
      .catch(() => 'the time-out of a statement');
    const ended = once(server.child, 'exit').then(([code]) => `the end with ${code}`);
    server.child.kill('SIGTERM');
    expect(await Promise.race([ended, statement])).toBe('the end with 0');
    await waiting;
    await statement;
    await cluster.signal('SIGCONT');
    await store.close();
  });
});
