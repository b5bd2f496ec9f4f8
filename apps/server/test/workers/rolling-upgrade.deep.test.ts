import { petstore } from '@petstore/client';
import { send } from '@petstore/testing/load';
import { describeOnSchema } from '@petstore/testing/postgres';
import { apiKey, type ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, test } from 'vitest';
import { storedPets } from '../requests.ts';
import { startOnDatabase } from '../server-process.ts';
import { LoadBalancer } from './rolling-upgrade.ts';

const CALLERS = 16;
/** Pets that are created between two replacements, at least. */
const CALLS = 200;
/** So long that no request fails because the machine is busy. */
const longTimeouts = { PETSTORE_DATABASE_CONNECT_TIMEOUT: '600', PETSTORE_DATABASE_STATEMENT_TIMEOUT: '600' };

/** Creates a pet, lists some, and returns the identifier of the new one. */
type Call = (baseUrl: string, name: string) => Promise<number>;

describeOnSchema('two servers that are replaced one after the other under load', (newSchema) => {
  /** Runs the calls while both servers are replaced; returns what failed, and the names of the acknowledged pets. */
  async function upgrade(call: Call, env: Record<string, string>) {
    const url = await newSchema();
    const start = async () => {
      const server = await startOnDatabase(url, { ...longTimeouts, ...env });
      onTestFinished(() => server.kill());
      return server;
    };
    const servers: ServerProcess[] = [await start(), await start()];
    const balancer = new LoadBalancer();
    const baseUrl = `${await balancer.listen()}/v1`;
    for (const server of servers) await balancer.add(server);

    const failed: string[] = [];
    const created = new Map<number, string>();
    let isOver = false;
    const callers = Array.from({ length: CALLERS }, async (_, caller) => {
      for (let i = 0; !isOver; i++) {
        const name = `${caller}.${i}`;
        await call(baseUrl, name).then(
          (id) => created.set(id, name),
          (error) => failed.push(`${error} ${error.cause ?? ''}`),
        );
      }
    });
    const more = async () => {
      const goal = created.size + CALLS;
      await expect.poll(() => created.size >= goal || failed.length > 0).toBe(true);
    };
    await more();
    for (const server of servers) {
      await server.kill('SIGTERM');
      expect(server.child.exitCode).toBe(0);
      balancer.remove(server);
      await balancer.add(await start());
      await more();
    }
    isOver = true;
    await Promise.all(callers);
    expect(await storedPets(baseUrl)).toEqual(created);
    return failed;
  }

  test('fail no request of a client that retries', async () => {
    const call: Call = async (baseUrl, name) => {
      const api = petstore({ baseUrl, apiKey, timeout: 0, retry: 10 });
      const { id } = await api.createPet({ name, categoryId: 1 });
      await api.listPets({ limit: 5 });
      return id;
    };
    expect(await upgrade(call, {})).toEqual([]);
  });

  test.each(['1', '2'])('fail no request at all with a drain delay, with %s workers', async (workers) => {
    const call: Call = async (baseUrl, name) => {
      const { status, body } = await send(`${baseUrl}/pets`, { name, categoryId: 1 });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      const list = await send(`${baseUrl}/pets?limit=5`);
      if (list.status !== 200) throw new Error(`${list.status} ${JSON.stringify(list.body)}`);
      return (body as { id: number }).id;
    };
    expect(await upgrade(call, { PETSTORE_DRAIN_DELAY: '5', PETSTORE_WORKERS: workers })).toEqual([]);
  });
});
