import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Pet } from '@petstore/types';
import { afterEach, beforeEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
const apiKey = 'a-key-that-is-for-tests';
let dataDir: string;
let child: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'petstore-'));
});
afterEach(async () => {
  if (child?.exitCode === null) child.kill('SIGKILL');
  await rm(dataDir, { recursive: true });
});

test('SIGTERM under load answers every request that had come, and loses nothing acknowledged', async () => {
  const first = await start();
  const acknowledged: Pet[] = [];
  const broken: unknown[] = [];
  const writers = Array.from({ length: 32 }, async (_, writer) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let i = 0; ; i++) {
      try {
        acknowledged.push(await create(first.url, agent, `${writer}.${i}`));
      } catch (error) {
        // A new connection is turned away once the server no longer listens; one that it took is not.
        const { reused } = error as { reused?: boolean };
        if (reused) broken.push(error);
        return agent.destroy();
      }
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(500);
  first.process.kill('SIGTERM');
  const [code] = await once(first.process, 'exit');
  await Promise.all(writers);
  expect([code, broken]).toEqual([0, []]);

  const second = await start();
  const kept = await everything(second.url);
  const ids = new Set(kept.map(({ id }) => id));
  expect(ids.size).toBe(kept.length);
  expect(acknowledged.filter(({ id }) => !ids.has(id))).toEqual([]);
}, 30_000);

async function start(): Promise<{ process: ChildProcess; url: string }> {
  const env = {
    ...process.env,
    PORT: '0',
    PETSTORE_DATA_DIR: dataDir,
    PETSTORE_API_KEYS: apiKey,
    PETSTORE_LOG_LEVEL: 'silent',
  };
  const started = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  child = started;
  for await (const line of createInterface({ input: started.stderr })) {
    const [, url] = /listens on +(\S+)/.exec(line) ?? [];
    if (url) return { process: started, url };
  }
  throw new Error('the server did not start');
}

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

async function everything(url: string): Promise<Pet[]> {
  const found: Pet[] = [];
  for (let after = 0; ; ) {
    const answer = await fetch(`${url}/pets?limit=100&after=${after}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const page = (await answer.json()) as Pet[];
    found.push(...page);
    if (page.length < 100) return found;
    after = page.at(-1)?.id ?? after;
  }
}
