import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { freePort } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { startForTest } from './listening.ts';
import { json, key, pet } from './wire.ts';

async function create(origin: string, name: string, idempotencyKey: string) {
  const headers = { ...key, ...json, 'idempotency-key': idempotencyKey };
  const response = await fetch(`${origin}/v1/pets`, { method: 'POST', headers, body: pet(name) });
  const replayed = response.headers.get('idempotency-replayed');
  return { status: response.status, text: await response.text(), replayed };
}
const list = async (origin: string) => await (await fetch(`${origin}/v1/pets`, { headers: key })).json();

describeOnSchema('servers on a database', (newSchema) => {
  test('two of them are one service: what one creates the other lists and does not do again', async () => {
    const DATABASE_URL = await newSchema();
    const [one, other] = await Promise.all([startForTest({ DATABASE_URL }), startForTest({ DATABASE_URL })]);
    const first = await create(one.origin, 'Rex', 'k');
    expect(await create(other.origin, 'Rex', 'k')).toEqual({ ...first, replayed: 'true' });
    expect((await create(other.origin, 'Tom', 'k')).status).toBe(422);
    for (let round = 0; round < 10; round++) {
      const both = await Promise.all([one, other].map(({ origin }) => create(origin, 'Ida', `round-${round}`)));
      expect(both.map(({ replayed }) => replayed).sort()).toEqual([null, 'true'].sort());
      expect(both[0]?.text).toBe(both[1]?.text);
    }
    expect(await list(other.origin)).toHaveLength(11);
    expect(await list(one.origin)).toEqual(await list(other.origin));
  });

  test('a server that starts is alive before its store is open, and a create waits for that', async () => {
    const url = new URL(await newSchema());
    const { hostname, port } = url;
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const sockets: Socket[] = [];
    const proxy = createServer(async (socket) => {
      sockets.push(socket.on('error', () => {}));
      await released;
      const database = connect(Number(port), hostname).on('error', () => socket.destroy());
      sockets.push(database);
      socket.pipe(database).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
    url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
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
    const created = create(origin, 'Rex', 'k');
    expect(await statusOf('/readyz')).toBe(503);
    release();
    expect((await created).status).toBe(201);
    await starting;
    expect(await statusOf('/readyz')).toBe(200);
  });
});
