import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Browser, findBrowser, host, launch } from '@petstore/testing/browser';
import { build, stop } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../listen.ts';
import type { Program } from './page.ts';

const executable = findBrowser('The client') ?? '';

describe.skipIf(!executable)('the client, bundled, in a page of another origin', () => {
  let browser: Browser;
  let pages: Server;
  let origin: string;

  beforeAll(async () => {
    pages = await serve(await bundle());
    origin = `http://${host}:${(pages.address() as AddressInfo).port}`;
    browser = await launch(executable);
  });
  afterAll(async () => {
    await browser?.close();
    pages?.closeAllConnections();
    pages?.close();
  });

  /** Calls a function of the page's program, with a service that allows these origins. */
  async function call<Name extends keyof Program>(name: Name, corsOrigins: string[]) {
    const service = await listen({ corsOrigins });
    const page = await browser.newPage();
    try {
      const requests: string[] = [];
      const problems: Error[] = [];
      page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).search}`));
      page.on('pageerror', (error) => problems.push(error));
      await page.goto(origin);
      requests.length = 0;
      const args = JSON.stringify([`http://${host}:${new URL(service.origin).port}/v1`, service.apiKey]);
      const result = await page.evaluate<Awaited<ReturnType<Program[Name]>>>(`program.${name}(...${args})`);
      expect(problems).toEqual([]);
      return { result, requests };
    } finally {
      await page.close();
      await service.close();
    }
  }

  test('creates, lists, follows pages and parses errors', async () => {
    const { result, requests } = await call('everything', [origin]);
    expect(result).toEqual({
      page: ['Rex', 'Tom'],
      all: ['Rex', 'Tom', 'Ida', 'Bo', 'Mia'],
      failure: { missing: true, unreachable: false, code: 'not_found', requestId: expect.stringMatching(/./) },
    });
    const lists = requests.filter((request) => request.startsWith('GET ?limit=2'));
    expect(lists).toEqual(['GET ?limit=2', 'GET ?limit=2', 'GET ?limit=2&after=2', 'GET ?limit=2&after=4']);
  });

  test('reports a connection error where CORS rejects the page', async () => {
    const { result } = await call('rejectedByCors', []);
    expect(result).toEqual({ missing: false, unreachable: true });
  });
});

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  await stop();
  return outputFiles.map(({ text }) => text).join('');
}

/** Serves a page with a script, and nothing of the service. */
async function serve(script: string): Promise<Server> {
  const server = createServer(({ url }, response) => {
    if (url === '/page.js') response.setHeader('content-type', 'text/javascript').end(script);
    else response.setHeader('content-type', 'text/html').end('<!doctype html><script src="page.js"></script>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
