import { createRequire } from 'node:module';
import { type Operation, operations } from '@petstore/types';
import type { RequestHandler } from 'express';
import { middleware } from 'express-openapi-validator';
import { contextOf } from './request-context.ts';
import { routeOf } from './routes.ts';

/** What the validator's own checks are given, and change: texts become what the spec says they are, defaults appear. */
export interface Checked {
  query: Record<string, unknown>;
  params: Record<string, unknown>;
  headers: object;
  body: unknown;
}

export interface Validator {
  /** The validator as it is meant to be used. */
  handlers: RequestHandler[];
  /** The checks that it compiled for an operation: it accepts a request, once taken apart, when this does. */
  checkOf(operation: Operation): ((request: Checked) => boolean) | undefined;
}

type Handler = (...request: Parameters<RequestHandler>) => unknown;

/** Finds a check by the name under which it was compiled. */
interface Checks {
  getSchema(name: string): ((request: Checked) => boolean) | undefined;
}

interface Inside {
  ajvOpts: { request: object };
  metadataMiddleware(context: Context, ...more: unknown[]): Handler;
  requestValidationMiddleware(spec: object): Handler;
}

interface Context {
  expressRouteMap: Record<string, unknown>;
}

type RequestValidator = { ajv: Checks; ajvBody: Checks; validate: Handler };

const { RequestValidator } = createRequire(import.meta.url)(
  'express-openapi-validator/dist/middlewares/openapi.request.validator.js',
) as { RequestValidator: new (spec: object, options: object) => RequestValidator };

/**
 * Opens the validator, and reaches for two things inside of it, which is why its version is pinned and a test holds all
 * this to what the whole of it does: the checks that it compiled, and its search for the route, which compiles the
 * patterns of all routes at every request. It is shown only the one that is right.
 */
export function openValidator(options: Parameters<typeof middleware>[0]): Validator {
  const handlers = middleware(options) as RequestHandler[];
  const inside = (middleware as unknown as { _oav: Inside })._oav;

  const search = inside.metadataMiddleware.bind(inside);
  inside.metadataMiddleware = (context, ...more) => {
    const searches = new Map<unknown, Handler>();
    for (const operation of Object.values<Operation>(operations)) {
      const route = routeOf(operation);
      const only = { value: { [route]: context.expressRouteMap[route] } };
      searches.set(operation, search(Object.create(context, { expressRouteMap: only }), ...more));
    }
    const anywhere = search(context, ...more);
    return (request, response, next) =>
      (searches.get(contextOf(response).operation) ?? anywhere)(request, response, next);
  };

  let validator: RequestValidator | undefined;
  inside.requestValidationMiddleware = (spec) => {
    const opened = new RequestValidator(spec, inside.ajvOpts.request);
    validator = opened;
    return (...request) => opened.validate(...request);
  };

  return {
    handlers,
    checkOf: (operation) => {
      const name = `${operation.method}-${routeOf(operation)}-${operation.body?.mediaType ?? 'not_provided'}`;
      const check = validator?.ajv.getSchema(name);
      const checkBody = validator?.ajvBody.getSchema(name);
      return check && checkBody && ((request) => check(request) && checkBody(request));
    },
  };
}
