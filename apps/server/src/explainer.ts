// Says what is wrong with a request, by the middleware of express-openapi-validator.
import { type Operation, operations, service } from '@petstore/types';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import type { Exchange } from './exchange.ts';
import { toJsonNumbers } from './json-numbers.ts';
import { integerFormats } from './json-schema.ts';
import { parseSpec } from './spec.ts';
import { violationError } from './violations.ts';

/** The middleware for apps that do not validate responses, and for those that do. */
const loading = new Map<boolean, Promise<RequestHandler>>();

/** Loads the middleware, and lets it compile its validators, which takes long. After a failure, the next call tries again. */
export async function loadExplainer(validateResponses: boolean): Promise<RequestHandler> {
  const loaded = loading.get(validateResponses) ?? load(validateResponses);
  loading.set(validateResponses, loaded);
  try {
    return await loaded;
  } catch (error) {
    loading.delete(validateResponses);
    throw error;
  }
}

/** Shows a request that has been read to the middleware. `next` gets the error that it finds. */
export async function explain(exchange: Exchange, next: NextFunction): Promise<void> {
  const middleware = await loadExplainer(exchange.shared.validateResponses);
  await middleware(copyOf(exchange), exchange.response, next);
}

async function load(validateResponses: boolean): Promise<RequestHandler> {
  const { error, middleware } = await import('express-openapi-validator');
  const validator = express.Router().use(
    middleware({
      apiSpec: { ...parseSpec(), servers: [{ url: service.basePath }] } as never,
      // The drift script does that.
      validateApiSpec: false,
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      validateResponses,
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
function copyOf({ request, target, method, readInput }: Exchange): Request {
  const isJson = request.headers['content-type'] !== undefined;
  return derivedFrom(request, {
    method: method === 'HEAD' ? 'GET' : method,
    url: target.url,
    // Without the query, in which the middleware rejects a `!` that is not escaped. HTTP allows it.
    originalUrl: target.url,
    // One spelling, because the middleware compiles and keeps validators for each.
    headers: { ...request.headers, ...(isJson && { 'content-type': 'application/json' }) },
    query: structuredClone(toJsonNumbers(readInput.query)),
    body: structuredClone(readInput.plainBody),
  });
}

/** An object with own members, and all others of another one. */
function derivedFrom<T extends object>(other: T, members: Readonly<Record<string, unknown>>): T {
  const derived: T = Object.create(other);
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(derived, name, { value, writable: true, configurable: true });
  return derived;
}
