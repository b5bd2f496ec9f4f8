import { findBrowser, host, launch } from '@petstore/testing/browser';
import { type Operation, operations, service, version } from '@petstore/types';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Serving, serveDocs, serveUnder } from './serving.ts';
import { visit } from './visit.ts';

const executable = findBrowser('The docs page') ?? '';

describe.skipIf(!executable)('the docs page in a browser', { timeout: 60_000 }, () => {
  let browser: Browser;
  let server: Serving;
  let proxy: Serving;

  beforeAll(async () => {
    browser = await launch(executable);
  }, 60_000);
  afterAll(() => browser?.close());

  beforeEach(async () => {
    server = await serveDocs();
    proxy = await serveUnder('/animals', server);
  });
  afterEach(async () => {
    await proxy.close();
    await server.close();
  });

  test('shows every operation, and of the deprecated one until when it can be used', async () => {
    const { page, complaints } = await visit(browser, `http://${host}:${server.port}/`, 1280);
    expect(await page.title()).toBe(`${service.title} ${version}`);
    expect(await page.locator('.opblock').count()).toBe(Object.keys(operations).length);
    for (const { id, path, summary } of Object.values<Operation>(operations)) {
      const text = (await operation(page, id).textContent()) ?? '';
      expect(text.replaceAll('\u200b', '')).toContain(path);
      expect(text).toContain(summary);
    }
    expect(await page.locator('.opblock-deprecated').textContent()).toContain('removed on 5 December 2030');
    await open(page, 'getPet');
    const notice = page.getByText('Deprecated since 20 November 2026; it will be removed on 5 December 2030.');
    await notice.waitFor();
    await page.close();
    expect(complaints).toEqual([]);
  });

  test('adds the animal of the example, and lists it', async () => {
    const { page, complaints } = await visit(browser, `http://${host}:${server.port}/docs`, 1280);
    await authorize(page, server.apiKey);
    expect(JSON.parse(await tryOut(page, 'createPet', 201))).toMatchObject({ name: 'Rex', status: 'available' });
    expect(JSON.parse(await tryOut(page, 'listPets', 200)).length).toBeGreaterThan(2);
    await page.close();
    expect(complaints).toEqual([]);
  });

  test('is usable on a narrow screen', async () => {
    const { page, complaints } = await visit(browser, `http://${host}:${server.port}/docs`, 360);
    const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
    expect(await overflow()).toBeLessThanOrEqual(0);
    await authorize(page, server.apiKey);
    expect(JSON.parse(await tryOut(page, 'listPets', 200))).toMatchObject([{ name: 'Rex' }, { name: 'Tom' }]);
    for (const id of ['createPet', 'getPet']) await open(page, id);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.close();
    expect(complaints).toEqual([]);
  });

  test('works behind a reverse proxy, under a path of its own', async () => {
    const { page, complaints } = await visit(browser, `http://${host}:${proxy.port}/animals/`, 1280);
    await authorize(page, server.apiKey);
    const answered = page.waitForResponse((response) => response.url().includes('/v1/'));
    expect(JSON.parse(await tryOut(page, 'listPets', 200))).toMatchObject([{ name: 'Rex' }, { name: 'Tom' }]);
    const called = (await answered).request();
    expect(called.url()).toBe(`http://${host}:${proxy.port}/animals/v1/pets?limit=20`);
    expect(await called.headerValue('authorization')).toBe(`Bearer ${server.apiKey}`);
    await page.close();
    expect(complaints).toEqual([]);
  });
});

const operation = (page: Page, id: string): Locator => page.locator(`[id$="-${id}"].opblock`);

async function open(page: Page, id: string): Promise<void> {
  await operation(page, id).locator('.opblock-summary-control').click();
  await operation(page, id).locator('.responses-wrapper').waitFor();
}

async function authorize(page: Page, apiKey: string): Promise<void> {
  await page.locator('.btn.authorize').click();
  await page.locator('.auth-container input').fill(apiKey);
  await page.locator('.auth-container button[type=submit]').click();
  await page.locator('.auth-container .btn-done').click();
}

/** The body that the page shows after the operation was executed with what its form holds. */
async function tryOut(page: Page, id: string, status: number): Promise<string> {
  await open(page, id);
  await operation(page, id).locator('.execute').click();
  const answer = operation(page, id).locator('.live-responses-table .response', { hasText: String(status) });
  return (await answer.locator('.highlight-code code').textContent()) ?? '';
}
