import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryStore } from '../src/store/memory.ts';
import { type Listening, listen } from './listen.ts';

const store = memoryStore();
let server: Listening;
let folder: string;
beforeAll(async () => {
  await store.create({ name: 'Rex', categoryId: 2, status: 'sold' });
  server = await listen({}, store);
  // Inside the package, so that the examples find the packages that they import.
  folder = await mkdtemp(fileURLToPath(new URL('.readme-', import.meta.url)));
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

describe.each(['client', 'types'])('every example in the README of @petstore/%s', async (name) => {
  const readme = await readFile(new URL(`../../../packages/${name}/README.md`, import.meta.url), 'utf8');
  const examples = [...readme.matchAll(/^## (.+)$|```ts\n([\s\S]*?)```/gm)];
  let heading = name;
  const titled = examples.flatMap(([, title, code]) => {
    heading = title ?? heading;
    return code ? [[heading, code] as const] : [];
  });

  test.each(titled)('runs: %s', async (title, code) => {
    const file = join(folder, `${titled.findIndex(([one]) => one === title)}-${name}.ts`);
    await writeFile(file, code.replace("apiKey: 'pk_…'", `apiKey: '${server.apiKey}'`));
    const env = { ...process.env, PETSTORE_BASE_URL: server.baseUrl, PETSTORE_API_KEY: server.apiKey };
    const ended = await new Promise((done) => {
      execFile(process.execPath, [file], { env }, (error, stdout, stderr) =>
        done({ failed: error !== null, stderr, said: stdout !== '' }),
      );
    });
    expect(ended).toEqual({ failed: false, stderr: '', said: expect.any(Boolean) });
  });
});
