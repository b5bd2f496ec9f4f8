import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { preload, startOnFolder } from './server-process.ts';

test('a server listens before it loads the validator, Express and prom-client, and never loads fetch', async () => {
  const file = join(newFolder(), 'loaded.json');
  const script = `import { writeFileSync } from 'node:fs';
    import { Module } from 'node:module';
    const { error } = console;
    console.error = (greeting) => {
      writeFileSync('${file}', JSON.stringify([...process.moduleLoadList, ...Object.keys(Module._cache)]));
      error(greeting);
    };`;
  await startOnFolder(newFolder(), [], { env: preload(script) });
  const loaded: string[] = JSON.parse(readFileSync(file, 'utf8'));
  expect(loaded.filter((name) => name.includes('node_modules/pino/'))).not.toEqual([]);
  expect(
    loaded.filter((name) => /undici|node_modules\/(prom-client|express|ajv)\/(?!dist\/runtime\/)/.test(name)),
  ).toEqual([]);
});

test('a library that cannot be loaded is loaded again for the next request', async () => {
  const script = `import { registerHooks } from 'node:module';
    const failed = new Set();
    const resolve = (name, context, next) => {
      if (!['prom-client', 'express'].includes(name) || failed.has(name)) return next(name, context);
      failed.add(name);
      throw new Error('too many open files');
    };
    registerHooks({ resolve });`;
  const { origin } = await startOnFolder(newFolder(), [], { env: preload(script) });
  await expect.poll(async () => (await fetch(`${origin}/metrics`)).status).toBe(200);
});
