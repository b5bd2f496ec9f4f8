// Says in words what is wrong with a request. The middleware of express-openapi-validator finds it.
import { type Operation, operations, service } from '@petstore/types';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { HttpError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { integerFormats, toJsonNumbers } from './json-schema.ts';
import { parseSpec } from './spec.ts';

/** Shows a request that has been read to the middleware. `next` gets the error that it finds. */
export async function explain(exchange: Exchange, next: NextFunction): Promise<void> {
  const middleware = await loadExplainer();
  await middleware(copyOf(exchange), exchange.response, next);
}

/** Shows a valid request to the middleware, together with a response that `showBody` fills in later. */
export async function watch(exchange: Exchange, next: NextFunction): Promise<void> {
  // The middleware replaces `json` by a function that checks a body, and then calls this one. `send` sends the body.
  const shown: Response = derivedFrom(exchange.response, { json: () => shown });
  exchange.shown = shown;
  const middleware = await loadExplainer();
  await middleware(copyOf(exchange), shown, next);
}

/** Shows the body of a response to the middleware. Throws if the body is not what the spec describes. */
export function showBody(shown: Response, status: number, body: unknown): void {
  fault = undefined;
  shown.status(status).json(body);
  if (fault) throw fault;
}

/** What the middleware has found in the body that `showBody` shows. If `noteFault` threw it, the middleware would send it. */
let fault: Error | undefined;

function noteFault(error: Error): void {
  fault = error;
}

let loading: Promise<RequestHandler> | undefined;

/** Loads the middleware, which takes long. After a failure, the next call tries again. */
export async function loadExplainer(): Promise<RequestHandler> {
  loading ??= load();
  try {
    return await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
}

async function load(): Promise<RequestHandler> {
  const { error, middleware } = await import('express-openapi-validator');
  const validator = express.Router().use(
    middleware({
      apiSpec: { ...parseSpec(), servers: [{ url: service.basePath }] } as never,
      // The drift script does that.
      validateApiSpec: false,
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      validateResponses: { onError: noteFault },
      validateSecurity: false,
      formats: integerFormats,
      fileUploader: false,
      useRequestUrl: true,
    }),
  );
  for (const operation of Object.values<Operation>(operations)) await warm(validator, operation);
  return (request, response, next) => {
    validator(request, response, (thrown?: unknown) => {
      if (!(thrown instanceof error.BadRequest)) return next(thrown);
      const violations = thrown.errors.map(({ path, message, errorCode = '' }) => {
        const [keyword = ''] = errorCode.split('.', 1);
        return { path, message, keyword };
      });
      next(violationError(violations, request.body));
    });
  };
}

/** Lets the middleware compile its validators of an operation, which it does at the first request. */
function warm(validator: RequestHandler, { method, path, body }: Operation): Promise<void> {
  const request = derivedFrom(express.request, {
    app: express(),
    method,
    url: service.basePath + path.replaceAll(/{\w+}/g, '0'),
    headers: body ? { 'content-type': 'application/json' } : {},
    query: {},
    body: {},
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  // What it finds does not matter.
  validator(request, derivedFrom<Response>(express.response, {}), () => resolve());
  return promise;
}

/** The request as the middleware reads and changes it: with numbers instead of bigints, and a target without escapes. */
function copyOf({ request, target, method, parsedInput }: Exchange): Request {
  const isJson = request.headers['content-type'] !== undefined;
  return derivedFrom(request, {
    method: method === 'HEAD' ? 'GET' : method,
    url: target.url,
    // Without the query, in which the middleware rejects a `!` that is not escaped. HTTP allows it.
    originalUrl: target.url,
    // One spelling, because the middleware compiles and keeps validators for each.
    headers: { ...request.headers, ...(isJson && { 'content-type': 'application/json' }) },
    query: structuredClone(toJsonNumbers(parsedInput.query)),
    body: structuredClone(toJsonNumbers(parsedInput.body)),
  });
}

/** An object with own members, and all others of another one. */
function derivedFrom<T extends object>(other: T, members: object): T {
  return Object.create(other, Object.getOwnPropertyDescriptors(members));
}

/** What breaks the spec, and where: `/body/name`, `/query/limit`. */
export interface Violation {
  readonly path: string;
  readonly keyword: string;
  readonly message: string;
}

/** The error that names all violations of a request. */
export function violationError(violations: readonly Violation[], body: unknown): HttpError {
  const sentences = new Set<string>();
  for (const violation of violations)
    if (!isRedundant(violation, violations)) sentences.add(sentenceOf(violation, body));
  // No pet can have an invalid identifier, so the path leads nowhere.
  const isPath = violations.some(({ path }) => placeOf(path) === 'path');
  const message = [...sentences].join('; ') || 'The request does not match the spec.';
  return new HttpError(isPath ? 'not_found' : 'invalid_request', message);
}

const wordings: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  required: 'it is missing',
  'must match format "int32"': 'must be a 32-bit integer',
  'must match format "int64"': 'must be a 64-bit integer',
};

/** Whether another violation says more: a bound in the spec is narrower than the range of the format. */
function isRedundant({ path, keyword }: Violation, all: readonly Violation[]): boolean {
  if (keyword !== 'format') return false;
  return all.some((other) => other.path === path && other.keyword !== keyword);
}

function sentenceOf({ path, keyword, message }: Violation, body: unknown): string {
  const name = nameIn(path, body);
  const where = name === '' ? placeOf(path) : `${placeOf(path)} '${name}'`;
  return `${where}: ${wordings[keyword] ?? wordings[message] ?? message}`;
}

/** The part of the request: `query`, `path`, `header` or `body`. */
function placeOf(path: string): string {
  const [, place = ''] = path.split('/', 2);
  if (place === 'params') return 'path';
  return place === 'headers' ? 'header' : place;
}

/** The parameter or the property, with dots between the levels: `owner.name`. */
function nameIn(path: string, body: unknown): string {
  const [, , ...names] = path.split('/');
  const rest = names.join('/');
  // The validator does not escape a name that has a slash.
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, rest)) return rest;
  return names.map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}
