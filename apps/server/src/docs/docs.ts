import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type RequestHandler, Router } from 'express';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import helmet from 'helmet';
import { cached } from '../cached.ts';
import { openApiDocument } from '../document.ts';
import { readOnly } from '../http/health.ts';
import { type Operation, operations, service } from '../old.ts';

type Spec = OpenAPIV3.DocumentV3_1;
type Parameter = NonNullable<OpenAPIV3.OperationObject['parameters']>[number];

/** The docs page with everything that it loads, and the spec as files. */
export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  const at = (path: string, handler: RequestHandler) => readOnly(router, path, securityHeaders, handler);

  // Relative, like every URL of the page, so a reverse proxy can add a path.
  at('/', (_request, response) => response.redirect('docs'));
  at('/openapi.yaml', content('application/yaml', specText));
  at('/openapi.json', json(readableSpec));

  const shownSpec = async () => presentedSpec(await readableSpec(), Object.values(operations), `..${service.basePath}`);
  const page = () => html;
  at('/docs', content('text/html; charset=utf-8', page));
  at('/docs/openapi.json', json(shownSpec));
  at('/docs/start.js', file('text/javascript', import.meta.resolve('./start.js')));
  at('/docs/look.css', file('text/css', import.meta.resolve('./look.css')));
  at('/docs/swagger-ui.js', file('text/javascript', import.meta.resolve('#swagger-ui/swagger-ui-bundle.js')));
  at('/docs/swagger-ui.css', file('text/css', import.meta.resolve('#swagger-ui/swagger-ui.css')));
  return router;
}

const json = (read: () => Promise<object>) =>
  content('application/json', async () => `${JSON.stringify(await read(), null, 2)}\n`);

const file = (type: string, url: string) => content(`${type}; charset=utf-8`, () => readFileSync(fileURLToPath(url)));

/**
 * Serves constant bytes, which the first request creates, so they do not delay the start. The tag is a hash, because files
 * in npm packages all have the same date.
 */
function content(type: string, read: () => string | Buffer | Promise<string>): RequestHandler {
  const prepared = cached(async () => {
    const bytes = Buffer.from(await read());
    const tag = `"${createHash('sha256').update(bytes).digest('base64url')}"`;
    const headers = Object.entries({ 'Content-Type': type, 'Cache-Control': 'no-cache', ETag: tag });
    return { bytes, headers: new Map(headers) };
  });
  return async (_request, response) => {
    const { bytes, headers } = await prepared();
    response.setHeaders(headers).send(bytes);
  };
}

/** The text of the spec. A spec in several files becomes one. */
async function specText(): Promise<string> {
  const text = readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');
  if (!/\$ref["']?: *["']?[^#"'\s]/.test(text)) return text;
  const { stringify } = await import('yaml');
  return stringify(openApiDocument);
}

/** The parsed spec, with its keys in their original order. */
async function readableSpec(): Promise<Spec> {
  // Loaded on demand: only the docs page needs the parser.
  const { parse } = await import('yaml');
  // The generator uses the same options.
  return parse(await specText(), { maxAliasCount: 1000, merge: true });
}

/** The spec for the docs page: extensions become sentences, and this server is the only one, because the page may call no other. */
export function presentedSpec(spec: Spec, operations: readonly Operation[], server: string): Spec {
  const shown = { ...structuredClone(spec), servers: [{ url: server }] };
  for (const operation of operations) {
    const entry = shown.paths?.[operation.path]?.[operation.method.toLowerCase() as 'get'];
    if (!entry) continue;
    entry.summary = [operation.summary, ...labels(operation)].join(' · ');
    entry.description = [...notices(operation, operations), operation.description].join('\n\n');
    if (entry.parameters) entry.parameters = entry.parameters.map(withoutPrefill);
  }
  return shown;
}

/** The stability and deprecation of an operation for its title. */
function labels({ stability, deprecated, sunset }: Operation): string[] {
  const deprecation = sunset ? `deprecated, will be removed on ${day(sunset)}` : 'deprecated';
  return [...(stability ? [stability] : []), ...(deprecated ? [deprecation] : [])];
}

function notices({ stability, deprecated, ...operation }: Operation, operations: readonly Operation[]): string[] {
  const notices: string[] = [];
  if (stability) notices.push(`> **Stability: ${stability}.** This operation may still change.`);
  if (deprecated) {
    const since = operation.deprecatedSince ? ` since ${day(operation.deprecatedSince)}` : '';
    const until = operation.sunset ? `; it will be removed on **${day(operation.sunset)}**` : '';
    const successor = operations.find(({ id }) => id === operation.successor);
    const instead = successor ? ` Its successor is \`${successor.method} ${successor.path}\`.` : '';
    notices.push(`> **Deprecated**${since}${until}.${instead}`);
  }
  return notices;
}

/** Removes examples of optional filters, because Swagger UI would fill them in and hide other results. */
function withoutPrefill(parameter: Parameter): Parameter {
  if ('$ref' in parameter || parameter.required || parameter.example === undefined) return parameter;
  const { example, ...rest } = parameter;
  return { ...rest, description: `${rest.description ?? ''}\n\nExample: \`${example}\`` };
}

const day = (date: string) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The headers of the docs page, which may load and call its own server only. */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      objectSrc: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  xFrameOptions: { action: 'deny' },
  // Browsers accept these two over HTTPS only, and otherwise log warnings.
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  // HSTS belongs to the proxy that terminates TLS.
  strictTransportSecurity: false,
});

const escapeHtml = (value: string) => value.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);

/** The HTML of the docs page. `start.js` loads the spec into it. */
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(service.summary)}">
<title>${escapeHtml(service.title)} ${escapeHtml(service.version)}</title>
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
