import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service, version } from '@petstore/types';
import { type RequestHandler, Router } from 'express';
import { parse } from 'yaml';
import { readOnly } from './health.ts';

/** The text of the spec. */
export function specText(): string {
  return readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
}

/** The docs page with everything that it loads, and the spec as files. */
export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const spec = () => `${JSON.stringify(parse(specText(), { maxAliasCount: 1000, merge: true }), null, 2)}\n`;
  const file = (url: string) => () => readFileSync(fileURLToPath(url));
  const at = (path: string, type: string, read: () => string | Buffer) =>
    readOnly(router, path, content(`${type}; charset=utf-8`, read));
  // Addresses are relative, so that a proxy can add a path.
  readOnly(router, '/', (_request, response) => response.redirect('docs'));
  at('/openapi.yaml', 'application/yaml', specText);
  at('/openapi.json', 'application/json', spec);
  at('/docs', 'text/html', () => html);
  at('/docs/start.js', 'text/javascript', () => start);
  at('/docs/look.css', 'text/css', file(import.meta.resolve('./docs/look.css')));
  at('/docs/swagger-ui.js', 'text/javascript', file(swaggerUi('swagger-ui-bundle.js')));
  at('/docs/swagger-ui.css', 'text/css', file(swaggerUi('swagger-ui.css')));
  return router;
}

/** A file of Swagger UI: a copy in the published package, because the library itself reports installations. */
function swaggerUi(name: string): string {
  const copy = new URL(`./swagger-ui/${name}`, import.meta.url);
  return existsSync(copy) ? copy.href : import.meta.resolve(`swagger-ui-dist/${name}`);
}

/** The page may load from and call its own server only. */
const policy =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Serves constant bytes, which the first request reads. */
function content(type: string, read: () => string | Buffer): RequestHandler {
  let bytes: Buffer | undefined;
  return (_request, response) => {
    bytes ??= Buffer.from(read());
    response.set({ 'Content-Type': type, 'Cache-Control': 'no-cache', 'Content-Security-Policy': policy });
    response.set({ 'X-Frame-Options': 'DENY', 'Referrer-Policy': 'no-referrer' }).send(bytes);
  };
}

const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escaped(service.summary)}">
<title>${escaped(service.title)} ${escaped(version)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/look.css">
<script defer src="docs/swagger-ui.js"></script>
<script type="module" src="docs/start.js"></script>
</head>
<body>
<main id="docs"><noscript>This page needs JavaScript. The interface is also described by the files below.</noscript></main>
<footer>The interface as a file: <a href="openapi.yaml">openapi.yaml</a> · <a href="openapi.json">openapi.json</a></footer>
</body>
</html>
`;

/** Loads the spec into the page. Requests go to the server that the page came from, also behind a proxy that adds a path. */
const start = `
const base = new URL('.', document.baseURI);
const spec = await fetch(new URL('openapi.json', base)).then((response) => response.json());
spec.servers = [{ url: base.href.slice(0, -1) + '${service.basePath}' }];
// Swagger UI applies its dark colors only with this class.
if (matchMedia('(prefers-color-scheme: dark)').matches) document.documentElement.classList.add('dark-mode');
window.SwaggerUIBundle({
  spec, dom_id: '#docs', deepLinking: true, tryItOutEnabled: true, displayRequestDuration: true,
  showCommonExtensions: true, defaultModelsExpandDepth: 0, validatorUrl: null,
});
`;
