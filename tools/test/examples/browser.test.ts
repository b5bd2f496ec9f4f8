import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { findBrowser, host, launch } from '@petstore/testing/browser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newProject } from '../docs/project.ts';
import { newWorld, type World } from '../docs/world.ts';
import { files, type Pages, vite } from './pages.ts';

const executable = findBrowser('The example in a browser') ?? '';

describe.skipIf(!executable).each([
  ['a server of files', files],
  ['Vite', vite],
] as const)('the page of the examples, from %s', (_, serve) => {
  let world: World;
  let pages: Pages;
  let browser: Awaited<ReturnType<typeof launch>>;
  beforeAll(async () => {
    const project = await newProject();
    const folder = join(project.folder, 'browser');
    await symlink('../node_modules', join(folder, 'node_modules'));
    pages = await serve(folder, host);
    world = await newWorld({ PETSTORE_CORS_ORIGIN: `http://${host}:${pages.port}` }, project);
    browser = await launch(executable);
  });
  afterAll(async () => {
    await browser?.close();
    await pages?.close();
    await world?.close();
  });

  /** Opens the page, and fills in where the service is. */
  async function open(key = world.key) {
    const page = await browser.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    await page.goto(`http://${host}:${pages.port}`);
    await page.getByLabel('Address').fill(`http://${host}:${new URL(world.origin).port}/v1`);
    await page.getByLabel('API key').fill(key);
    const said = async (text: string) => {
      await page.getByRole('status').filter({ hasText: text }).waitFor();
      expect(problems).toEqual([]);
    };
    return { page, said };
  }

  test('adds animals and lists those of one status, their names as text', async () => {
    const { page, said } = await open();
    await page.getByLabel('Name').fill('<b>Rex</b>');
    await page.getByRole('button', { name: 'Add' }).click();
    await said('Added 1');
    expect(await page.getByRole('listitem').allTextContents()).toEqual(['1 <b>Rex</b>']);
    await page.getByLabel('Status').selectOption('sold');
    await page.getByRole('button', { name: 'List' }).click();
    await said('0 sold');
    expect(await page.getByRole('listitem').count()).toBe(0);
    await page.close();
  });

  test('says so where the key is not known, and where the service cannot be reached', async () => {
    const { page, said } = await open('another-key');
    await page.getByRole('button', { name: 'List' }).click();
    await said('The service does not take this key.');
    await page.getByLabel('Address').fill(`http://${host}:1/v1`);
    await page.getByRole('button', { name: 'List' }).click();
    await said('The service cannot be reached');
    await page.close();
  });
});
