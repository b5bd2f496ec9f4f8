import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultConfig, type Running, serve } from '@petstore/server';
import { operations, service } from '@petstore/types';
import { afterAll, beforeAll, expect, test } from 'vitest';

let server: Running;
let dataDir: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'petctl-'));
  server = await serve(defaultConfig({ port: 0, dataDir, validateResponses: true, logLevel: 'silent' }));
  const { pathname } = new URL(service.deployments.production);
  env = { ...process.env, PETCTL_API_KEY: server.madeKey, PETCTL_BASE_URL: server.origin + pathname };
});

afterAll(async () => {
  await server.stop();
  await rm(dataDir, { recursive: true });
});

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

function petctl(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((done) => {
    execFile(process.execPath, [main, ...args], { env }, (error, stdout, stderr) => {
      done({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });
}

test('adds an animal and lists it', async () => {
  const added = await petctl('pets', 'create', '--name', 'Rex', '--category-id', '2', '--status', 'available');
  expect(added).toEqual({ code: 0, stdout: '1\tRex\t2\tavailable\n', stderr: '' });
  expect(await petctl('pets', 'list', '--status', 'available')).toEqual(added);
});

test('warns of a deprecated operation on stderr, and still answers', async () => {
  const { stdout, stderr } = await petctl('pets', 'get', '1');
  expect(stdout).toBe('1\tRex\t2\tavailable\n');
  expect(stderr).toContain(operations.getPet.sunset);
});

test('says what the service said when it refuses', async () => {
  const { code, stdout, stderr } = await petctl('pets', 'get', '999');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('There is no animal with the identifier 999.');
});

const { minimum, maximum } = operations.listPets.fields.limit;
test.each([minimum - 1, maximum + 1, '1e1', ''])('refuses --limit %j before any request', async (limit) => {
  const { code, stderr } = await petctl('pets', 'list', `--limit=${limit}`);
  expect(code).not.toBe(0);
  expect(stderr).toContain('--limit');
});
