import express, { type ErrorRequestHandler, type Express, type RequestHandler, Router } from 'express';
import { docs } from '../docs/docs.ts';
import { exactReplacer, type Operation, operations, service } from '../old.ts';
import { authenticate } from './authentication.ts';
import { bodyParser } from './body.ts';
import type { Dispatch } from './dispatch.ts';
import { health } from './health.ts';
import { HttpError } from './http-error.ts';
import { parseParameters } from './parameters.ts';
import { rateLimit } from './rate-limit.ts';
import { contextOf } from './request-context.ts';
import type { RequestPipeline } from './request-pipeline.ts';
import { responseHeaders } from './response.ts';
import { expressPathOf } from './routes.ts';
import { validator } from './validation/validator.ts';

/** The app of the admin port, which serves only the routes for operators. `acceptRequest` has accepted its requests. */
export function adminApp(pipeline: RequestPipeline): Express {
  return withErrors(newApp().use(health(pipeline.health)), pipeline);
}

/** The app that can serve every request that `acceptRequest` has accepted. The fast path serves some of them instead, with identical responses. */
export function expressApp(pipeline: RequestPipeline): Express {
  const { keys, applyRateLimit, crossOrigin, bodyBudget, receiveBody, dispatch, hasHealthRoutes } = pipeline;
  const app = newApp();
  const pages = Router().use(docs());
  if (hasHealthRoutes) pages.use(health(pipeline.health));
  app.use((request, response, next) => {
    // An operation takes precedence over a page at the same path, unless its path has parameters.
    const { match } = contextOf(response).target;
    if (match && Object.keys(match.params).length === 0) next();
    else pages(request, response, next);
  });

  const root = service.basePath || '/';
  if (crossOrigin) app.use(root, crossOrigin);
  app.use(root, authenticate(keys));
  if (applyRateLimit) app.use(root, rateLimit(applyRateLimit));
  app.use(root, methods, parameters, bodyParser(receiveBody, bodyBudget));
  app.use(validator(pipeline.validateResponses));
  for (const operation of Object.values<Operation>(operations)) serveOperation(app, operation, dispatch);
  return withErrors(app, pipeline);
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
    for (let i = 0; i < headers.length; i += 2) response.set(headers[i] ?? '', headers[i + 1] ?? '');
    // `OPTIONS *` is about the server as a whole (RFC 9110 9.3.7).
    if (request.url === '*') return void response.status(204).end();
    next();
  });
  return app;
}

function withErrors(app: Express, { respondWithError }: RequestPipeline): Express {
  app.use((_request, response) => {
    throw new HttpError('not_found', `There is nothing at ${contextOf(response).target.path}.`);
  });
  const onError: ErrorRequestHandler = (error, _request, response, _next) =>
    respondWithError(error, response, contextOf(response));
  return app.use(onError);
}

/** Handles the methods that the spec does not declare: OPTIONS lists the methods of a path, HEAD runs GET, and any other method gets 405. */
const methods: RequestHandler = (request, response, next) => {
  const { target, operation } = contextOf(response);
  const route = target.match?.route;
  if (!route) throw new HttpError('not_found', `There is nothing at ${target.path}.`);
  if (request.method === 'OPTIONS' && !operation) return void response.status(204).set('Allow', route.allow).end();
  if (!operation) {
    const message = `${request.method} is not supported here. Use one of ${route.allow}.`;
    throw new HttpError('method_not_allowed', message, { headers: { Allow: route.allow } });
  }
  next();
};

/** Parses the parameters in the styles that the spec declares. */
const parameters: RequestHandler = (request, response, next) => {
  const context = contextOf(response);
  const { operation } = context;
  if (operation) context.parameters = parseParameters(operation, context.target, request.headers);
  next();
};

function serveOperation(app: Express, described: Operation, dispatch: Dispatch): void {
  const method = described.method.toLowerCase() as Lowercase<Operation['method']>;
  app[method](expressPathOf(described), (request, response) => {
    const context = contextOf(response);
    // If patterns overlap, Express calls the first match. The operation of the context is that of the most specific route.
    const { operation = described, input = {} } = context;
    return dispatch({ request, response, context, operation, input });
  });
}
