// The server within an Express program that has other routes.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { petstore } from '@petstore/client';
import { newFolder } from '@petstore/testing';
import { expect, onTestFinished, test } from 'vitest';
import { root } from '../../repository.ts';
import { stop } from '../support/process.ts';

test('embed/main.mjs has its own paths and those of the Petstore', async () => {
  const folder = newFolder('embed', onTestFinished);
  const modules = join(folder, 'node_modules');
  mkdirSync(join(modules, '@petstore'), { recursive: true });
  symlinkSync(join(root, 'apps/server'), join(modules, '@petstore/server'), 'junction');
  symlinkSync(join(root, 'apps/server/node_modules/express'), join(modules, 'express'), 'junction');
  cpSync(join(root, 'examples/embed/main.mjs'), join(folder, 'main.mjs'));
  const apiKey = 'a-key-that-is-for-tests';
  const options = { cwd: folder, timeout: 600_000 };
  const withoutKeys = spawnSync(process.execPath, ['main.mjs'], { ...options, encoding: 'utf8' });
  expect(withoutKeys.stderr).toContain('PETSTORE_API_KEYS: entry 1 is empty');
  const child = spawn(process.execPath, ['main.mjs'], {
    ...options,
    env: { ...process.env, PORT: '0', PETSTORE_API_KEYS: `me=${apiKey}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => stop(child));
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  const origin = String(line).trim();

  expect(await (await fetch(`${origin}/hello`)).text()).toBe('Hello\n');
  const store = petstore({ baseUrl: `${origin}/v1`, apiKey });
  const pet = await store.createPet({ name: 'Rex', categoryId: 2 });
  expect(await store.listPets()).toEqual([pet]);
  expect((await fetch(`${origin}/v1/pets`)).status).toBe(401);
  expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);

  const ended = once(child, 'close');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});
