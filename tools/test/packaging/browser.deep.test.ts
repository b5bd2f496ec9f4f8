// The packed client, bundled by Vite, in a page of another origin, in a real browser.
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { skips } from '@petstore/testing';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, noBrowser } from '../support/browser.ts';
import { newProject, startService } from './project.ts';

/** The program of the page. It leaves what came of its calls where the test reads it. */
const program = `
import { petstore } from '@petstore/client';

async function resultOf(call) {
  const outcome = await call;
  return outcome.ok ? outcome.data : outcome.error.name + ': ' + outcome.error.message;
}

window.run = async (baseUrl, nowhere) => {
  const store = petstore({ baseUrl, apiKey: 'k', retry: 0 });
  const large = 2n ** 60n;
  const { categoryId } = await store.createPet({ name: 'Room 2e', categoryId: large });
  await store.createPet({ name: 'Tom', categoryId: 1 });
  const first = await resultOf(store.listPets({ limit: 1 }).outcome());
  const all = await store.listPets({ limit: 1 }).collect().catch((error) => String(error));
  const unreached = await resultOf(store.withOptions({ baseUrl: nowhere }).listPets().outcome());
  return {
    isExact: categoryId === large,
    first: first.length,
    all: typeof all === 'string' ? all : all.map(({ name }) => name),
    unreached,
  };
};
`;

const skipped = skips('the packed client in a browser', noBrowser, 'chromium');
describe.skipIf(skipped)('in a page of another origin, the client', () => {
  let browser: Browser;
  let origin: string;
  beforeAll(async () => {
    const { folder, remove } = await newProject('client', '--offline');
    await writeFile(join(folder, 'page.js'), program);
    const { build } = await import('vite');
    const lib = { entry: 'page.js', formats: ['es' as const], fileName: 'page' };
    const options = { configFile: false, logLevel: 'warn' } as const;
    await build({ root: folder, ...options, build: { lib, minify: true } });
    const code = await readFile(join(folder, 'dist/page.js'), 'utf8');
    const html = `<!doctype html><script type="module">${code}</script>`;
    const server = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    browser = await launchBrowser();
    return async () => {
      await browser.close();
      server.close();
      server.closeAllConnections();
      remove();
    };
  });

  /** What the program returns for a service that exposes headers. */
  async function run(exposed?: string) {
    const service = await startService(exposed);
    const page = await browser.newPage();
    onTestFinished(async () => {
      await page.close();
      service.stop();
    });
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(origin);
    // As text: the stack of an error in the page names no file that Vitest could show.
    const call = `run('${service.baseUrl}', 'http://127.0.0.1:1/v1').catch(String)`;
    const result: unknown = await page.evaluate(call);
    expect(problems).toEqual([]);
    return result;
  }

  test('creates, reads all pages, and tells a service that it cannot reach', async () => {
    expect(await run()).toEqual({
      isExact: true,
      first: 1,
      all: ['Room 2e', 'Tom'],
      unreached: expect.stringContaining('failed (Failed to fetch); check baseUrl'),
    });
  });

  test('says which headers are hidden, instead of ending a list at its first page', async () => {
    expect(await run('ETag')).toMatchObject({
      first: 1,
      all: expect.stringContaining('CORS must expose Link and X-Request-Id'),
    });
  });
});
