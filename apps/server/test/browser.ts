import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The browser of this machine, to test something in. Only where there is none, and not in CI, may its absence be passed over. */
export function findBrowser(what: string): string | undefined {
  const named = process.env.PETSTORE_TEST_BROWSER;
  const found = (named ? [named] : places).find((place) => existsSync(place));
  if (found) return found;
  const missing = `no browser at ${named ?? places.join(', ')} (PETSTORE_TEST_BROWSER names another place)`;
  if (named || process.env.CI) throw new Error(`${what} cannot be tested: ${missing}.`);
  console.warn(`\n!!! SKIPPED: ${what} is not tested in a browser: ${missing}.\n`);
  return undefined;
}

/** A host name, because browsers trust bare loopback addresses more than what a server is usually reached by. */
export const host = 'petstore.test';

export function launch(executablePath: string): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--host-resolver-rules=MAP ${host} 127.0.0.1, MAP * ~NOTFOUND`,
    ],
  });
}
