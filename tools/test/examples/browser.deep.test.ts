// The client in a page of another origin, without a bundler, in a real browser.
import { once } from 'node:events';
import { readFile, symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../support/browser.ts';
import { newProject } from '../support/reader.ts';
import { type Server, startServer } from '../support/server.ts';

/** A name for this machine, because browsers trust loopback addresses more than usual hosts. */
const host = 'petstore.test';

describe.skipIf(skips('the example in a browser', noBrowser, 'chromium'))(
  'the page of the examples',
  () => {
    let browser: Browser;
    let server: Server;
    let origin: string;
    beforeAll(async () => {
      const { folder, remove } = await newProject();
      await symlink('../node_modules', join(folder, 'browser/node_modules'), 'junction');
      const rules = `--host-resolver-rules=MAP ${host} 127.0.0.1, MAP * ~NOTFOUND`;
      browser = await launchBrowser(rules);
      const files = createServer(async ({ url = '/' }, response) => {
        const path = url === '/' ? '/index.html' : url;
        const body = await readFile(join(folder, 'browser', path)).catch(() => undefined);
        const type =
          { '.html': 'text/html', '.js': 'text/javascript' }[extname(path)] ?? 'text/plain';
        response.writeHead(body ? 200 : 404, { 'content-type': type }).end(body);
      }).listen(0, '127.0.0.1');
      await once(files, 'listening');
      origin = `http://${host}:${(files.address() as AddressInfo).port}`;
      server = await startServer({ corsOrigins: [origin] });
      return async () => {
        await browser.close();
        files.closeAllConnections();
        files.close();
        await server.stop();
        remove();
      };
    });

    /** Opens the page, and fills in the address of the server and a key. */
    async function open(key = server.key) {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.goto(origin);
      await page.getByLabel('Address').fill(`http://${host}:${new URL(server.origin).port}/v1`);
      await page.getByLabel('API key').fill(key);
      const expectStatus = async (text: string) => {
        await page.getByRole('status').filter({ hasText: text }).waitFor();
        expect(problems).toEqual([]);
      };
      return { page, expectStatus };
    }

    test('adds a pet and lists the pets of each status of the spec, with names as text', async () => {
      const { page, expectStatus } = await open();
      await page.getByLabel('Name').fill('<b>Rex</b>');
      await page.getByRole('button', { name: 'Add' }).click();
      await expectStatus('Added 1');
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['1 <b>Rex</b>']);
      const status = page.getByLabel('Status');
      const { enum: values } = operations.listPets.fields.status.schema;
      expect(await status.getByRole('option').allTextContents()).toEqual([...values]);
      await status.selectOption('sold');
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('0 sold');
      expect(await page.getByRole('listitem').count()).toBe(0);
      await page.close();
    });

    test('reports a key that is not accepted, and a service that cannot be reached', async () => {
      const { page, expectStatus } = await open('another-key');
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('The service rejected this key. Enter another key.');
      await page.getByLabel('Address').fill(`http://${host}:1/v1`);
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('The service cannot be reached');
      await page.close();
    });
  },
);
