import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { newFolder } from '@petstore/testing';
import { apiKey, startServer } from '@petstore/testing/server';
import type { Pet } from '@petstore/types';
import { expect, onTestFinished, test } from 'vitest';
import { allCollections } from '../src/collections.ts';
import { handlers } from '../src/handlers.ts';
import { openLowdbStore } from '../src/store/lowdb/lowdb.ts';
import { main } from './server-process.ts';

test('SIGTERM under load: every received request gets a response, and no acknowledged write is lost', async () => {
  const dataDir = newFolder();
  const server = await startServer(main, { PETSTORE_DATA_DIR: dataDir });
  onTestFinished(() => server.kill());
  const acknowledged: Pet[] = [];
  const broken: unknown[] = [];
  const writers = Array.from({ length: 32 }, async (_, writer) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; ; i++) {
      try {
        acknowledged.push(await create(server.baseUrl, agent, `${writer}.${i}`));
      } catch (error) {
        // New connections fail once the server no longer listens; accepted ones do not.
        const { reused } = error as { reused?: boolean };
        if (reused) broken.push(error);
        return agent.destroy();
      }
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(500);
  server.child.kill('SIGTERM');
  const [code] = await once(server.child, 'exit');
  await Promise.all(writers);
  expect([code, broken]).toEqual([0, []]);

  const store = await openLowdbStore(dataDir, allCollections);
  const stored = await handlers(store).listPets({ after: 0, limit: Number.MAX_SAFE_INTEGER });
  await store.close();
  const ids = new Set(stored.map(({ id }) => id));
  expect(ids.size).toBe(stored.length);
  expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
});

function create(url: string, agent: Agent, name: string): Promise<Pet> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/pets`, {
      agent,
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    });
    sent.on('error', (error) => reject(Object.assign(error, { reused: sent.reusedSocket })));
    sent.on('response', async (response) => {
      try {
        const chunks = await response.toArray();
        resolve(JSON.parse(Buffer.concat(chunks).toString()));
      } catch (error) {
        reject(Object.assign(error as Error, { reused: true }));
      }
    });
    sent.end(JSON.stringify({ name, categoryId: 1 }));
  });
}
