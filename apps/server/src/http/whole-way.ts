import { type Operation, operations } from '@petstore/types';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import type { OpenApiRequest } from 'express-openapi-validator/dist/framework/types.js';
import type { Parts } from '../app.ts';
import { docs } from '../docs/docs.ts';
import { basePath } from '../spec.ts';
import { authenticate } from './authenticate.ts';
import { jsonBody } from './body.ts';
import { exchangeOf } from './exchange.ts';
import { Failure } from './failure.ts';
import { identify } from './identify.ts';
import { methods } from './methods.ts';
import { observed } from './observe.ts';
import type { Perform } from './perform.ts';
import { routeOf } from './places.ts';
import { plainFields } from './plain-fields.ts';
import { rateLimit } from './rate-limit.ts';

/** Answers every request, the unusual ones and those that fail among them. What any other way does is held to this one. */
export function wholeWay(parts: Parts): Express {
  const { keys, bodyLimit, allowance, crossOrigin, observe, perform, fail, health, validator } = parts;
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');

  app.use(identify, observed(observe));
  app.use(docs());
  app.use(health);

  if (crossOrigin) app.use(basePath, crossOrigin);
  app.use(basePath, authenticate(keys));
  if (allowance) app.use(basePath, rateLimit(allowance));
  app.use(basePath, methods, plainFields, jsonBody(bodyLimit));
  app.use(validator.handlers);

  for (const operation of Object.values<Operation>(operations)) serveOperation(app, operation, perform);

  app.use((_request, response) => {
    throw new Failure('not_found', `There is nothing at ${exchangeOf(response).path}.`);
  });
  const failed: ErrorRequestHandler = (error, _request, response, _next) => fail(error, response, exchangeOf(response));
  app.use(failed);
  return app;
}

function serveOperation(app: Express, operation: Operation, perform: Perform): void {
  const serve: RequestHandler = (request, response) => {
    const { pathParams } = (request as OpenApiRequest).openapi ?? {};
    const input = { ...pathParams, ...request.query, ...request.body };
    return perform(request, response, exchangeOf(response), operation, input);
  };
  const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
  app[method](routeOf(operation), serve);
}
