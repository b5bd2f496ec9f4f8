import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { operations } from '@petstore/types';
import { type RequestHandler, Router } from 'express';
import { parse } from 'yaml';
import { readOnly } from '../http/health.ts';
import { basePath, servedSpec, specText } from '../spec.ts';
import { page } from './page.ts';
import { presented } from './presented.ts';
import { security } from './security.ts';

/** The page that shows the interface and lets it be tried out, all that the page loads, and the spec as files. */
export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const at = (path: string, answer: RequestHandler) => readOnly(router, path, security, answer);

  // Relative, as every address in the page is, so that a reverse proxy can put the server under a path of its own.
  at('/', (_request, response) => response.redirect('docs'));
  at('/openapi.yaml', content('application/yaml', specText));
  at('/openapi.json', content('application/json', json(parse(specText))));

  at('/docs', content('text/html; charset=utf-8', page));
  at(
    '/docs/openapi.json',
    content('application/json', json(presented(servedSpec(), Object.values(operations), `..${basePath}`))),
  );
  at('/docs/start.js', file('text/javascript', import.meta.resolve('./start.js')));
  at('/docs/look.css', file('text/css', import.meta.resolve('./look.css')));
  at('/docs/swagger-ui.js', file('text/javascript', import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')));
  at('/docs/swagger-ui.css', file('text/css', import.meta.resolve('swagger-ui-dist/swagger-ui.css')));
  return router;
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;

const file = (type: string, url: string) => content(`${type}; charset=utf-8`, readFileSync(fileURLToPath(url)));

/** Answers the same bytes every time. The tag is made of them, because files from a registry all carry the same date. */
function content(type: string, body: string | Buffer): RequestHandler {
  const bytes = Buffer.from(body);
  const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
  return (_request, response) => {
    response
      .setHeaders(
        new Map([
          ['Content-Type', type],
          ['Cache-Control', 'no-cache'],
          ['ETag', tag],
        ]),
      )
      .send(bytes);
  };
}
