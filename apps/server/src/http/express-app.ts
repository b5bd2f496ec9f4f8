import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { type Operation, operations } from '@petstore/types';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { docs } from '../docs/docs.ts';
import { basePath } from '../spec.ts';
import { exactReplacer } from '../store/document.ts';
import { authenticate, queryKeysOf, rateLimit } from './access.ts';
import { bodyReader } from './body.ts';
import type { Dispatch } from './dispatch.ts';
import { HttpError } from './http-error.ts';
import { readParameters } from './parameters.ts';
import type { Parts } from './parts.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { responseHeaders } from './response.ts';
import { routeOf } from './routes.ts';

/** Answers every request. The fast path answers some of them with the same bytes. */
export function expressListener(parts: Parts): RequestListener {
  return accepting(parts, expressApp(parts));
}

/** Answers only what operators ask for: the app of the admin port. */
export function adminListener(parts: Parts): RequestListener {
  return accepting(parts, withErrors(newApp().use(parts.health), parts));
}

/** Accepts each request first: Express itself never answers some of the malformed ones. */
function accepting({ acceptRequest }: Parts, app: Express): RequestListener {
  return (request, response) => {
    const context = acceptRequest(request, response);
    if (context) passTo(app, request, response, context);
  };
}

/** Hands an accepted request to an Express app. */
export function passTo(
  app: RequestListener,
  request: IncomingMessage,
  response: ServerResponse,
  context: RequestContext,
): void {
  (response as Partial<{ locals: RequestContext }>).locals = context;
  app(request, response);
}

/** The Express app behind both, for requests that were accepted. */
export function expressApp(parts: Parts): Express {
  const { keys, applyRateLimit, crossOrigin, receiveBody, dispatch, health, hasHealthRoutes, validator } = parts;
  const app = newApp();
  app.use(docs());
  if (hasHealthRoutes) app.use(health);

  const root = basePath || '/';
  if (crossOrigin) app.use(root, crossOrigin);
  app.use(root, authenticate(keys));
  if (applyRateLimit) app.use(root, rateLimit(applyRateLimit));
  app.use(root, methods, parameters, bodyReader(receiveBody));
  app.use(validator.handlers);
  for (const operation of Object.values<Operation>(operations)) serveOperation(app, operation, dispatch);
  return withErrors(app, parts);
}

function newApp(): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('json replacer', exactReplacer);
  app.use((request, response, next) => {
    const headers = responseHeaders(contextOf(response));
    for (let i = 0; i < headers.length; i += 2) response.append(headers[i] ?? '', headers[i + 1] ?? '');
    // The server as a whole, which has no methods of its own.
    if (request.url === '*') return void response.status(204).end();
    next();
  });
  return app;
}

function withErrors(app: Express, { fail }: Parts): Express {
  app.use((_request, response) => {
    throw new HttpError('not_found', `There is nothing at ${contextOf(response).path}.`);
  });
  const onError: ErrorRequestHandler = (error, _request, response, _next) => fail(error, response, contextOf(response));
  app.use(onError);
  return app;
}

/** Methods as HTTP defines them: OPTIONS names those of a path, HEAD is GET without the body, any other gets 405. */
const methods: RequestHandler = (request, response, next) => {
  const { path, route, operation } = contextOf(response);
  if (!route) throw new HttpError('not_found', `There is nothing at ${path}.`);
  if (request.method === 'OPTIONS' && !operation) return void response.status(204).set('Allow', route.allow).end();
  if (!operation) {
    const message = `${request.method} is not possible here; ${route.allow} are.`;
    throw new HttpError('method_not_allowed', message, { headers: { Allow: route.allow } });
  }
  // Node leaves out the body of the response to a HEAD by itself.
  request.method = operation.method;
  next();
};

/** Reads the parameters, in the way that the spec says they are written. */
const parameters: RequestHandler = (request, response, next) => {
  const context = contextOf(response);
  const { operation } = context;
  if (operation) context.parameters = readParameters(operation, context, request.headers, queryKeysOf(operation));
  next();
};

function serveOperation(app: Express, described: Operation, dispatch: Dispatch): void {
  // Of patterns that overlap Express takes the first, and our own search the one that says most.
  const serve: RequestHandler = (request, response) => {
    const context = contextOf(response);
    const { operation = described, input = {} } = context;
    return dispatch(request, response, context, operation, input);
  };
  const method = described.method.toLowerCase() as Lowercase<Operation['method']>;
  app[method](routeOf(described), serve);
}
