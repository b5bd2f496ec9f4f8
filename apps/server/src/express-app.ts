import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { fileURLToPath } from 'node:url';
import { service } from '@petstore/types';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import type { admission } from './admission.ts';
import { hasBody, isJson, parseBody, receive } from './body.ts';
import { checkMessage, contextOf } from './context.ts';
import { type Call, type Dispatch, sendError } from './dispatch.ts';
import { docs } from './docs.ts';
import { HttpError, invalid } from './errors.ts';
import { type Health, healthRoutes } from './health.ts';
import { type Log, silent } from './log.ts';
import { readParameters } from './parameters.ts';
import { checkRequest, invalidRequest, plainNumbers } from './validators.ts';

export interface ExpressOptions {
  readonly admit: ReturnType<typeof admission>;
  readonly dispatch: Dispatch;
  readonly bodyLimit: number;
  readonly health: Health | null;
  readonly log: Log;
  /** Bodies that the fast path has read. */
  readonly pending: WeakMap<IncomingMessage, Buffer>;
}

/** The app that serves every request, and says what is wrong with it. */
export function expressApp({ admit, dispatch, bodyLimit, health, log, pending }: ExpressOptions): Express {
  const calls = new WeakMap<object, Call>();
  const app = express();
  app.enable('case sensitive routing').enable('strict routing');
  app.disable('x-powered-by').disable('etag');

  const check: RequestHandler = (request, response, next) => {
    const { path, query, isService, isWellFormed } = contextOf(response);
    // The target without scheme and host, for Express.
    request.url = query === '' ? path : `${path}?${query}`;
    if (isService) return next();
    checkMessage(request);
    if (request.url === '*' && request.method === 'OPTIONS') return void response.status(204).end();
    if (!isWellFormed) throw invalid('The target of the request is malformed.');
    next();
  };
  app.use(check);
  const pages = express.Router({ caseSensitive: true, strict: true }).use(docs());
  if (health) pages.use(healthRoutes(health));
  app.use((request, response, next) => (contextOf(response).isService ? next() : pages(request, response, next)));

  const readTarget: RequestHandler = (request, response, next) => {
    const context = contextOf(response);
    const { path, isService, isWellFormed, route, operation, params, query } = context;
    if (!isService) throw nothingAt(path);
    admit(request, response, context);
    if (!isWellFormed) throw invalid('The target of the request is malformed.');
    if (!route) throw nothingAt(path);
    if (request.method === 'OPTIONS') return void response.status(204).set('Allow', route.allow).end();
    if (!operation) {
      const message = `${request.method} is not supported here. Use one of ${route.allow}.`;
      throw new HttpError('method_not_allowed', message, { headers: { Allow: route.allow } });
    }
    const parameters = readParameters(operation, params, query, request.headers);
    calls.set(request, { operation, parameters, body: undefined });
    // The validator reads what was read here. Node sends no body to HEAD.
    // It changes what it reads, so it gets a copy.
    const plain = structuredClone(plainNumbers({ ...parameters.query }));
    Object.defineProperty(request, 'query', { value: plain, writable: true, configurable: true });
    if (request.method === 'HEAD') request.method = 'GET';
    next();
  };

  const readBody: RequestHandler = (request, response, next) => {
    const call = calls.get(request);
    if (!call?.operation.body) return next();
    if (!hasBody(request)) {
      if (call.operation.body.required) throw invalid('body: it is missing');
      return next();
    }
    if (!isJson(request)) {
      const message = 'The body has to be application/json in UTF-8, and not compressed.';
      throw new HttpError('unsupported_media_type', message, { headers: { Accept: 'application/json' } });
    }
    const accept = (bytes: Buffer) => {
      const body = parseBody(bytes);
      calls.set(request, { ...call, body });
      request.body = structuredClone(plainNumbers(body));
      next();
    };
    const read = pending.get(request);
    if (read) return accept(read);
    receive(request, response, bodyLimit, (error, bytes) => {
      if (error) return next(error);
      try {
        accept(bytes);
      } catch (failure) {
        next(failure);
      }
    });
  };

  const serve: RequestHandler = async (request, response) => {
    const call = calls.get(request);
    if (!call) throw new Error('The request was not read.');
    const { operation, parameters, body } = call;
    const plain = plainNumbers({ ...parameters }) as Call['parameters'];
    checkRequest(operation, { parameters: plain, body: body === undefined ? undefined : plainNumbers(body) });
    await dispatch(call, request, response, contextOf(response));
  };

  app.use(readTarget, readBody);
  app.use(
    OpenApiValidator.middleware({
      apiSpec: { ...specOf(), servers: [{ url: service.basePath }] },
      validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
      validateResponses: false,
      validateSecurity: false,
      fileUploader: false,
      useRequestUrl: true,
      // Our validators decide on formats: a bigint is not a number.
      validateFormats: false,
    }),
  );
  app.use(serve);
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    sendError(explained(error), response, contextOf(response), log);
  return app.use(onError);
}

type Spec = Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'] & object;

export const specText = (): string =>
  readFileSync(fileURLToPath(import.meta.resolve('@petstore/spec/openapi.yaml')), 'utf8');

export const specOf = (): Spec => parse(specText(), { maxAliasCount: 1000, merge: true });

const nothingAt = (path: string) => new HttpError('not_found', `There is nothing at ${path}.`);

/** The error of the validator in our words. Returns any other error unchanged. */
function explained(error: unknown): unknown {
  if (!(error instanceof OpenApiValidator.error.BadRequest)) return error;
  const violations = error.errors.map(({ path, message, errorCode = '' }) => {
    return { pointer: path, keyword: errorCode.split('.')[0] ?? '', message };
  });
  return invalidRequest(violations);
}

/** The app of the port for operators. */
export function adminExpress(health: Health): Express {
  const app = express().disable('x-powered-by').use(healthRoutes(health));
  app.use((_request, response) => {
    throw nothingAt(contextOf(response).path);
  });
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    sendError(error, response, contextOf(response), silent);
  return app.use(onError);
}
