import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePath = [
  process.env.PETSTORE_TEST_BROWSER ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

/** Why tests in a browser are skipped; undefined if there is one. */
export const noBrowser = executablePath
  ? undefined
  : 'there is no browser (PETSTORE_TEST_BROWSER names one)';

export function launchBrowser(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: ['--disable-gpu', '--no-sandbox', ...args],
  });
}
