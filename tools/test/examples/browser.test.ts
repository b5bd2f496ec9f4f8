import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeep } from '@petstore/testing';
import { findBrowser, host, launch } from '@petstore/testing/browser';
import { operations } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { newProject } from '../support/project.ts';
import { type Server, startServer } from '../support/server.ts';
import { files, type Pages, vite } from './pages.ts';

const executable = findBrowser('the example in a browser') ?? '';
/** Vite takes seconds to start. */
const pageServers = isDeep ? { 'a file server': files, Vite: vite } : { 'a file server': files };

describe.skipIf(!executable)('the page of the examples', () => {
  let folder: string;
  let browser: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    const project = await newProject();
    folder = join(project.folder, 'browser');
    await symlink('../node_modules', join(folder, 'node_modules'), 'junction');
    browser = await launch(executable);
    return async () => {
      await browser.close();
      project.remove();
    };
  });

  describe.each(Object.entries(pageServers))('from %s', (_, serve) => {
    let server: Server;
    let pages: Pages;
    beforeAll(async () => {
      pages = await serve(folder, host);
      server = await startServer({ corsOrigins: [`http://${host}:${pages.port}`] });
      return async () => {
        await pages.close();
        await server.stop();
      };
    });

    /** Opens the page, and fills in the address of the server and a key. */
    async function open(key = server.key) {
      const page = await browser.newPage();
      const problems: string[] = [];
      page.on('pageerror', (error) => problems.push(String(error)));
      await page.goto(`http://${host}:${pages.port}`);
      await page.getByLabel('Address').fill(`http://${host}:${new URL(server.origin).port}/v1`);
      await page.getByLabel('API key').fill(key);
      const expectStatus = async (text: string) => {
        await page.getByRole('status').filter({ hasText: text }).waitFor();
        expect(problems).toEqual([]);
      };
      return { page, expectStatus };
    }

    test('adds a pet and lists the pets of one status, with names as text', async () => {
      const { page, expectStatus } = await open();
      await page.getByLabel('Name').fill('<b>Rex</b>');
      await page.getByRole('button', { name: 'Add' }).click();
      await expectStatus('Added 1');
      expect(await page.getByRole('listitem').allTextContents()).toEqual(['1 <b>Rex</b>']);
      await page.getByLabel('Status').selectOption('sold');
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('0 sold');
      expect(await page.getByRole('listitem').count()).toBe(0);
      await page.close();
    });

    test('offers each status of the spec, and reports the one that it lists', async () => {
      const { page, expectStatus } = await open();
      const status = page.getByLabel('Status');
      const { enum: values } = operations.listPets.fields.status.schema;
      expect(await status.getByRole('option').allTextContents()).toEqual([...values]);
      // The visitor chooses another status while the list is on its way.
      await page.route('**/v1/pets?*', async (route) => {
        await status.selectOption('sold');
        await route.continue();
      });
      await status.selectOption('pending');
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('0 pending');
      await page.close();
    });

    test('reports a key that is not accepted, and a service that cannot be reached', async () => {
      const { page, expectStatus } = await open('another-key');
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('The service rejected this key. Enter another one.');
      await page.getByLabel('Address').fill(`http://${host}:1/v1`);
      await page.getByRole('button', { name: 'List' }).click();
      await expectStatus('The service cannot be reached');
      await page.close();
    });
  });
});
