import { once } from 'node:events';
import { Agent } from 'node:http';
import { newFolder } from '@petstore/testing';
import { startServer } from '@petstore/testing/server';
import type { Pet } from '@petstore/types';
import { expect, onTestFinished, test } from 'vitest';
import { allCollections } from '../src/collections.ts';
import { handlers } from '../src/handlers.ts';
import { openLowdbStore } from '../src/store/lowdb/lowdb.ts';
import { apiOf } from '../src/store/stored.ts';
import { type RequestError, send } from './requests.ts';
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
        const body = JSON.stringify({ name: `${writer}.${i}`, categoryId: 1 });
        acknowledged.push(JSON.parse((await send(`${server.baseUrl}/pets`, { agent, body })).text));
      } catch (error) {
        // New connections fail once the server no longer listens; accepted ones do not.
        const { isAccepted = true } = error as Partial<RequestError>;
        if (isAccepted) broken.push(error);
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
  const stored = await apiOf(handlers(store)).listPets({ after: 0, limit: Number.MAX_SAFE_INTEGER });
  await store.close();
  const ids = new Set(stored.map(({ id }) => id));
  expect(ids.size).toBe(stored.length);
  expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
});
