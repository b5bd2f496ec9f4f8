import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { skips } from './machine.ts';

export type { Browser, Locator, Page } from 'playwright-core';

const PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The path of this machine's browser. If there is none, prints what is skipped. */
export function findBrowser(what: string): string | undefined {
  const named = process.env.PETSTORE_TEST_BROWSER;
  const found = (named ? [named] : PATHS).find((path) => existsSync(path));
  if (named && !found) throw new Error(`PETSTORE_TEST_BROWSER is ${named}; there is no such file.`);
  skips(what, found ? undefined : 'there is no browser (PETSTORE_TEST_BROWSER names one)', 'chromium');
  return found;
}

/** A host name for the server, because browsers trust loopback addresses more than usual hosts. */
export const host = 'petstore.test';

/** Starts the browser. It resolves `host` to this machine and no other name. */
export function launch(executablePath: string): Promise<Browser> {
  const resolverRules = `MAP ${host} 127.0.0.1, MAP * ~NOTFOUND`;
  const args = ['--disable-gpu', '--disable-quic', `--host-resolver-rules=${resolverRules}`];
  return chromium.launch({ executablePath, args });
}
