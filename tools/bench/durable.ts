// What durability costs a caller: creates over HTTP from 64 connections, on the lowdb store and on one that keeps
// nothing, in turns within one run. `node tools/bench/durable.ts [--quick]`. Called with a kind of store, it is the server.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createApp, givenKeys, keyCheck, listen, memoryStore, openLowdbStore } from '@petstore/server';

const apiKey = 'a-key-that-is-for-the-bench';
const connections = 64;
const body = JSON.stringify({ name: 'Rex', categoryId: 2, status: 'available' });

if (process.argv[2] === 'lowdb' || process.argv[2] === 'nothing') await serve(process.argv[2]);
else await bench(process.argv.includes('--quick') ? 3 : 11, process.argv.includes('--quick') ? 500 : 2000);

async function serve(kind: 'lowdb' | 'nothing') {
  let id = 0;
  const store =
    kind === 'lowdb'
      ? await openLowdbStore(process.argv[3] ?? '')
      : { ...memoryStore(), create: async (pet: { name: string; categoryId: number }) => ({ id: ++id, ...pet }) };
  const app = await createApp(store, { keys: keyCheck(givenKeys(apiKey)) });
  const limits = { maxConnections: 1000, headersTimeout: 10_000, requestTimeout: 30_000 };
  const { origin, drain } = await listen(app, { host: '127.0.0.1', port: 0, ...limits });
  console.log(origin);
  process.once('SIGTERM', () => drain(1000).then(() => store.close()));
}

async function bench(rounds: number, milliseconds: number) {
  const folder = mkdtempSync(join(tmpdir(), 'petstore-durable-'));
  const servers = [await start('nothing'), await start('lowdb', folder)];
  const rates = new Map<string, number[]>();
  for (let round = -1; round < rounds; round++) {
    for (const { kind, origin } of servers) {
      const rate = await creates(origin, milliseconds);
      // The round before the first one warms up.
      if (round >= 0) rates.set(kind, [...(rates.get(kind) ?? []), rate]);
    }
  }
  for (const { child } of servers) child.kill('SIGTERM');
  rmSync(folder, { recursive: true });
  const median = (kind: string) => rates.get(kind)?.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
  const [nothing, lowdb] = [median('nothing'), median('lowdb')];
  console.log(`creates over HTTP, ${connections} connections, median of ${rounds} rounds`);
  console.log(`  a store that does nothing  ${Math.round(nothing)}/s`);
  console.log(
    `  lowdb, durable             ${Math.round(lowdb)}/s   ratio ${(lowdb / nothing).toFixed(2)} (target 0.90)`,
  );
}

async function start(kind: string, ...args: string[]) {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), kind, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const origin of createInterface({ input: child.stdout })) return { kind, origin, child };
  throw new Error(`the server on ${kind} did not start`);
}

async function creates(origin: string, milliseconds: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/json',
    'content-length': body.length,
  };
  const started = performance.now();
  let done = 0;
  const create = () =>
    new Promise<void>((resolve, reject) => {
      const sent = request(`${origin}/v1/pets`, { agent, method: 'POST', headers }, (response) => {
        if (response.statusCode !== 201) reject(new Error(`the server answered ${response.statusCode}`));
        response.resume().on('end', resolve);
      });
      sent.on('error', reject).end(body);
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() - started < milliseconds) {
        await create();
        done++;
      }
    }),
  );
  agent.destroy();
  return done / ((performance.now() - started) / 1000);
}
