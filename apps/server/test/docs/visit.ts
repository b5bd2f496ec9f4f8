import type { Browser, Page } from '@petstore/testing/browser';

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
