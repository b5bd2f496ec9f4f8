import { service } from '@petstore/types';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { parse } from 'yaml';
import type { Service } from './dispatch.ts';
import { docs, specText } from './docs.ts';
import { HttpError, invalid } from './errors.ts';
import { type Health, healthRoutes } from './health.ts';
import { read } from './read.ts';
import { type App, checkMessage, contextOf, headersOf } from './request.ts';
import { checkRequest, invalidRequest, namesIn, plainNumbers } from './validators.ts';

/** Creates the app that serves every request, and says what is wrong with it. */
export function expressApp({ admit, dispatch, send, fail, bodyLimit, health }: Service): App {
  const app = express().enable('case sensitive routing').enable('strict routing');
  app.disable('x-powered-by').set('etag', 'strong');

  const pages = express.Router({ caseSensitive: true, strict: true }).use(docs());
  if (health) pages.use(healthRoutes(health));
  app.use((request, response, next) => {
    const context = contextOf(response);
    const { path, isService, isWellFormed } = context.target;
    if (isService) return next();
    checkMessage(request);
    if (path === '*' && request.method === 'OPTIONS') return void response.status(204).set(headersOf(context)).end();
    if (!isWellFormed) throw invalid('The target of the request is malformed.');
    response.set(headersOf(context));
    pages(request, response, next);
  });

  const admitted: RequestHandler = (request, response, next) => {
    const context = contextOf(response);
    if (!context.target.isService) throw nothingAt(context.target.path);
    admit(request, response, context, next);
  };

  const readRequest: RequestHandler = (request, response, next) => {
    const context = contextOf(response);
    const { path, isWellFormed, route, operation } = context.target;
    if (!isWellFormed) throw invalid('The target of the request is malformed.');
    if (!route) throw nothingAt(path);
    if (request.method === 'OPTIONS')
      return void response
        .status(204)
        .set({ ...headersOf(context), Allow: route.allow })
        .end();
    if (!operation) {
      const message = `${request.method} is not supported here. Use one of ${route.allow}.`;
      throw new HttpError('method_not_allowed', message, { headers: { Allow: route.allow } });
    }
    if (context.call) return next();
    read(request, response, operation, context.target, bodyLimit, (error, call) => {
      if (call) context.call = call;
      next(error);
    });
  };

  /** Gives the validator what was read, as a copy, because it changes what it reads. */
  const prepare: RequestHandler = (request, response, next) => {
    const { parameters, body } = callOf(response);
    const query = structuredClone(plainNumbers({ ...parameters.query }));
    Object.defineProperty(request, 'query', { value: query, writable: true, configurable: true });
    if (body !== undefined) request.body = structuredClone(plainNumbers(body));
    if (request.method === 'HEAD') request.method = 'GET';
    next();
  };

  const serve: RequestHandler = async (request, response) => {
    const context = contextOf(response);
    const call = callOf(response);
    // One validator decides on both paths.
    checkRequest(call);
    send(await dispatch(call, request, context), request, response, context);
  };

  const validator = OpenApiValidator.middleware({
    apiSpec: { ...parse(specText(), { maxAliasCount: 1000, merge: true }), servers: [{ url: service.basePath }] },
    validateRequests: { allErrors: true, allowUnknownQueryParameters: true },
    validateResponses: false,
    validateSecurity: false,
    // A bigint is not a number.
    validateFormats: false,
    fileUploader: false,
    useRequestUrl: true,
  });
  app.use(admitted, readRequest, prepare, validator, serve);
  app.use(onError(fail));
  return (request, response) => {
    const { path, query, isWellFormed } = contextOf(response).target;
    // Without scheme and host, for Express.
    if (isWellFormed) request.url = query === '' ? path : `${path}?${query}`;
    else request.url = '/';
    app(request, response);
  };
}

/** Creates the app of the port for operators. */
export function operatorsApp(health: Health, fail: Service['fail']): Express {
  const app = express().disable('x-powered-by').disable('etag');
  app.use((_request, response, next) => {
    response.set(headersOf(contextOf(response)));
    next();
  });
  app.use(healthRoutes(health), (_request, response) => {
    throw nothingAt(contextOf(response).target.path);
  });
  return app.use(onError(fail));
}

function callOf(response: Parameters<RequestHandler>[1]) {
  const { call } = contextOf(response);
  if (!call) throw new Error('The request was not read.');
  return call;
}

const nothingAt = (path: string) => new HttpError('not_found', `There is nothing at ${path}.`);

const onError =
  (fail: Service['fail']): ErrorRequestHandler =>
  (error, _request, response, _next) =>
    fail(explained(error, contextOf(response).call?.body), response, contextOf(response));

const places: Readonly<Record<string, string>> = { params: 'path', headers: 'header' };

/** The error of the validator in our words. Returns any other error unchanged. */
function explained(error: unknown, body: unknown): unknown {
  if (!(error instanceof OpenApiValidator.error.BadRequest)) return error;
  const violations = error.errors.map(({ path, message, errorCode = '' }) => {
    const [, place = '', rest = ''] = path.split(/^\/(\w+)\/?/);
    // The validator does not escape a name that has a slash.
    const names = Object.hasOwn(Object(body), rest) ? [rest] : namesIn(`/${rest}`);
    return { names: [places[place] ?? place, ...names], keyword: errorCode.split('.')[0] ?? '', message };
  });
  return invalidRequest(violations);
}
