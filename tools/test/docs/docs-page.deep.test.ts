// The docs page of the server, in a real browser.
import { skips } from '@petstore/testing';
import { operations } from '@petstore/types';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { launchBrowser, noBrowser } from '../support/browser.ts';
import { type Server, startServer } from '../support/server.ts';

const { header } = operations.createPet.idempotencyKey;

describe.skipIf(skips('the docs page in a browser', noBrowser, 'chromium'))('the docs page', () => {
  let browser: Browser;
  let server: Server;
  beforeAll(async () => {
    browser = await launchBrowser();
    server = await startServer();
    return async () => {
      await browser.close();
      await server.stop();
    };
  });

  test('sends requests, with no idempotency key that every visitor would share', async () => {
    for (const name of ['Rex', 'Tom']) {
      const page = await browser.newPage();
      await page.goto(`${server.origin}/docs`);
      await page.getByRole('button', { name: 'Authorize' }).click();
      await page.getByLabel('auth-bearer-value').fill(server.key);
      await page.getByLabel('Apply credentials').click();
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: /^POST \/pets/ }).click();
      const field = page.getByPlaceholder(header);
      await field.waitFor();
      expect(await field.inputValue()).toBe('');
      await page.locator('.body-param textarea').fill(`{"name":"${name}","categoryId":1}`);
      await page.getByRole('button', { name: 'Execute' }).click();
      const statuses = page.locator('.live-responses-table .response-col_status');
      await statuses.filter({ hasText: '201' }).first().waitFor();
      await page.close();
    }
  });
});
