import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { service, version } from '@petstore/types';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import { fail, type Serve, type Service, send } from './dispatch.ts';
import { HttpError, invalid, notAllowed, nothingAt } from './errors.ts';
import { read } from './read.ts';
import { exchangeOf, headersOf } from './request.ts';
import { isValid, plain, ranges } from './validators.ts';

/** Of the violations of a body with more bytes, only the first is named. */
const MAX_EXPLAINED = 1000;

/** Creates the Express app, which serves every request, and says what is wrong with it. */
export function expressApp({ admit, dispatch, bodyLimit }: Service): Serve {
  const app = express().disable('x-powered-by');

  app.use((request, response, next) => {
    const exchange = exchangeOf(response);
    const { target, method } = exchange;
    if (target.isService) return next();
    response.set(headersOf(exchange));
    if (target.path === '*' && method === 'OPTIONS') return void response.status(204).end();
    if (!target.isWellFormed || !Object.hasOwn(pages, target.url)) throw nothingAt(target);
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
    pages[target.url]?.(request, response, next);
  });

  app.use(async (request, response, next) => {
    const exchange = exchangeOf(response);
    const { target, method, operation } = exchange;
    await admit(exchange);
    if (!target.route) throw nothingAt(target);
    const { allow } = target.route;
    if (method === 'OPTIONS')
      return void response.writeHead(204, { ...headersOf(exchange), Allow: allow }).end();
    if (!operation) throw notAllowed(method, allow);
    exchange.input ??= await read(exchange, operation, bodyLimit);
    // The validator changes what it reads, so it gets copies.
    const { query, plainBody } = structuredClone({
      ...exchange.input,
      query: plain(exchange.input.query),
    });
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
    request.body = plainBody;
    if (method === 'HEAD') request.method = 'GET';
    next();
  });

  const spec = { ...parsedSpec(bounded), servers: [{ url: service.basePath }] };
  const validator = (allErrors: boolean) =>
    express.Router().use(
      OpenApiValidator.middleware({
        apiSpec: spec,
        validateRequests: { allErrors, allowUnknownQueryParameters: true },
        validateSecurity: false,
        // Integers have bounds instead.
        validateFormats: false,
        fileUploader: false,
        useRequestUrl: true,
      }),
    );
  const [first, all] = [validator(false), validator(true)];
  app.use((request, response, next) => {
    const { 'content-length': length = 0, 'transfer-encoding': coding } = request.headers;
    // To name each of many violations would take long.
    (coding || Number(length) > MAX_EXPLAINED ? first : all)(request, response, next);
  });

  app.use(async (_request, response) => {
    const exchange = exchangeOf(response);
    const { operation, input } = exchange;
    if (!operation || !input) throw new Error('The request was not read.');
    // One validator decides on both paths.
    if (!isValid(operation, input)) throw invalid('The request does not match the spec.');
    send(exchange, await dispatch(exchange, operation, input));
  });

  app.use(((error, _request, response, _next) =>
    fail(
      exchangeOf(response),
      explained(error, exchangeOf(response).input?.body),
    )) satisfies ErrorRequestHandler);

  return ({ request, response, target: { url, isWellFormed } }) => {
    // Express and the validator read the target as we do.
    request.url = isWellFormed ? url : '/';
    app(request, response);
  };
}

const wordings: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  required: 'it is missing',
};

/** The error of the validator in our words. Returns any other error unchanged. */
function explained(error: unknown, body: unknown): unknown {
  if (!(error instanceof OpenApiValidator.error.BadRequest)) return error;
  const texts = error.errors.map(({ path, message, errorCode = '' }) => {
    const [, place = '', rest = ''] = path.split(/^\/(\w+)\/?/);
    // The validator does not escape a name that has a slash.
    const isName = Object.hasOwn(Object(body), rest);
    const name = isName
      ? rest
      : rest.replaceAll('/', '.').replaceAll('~1', '/').replaceAll('~0', '~');
    const where = place === 'params' ? 'path' : place === 'headers' ? 'header' : place;
    return `${where}${name && ` '${name}'`}: ${wordings[errorCode.split('.')[0] ?? ''] ?? message}`;
  });
  // No pet can have an invalid identifier, so the path leads nowhere.
  const code = texts.some((text) => text.startsWith('path ')) ? 'not_found' : 'invalid_request';
  return new HttpError(code, [...new Set(texts)].join('; '));
}

/** Gives the schema of an integer its bounds. */
function bounded(_key: unknown, value: unknown): unknown {
  const [minimum, maximum] = ranges[Object(value).format] ?? [];
  return minimum === undefined ? value : { minimum, maximum, ...Object(value) };
}

const readHere = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const specText = () => readHere(import.meta.resolve('@petstore/spec/openapi.yaml'));
const parsedSpec = (reviver = (_key: unknown, value: unknown): unknown => value) =>
  parse(specText(), reviver, { maxAliasCount: 1000, merge: true });
const values = { ...service, version };
const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const docs = readHere('docs/index.html').replace(/{{(\w+)}}/g, (_, name: keyof typeof values) =>
  escaped(`${values[name]}`),
);
const [, script = ''] = /<script type="module">([\s\S]*?)<\/script>/.exec(docs) ?? [];

/** Pages load from and call their own server only. */
const policy = [
  `default-src 'self'; script-src 'self' 'sha256-${hash('sha256', script, 'base64')}'; img-src 'self' data:`,
  "object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/** The docs page with everything that it loads, and the spec as files. Addresses are relative, so that a proxy can add a path. */
const pages: Readonly<Record<string, RequestHandler>> = {
  '/openapi.yaml': page('application/yaml', specText),
  '/openapi.json': page('application/json', () => `${JSON.stringify(parsedSpec(), null, 2)}\n`),
  '/docs': page('text/html', () => docs),
  '/docs/look.css': page('text/css', () => readHere('docs/look.css')),
  '/docs/swagger-ui.js': page('text/javascript', () => swaggerUi('swagger-ui-bundle.js')),
  '/docs/swagger-ui.css': page('text/css', () => swaggerUi('swagger-ui.css')),
};

/** Serves constant content, which the first request reads. */
function page(type: string, read: () => string): RequestHandler {
  let content: Buffer | undefined;
  return (_request, response) => {
    content ??= Buffer.from(read());
    response.set({ 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-cache' });
    response.set({
      'Content-Security-Policy': policy,
      'X-Frame-Options': 'DENY',
      'Referrer-Policy': 'no-referrer',
    });
    response.send(content);
  };
}

/** A file of Swagger UI: a copy in the published package, because the library itself reports installations. */
function swaggerUi(name: string): string {
  const copy = new URL(`./swagger-ui/${name}`, import.meta.url);
  return readHere(existsSync(copy) ? copy.href : import.meta.resolve(`swagger-ui-dist/${name}`));
}
