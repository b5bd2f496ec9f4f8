// The docs page with everything that it loads, and the spec as files.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { service, version } from '@petstore/types';
import type { RequestHandler } from 'express';
import { notAllowed, nothingAt } from './errors.ts';
import { exchangeOf } from './exchange.ts';
import { send } from './send.ts';
import { parseSpec, readSpec } from './spec.ts';

interface Page {
  readonly type: string;
  /** Reads the content, which the first request does. */
  read(): string;
  content?: Buffer;
}

/** Addresses within them are relative, so that a proxy can add a path. */
const pages: ReadonlyMap<string, Page> = new Map([
  ['/openapi.yaml', { type: 'application/yaml', read: readSpec }],
  [
    '/openapi.json',
    { type: 'application/json', read: () => `${JSON.stringify(parseSpec(), null, 2)}\n` },
  ],
  ['/docs', { type: 'text/html', read: readDocs }],
  ['/docs/look.css', { type: 'text/css', read: () => readHere('docs/look.css') }],
  ['/docs/docs.js', { type: 'text/javascript', read: () => readHere('docs/docs.js') }],
  [
    '/docs/swagger-ui.js',
    { type: 'text/javascript', read: () => readSwaggerUi('swagger-ui-bundle.js') },
  ],
  ['/docs/swagger-ui.css', { type: 'text/css', read: () => readSwaggerUi('swagger-ui.css') }],
]);

/** Pages load from and call their own server only. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Answers every request outside of the base path of the service. */
export const docs: RequestHandler = (_request, response, next) => {
  const exchange = exchangeOf(response);
  const { target, method, requestId } = exchange;
  if (target.isService) return next();
  if (target.path === '*' && method === 'OPTIONS') {
    // OPTIONS of the whole server (RFC 9110 9.3.7).
    send(exchange, { status: 204 });
    return;
  }
  const page = target.isWellFormed ? pages.get(target.url) : undefined;
  if (!page) throw nothingAt(target);
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
  page.content ??= Buffer.from(page.read());
  response.set({
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Type': `${page.type}; charset=utf-8`,
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': policy,
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
  });
  response.send(page.content);
};

function readHere(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8');
}

const { title, summary, basePath } = service;
const values: Readonly<Record<string, string>> = { title, summary, basePath, version };

/** The page with the values of the spec: `{{title}}`. */
function readDocs(): string {
  return readHere('docs/index.html').replace(/{{(\w+)}}/g, (_, name: string) =>
    escaped(values[name] ?? ''),
  );
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A file of Swagger UI: a copy in the published package, because the library itself reports installations. */
function readSwaggerUi(name: string): string {
  const copy = new URL(`./swagger-ui/${name}`, import.meta.url);
  if (existsSync(copy)) return readFileSync(copy, 'utf8');
  return readFileSync(fileURLToPath(import.meta.resolve(`swagger-ui-dist/${name}`)), 'utf8');
}
