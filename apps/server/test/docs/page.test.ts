import { rounds } from '@petstore/testing';
import { type Browser, findBrowser, host, type Locator, launch, type Page } from '@petstore/testing/browser';
import { type Operation, operations, service, version } from '@petstore/types';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Serving, serveDocs, serveUnder } from './serving.ts';

const executable = findBrowser('The docs page') ?? '';

describe.skipIf(!executable)('the docs page in a browser', () => {
  let browser: Browser;
  let server: Serving;
  let proxy: Serving;

  beforeAll(async () => {
    browser = await launch(executable);
    server = await serveDocs();
    proxy = await serveUnder('/shop', server);
    return async () => {
      await browser.close();
      await proxy.close();
      await server.close();
    };
  });

  const visits = rounds(
    [{ where: 'on a narrow screen, behind a reverse proxy, under a path of its own', width: 360, path: '/shop/' }],
    [
      { where: 'on a narrow screen, behind a reverse proxy, under a path of its own', width: 360, path: '/shop/' },
      { where: 'on a wide screen', width: 1280, path: '/' },
    ],
  );

  test.each(visits)(
    'shows every operation and the removal date of the deprecated one; creates the pet of the example and lists it: $where',
    async ({ width, path }) => {
      const origin = `http://${host}:${(path === '/' ? server : proxy).port}`;
      const { page, problems } = await visit(browser, origin + path, width);
      const overflow = () => page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      expect(await overflow()).toBeLessThanOrEqual(0);
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
      await authorize(page, server.apiKey);
      expect(JSON.parse(await tryOut(page, 'createPet', 201))).toMatchObject({ name: 'Rex', status: 'available' });
      const responded = page.waitForResponse((response) => response.url().includes('/v1/'));
      const listed = JSON.parse(await tryOut(page, 'listPets', 200));
      expect(listed.length).toBeGreaterThan(2);
      expect(listed.slice(0, 2)).toMatchObject([{ name: 'Rex' }, { name: 'Tom' }]);
      const called = (await responded).request();
      expect(called.url()).toBe(`${origin + path}v1/pets?limit=20`);
      expect(await called.headerValue('authorization')).toBe(`Bearer ${server.apiKey}`);
      expect(await overflow()).toBeLessThanOrEqual(0);
      await page.close();
      expect(problems).toEqual([]);
    },
  );
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

/** The response body that the page shows after it has executed the operation with the values of its form. */
async function tryOut(page: Page, id: string, status: number): Promise<string> {
  await open(page, id);
  await operation(page, id).locator('.execute').click();
  const response = operation(page, id).locator('.live-responses-table .response', { hasText: String(status) });
  return (await response.locator('.highlight-code code').textContent()) ?? '';
}

/** Opens an address in a window of this width, and waits until the page shows the operations. */
async function visit(browser: Browser, url: string, width: number) {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  // Errors in the console or in scripts, and requests to other hosts.
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(url).origin) problems.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('.opblock').first().waitFor();
  return { page, problems };
}
