import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describeOnDatabase } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { things } from '../store/store-fixture.ts';

/** The address of a host that accepts connections and never responds. */
async function silentHost(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeOnDatabase('the start', (newDatabase) => {
  test('tries every host before it fails, also after one that is silent for the connect timeout', async () => {
    const hosts = [await silentHost(), await silentHost()];
    const url = (await newDatabase()).replace('@', `@${hosts.join()},`);
    const store = await openPostgresStore(url, [things], { connectTimeout: 1_000 });
    onTestFinished(() => store.close());
    expect((await store.collection('things').create({})).id).toBe(1);
  });

  test('fails with the address of each host if all are silent', async () => {
    const hosts = [await silentHost(), await silentHost()];
    const url = `postgres://petstore@${hosts.join()}/petstore`;
    const opening = openPostgresStore(url, [things], { connectTimeout: 200 });
    await expect(opening).rejects.toThrow(new RegExp(hosts.map((host) => `${host}: .*timeout`).join('.*')));
  });
});
