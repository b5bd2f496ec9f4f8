import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));
let dataDir: string;
let running: ChildProcess | undefined;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'petstore-'));
});
afterEach(async () => {
  if (running?.exitCode === null) running.kill('SIGKILL');
  await rm(dataDir, { recursive: true });
});

/** Starts the server as a process of its own; `printed` resolves as soon as its output holds the pattern. */
function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PETSTORE_DATA_DIR: dataDir, PORT: '0', ...env },
  });
  running = child;
  let output = '';
  const exited = once(child, 'exit').then(([code]) => ({ code, output }));
  const printed = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output += data;
        if (output.includes('curl')) resolve(output);
      });
    }
  });
  return { child, printed, exited };
}

test('prints lines that work when pasted, and the new key only once', async () => {
  const { child, printed, exited } = start({});
  const [, key, url] = /curl -H 'Authorization: Bearer (\S+)' (\S+)/.exec(await printed) ?? [];
  const answer = await fetch(`${url}`, { headers: { authorization: `Bearer ${key}` } });
  expect([answer.status, await answer.json()]).toEqual([200, []]);
  expect(await readFile(join(dataDir, 'keys.json'), 'utf8')).not.toContain(key);
  child.kill('SIGINT');
  expect((await exited).code).toBe(0);

  const second = start({});
  expect(await second.printed).not.toContain('pk_');
  second.child.kill('SIGTERM');
  expect((await second.exited).code).toBe(0);
});

test('says in one line when the port is taken, and how to choose another', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const { code, output } = await start({ PORT: String(port) }).exited;
  taken.close();
  expect(code).toBe(1);
  expect(output).toBe(
    `petstore-server: port ${port} on 127.0.0.1 is taken; choose another one with PORT=${port + 1} npm start.\n`,
  );
});

test.each([
  ['PORT', 'http'],
  ['PETSTORE_DEPLOYMENT', 'nowhere'],
])('refuses %s=%s with one line that names it', async (name, value) => {
  const { code, output } = await start({ [name]: value }).exited;
  expect(code).toBe(1);
  expect(output).toMatch(new RegExp(`^petstore-server: ${name} is '${value}'.*\n$`));
});
