import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];

/** The browser of this machine. Only where there is none, and not in CI, may its absence be passed over. */
export function findBrowser(): string | undefined {
  const named = process.env.PETSTORE_TEST_BROWSER;
  const found = (named ? [named] : places).find((place) => existsSync(place));
  if (found) return found;
  const missing = `no browser at ${named ?? places.join(', ')} (PETSTORE_TEST_BROWSER names another place)`;
  if (named || process.env.CI) throw new Error(`The docs page cannot be tested: ${missing}.`);
  console.warn(`\n!!! SKIPPED: the docs page is not tested in a browser: ${missing}.\n`);
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

export interface Visit {
  page: Page;
  /** Errors in the console or in scripts, and requests to other hosts. */
  complaints: string[];
}

/** Opens an address in a window of this width, and waits for the operations to be there. */
export async function visit(browser: Browser, url: string, width: number): Promise<Visit> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'data:' && origin !== new URL(url).origin) complaints.push(`request to ${request.url()}`);
  });
  await page.goto(url);
  await page.locator('.opblock').first().waitFor();
  return { page, complaints };
}
