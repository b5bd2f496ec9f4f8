import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operations } from '@petstore/types';
import { type RequestHandler, Router } from 'express';
import { readOnly } from '../http/health.ts';
import { basePath, readableSpec, servedSpec, specText } from '../spec.ts';
import { page } from './page.ts';
import { presented } from './presented.ts';
import { security } from './security.ts';

/** The docs page with everything that it loads, and the spec as files. */
export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const at = (path: string, handler: RequestHandler) => readOnly(router, path, security, handler);

  // Relative, like every URL of the page, so a reverse proxy can add a path.
  at('/', (_request, response) => response.redirect('docs'));
  at('/openapi.yaml', content('application/yaml', specText));
  at(
    '/openapi.json',
    content('application/json', async () => json(await readableSpec())),
  );

  const shown = async () =>
    json(presented(servedSpec(await readableSpec()), Object.values(operations), `..${basePath}`));
  at(
    '/docs',
    content('text/html; charset=utf-8', () => page),
  );
  at('/docs/openapi.json', content('application/json', shown));
  at(
    '/docs/start.js',
    file('text/javascript', () => import.meta.resolve('./start.js')),
  );
  at(
    '/docs/look.css',
    file('text/css', () => import.meta.resolve('./look.css')),
  );
  at(
    '/docs/swagger-ui.js',
    file('text/javascript', () => import.meta.resolve('#swagger-ui/swagger-ui-bundle.js')),
  );
  at(
    '/docs/swagger-ui.css',
    file('text/css', () => import.meta.resolve('#swagger-ui/swagger-ui.css')),
  );
  return router;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const file = (type: string, url: () => string) =>
  content(`${type}; charset=utf-8`, () => readFileSync(fileURLToPath(url())));

/**
 * Serves constant bytes, which the first request creates, so they do not delay the start. The tag is a hash, because files
 * from a registry all have the same date.
 */
function content(type: string, read: () => string | Buffer | Promise<string>): RequestHandler {
  let prepared: Promise<{ bytes: Buffer; headers: Map<string, string> }> | undefined;
  const make = async () => {
    const bytes = Buffer.from(await read());
    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    const headers = Object.entries({ 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: tag });
    return { bytes, headers: new Map(headers) };
  };
  return async (_request, response) => {
    prepared ??= make();
    const { bytes, headers } = await prepared;
    response.setHeaders(headers).send(bytes);
  };
}
