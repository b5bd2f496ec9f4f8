import { createRequire } from 'node:module';
import { type Operation, operations } from '@petstore/types';
import type { RequestHandler } from 'express';
import type { OpenAPIV3, OpenApiValidatorOpts } from 'express-openapi-validator/dist/framework/types.js';
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

interface Context {
  expressRouteMap: Record<string, unknown>;
}

interface OpenApiValidator {
  ajvOpts: { request: object };
  installMiddleware(spec: Promise<object>): RequestHandler[];
  metadataMiddleware(context: Context, ...more: unknown[]): Handler;
  requestValidationMiddleware(spec: object): Handler;
}

interface SpecVisitor {
  visitApi(found: { basePaths: string[]; getApiDoc(): object }): void;
}

interface SpecLoader {
  framework: { initialize(visitor: SpecVisitor): Promise<object> };
  load(): Promise<object>;
}

type RequestValidator = { ajv: Checks; ajvBody: Checks; validate: Handler };

const load = (module: string) => createRequire(import.meta.url)(`express-openapi-validator/dist/${module}.js`);
const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: OpenApiValidatorOpts) => OpenApiValidator;
};
const { OpenApiSpecLoader } = load('framework/openapi.spec.loader') as {
  OpenApiSpecLoader: new (options: object) => SpecLoader;
};
const { RequestValidator } = load('middlewares/openapi.request.validator') as {
  RequestValidator: new (spec: object, options: object) => RequestValidator;
};

/**
 * Opens the validator, and changes three things inside it. Its version is therefore pinned, and a test compares the
 * result with the unchanged validator.
 *
 * - Loading: it would compile the schema of OpenAPI itself at every start. The spec was checked when the code was generated.
 * - Routing: it would try the patterns of all routes at every request. It is shown only the right one.
 * - Its compiled checks are made available to the fast path.
 */
export function openValidator(
  spec: OpenAPIV3.DocumentV3_1,
  basePath: string,
  options: Omit<OpenApiValidatorOpts, 'apiSpec'>,
): Validator {
  const validator = new OpenApiValidator({ ...options, apiSpec: spec });
  routeByOperation(validator);
  const requests = captureChecks(validator);
  return {
    handlers: validator.installMiddleware(loadChecked(spec, basePath)),
    checkOf: (operation) => {
      const name = `${operation.method}-${routeOf(operation)}-${operation.body?.mediaType ?? 'not_provided'}`;
      const check = requests.opened?.ajv.getSchema(name);
      const checkBody = requests.opened?.ajvBody.getSchema(name);
      return check && checkBody && ((request) => check(request) && checkBody(request));
    },
  };
}

/** Finds the routes of a spec that is known to be valid and to refer to no other file. */
function loadChecked(spec: object, basePath: string): Promise<object> {
  const loader = new OpenApiSpecLoader({ apiDoc: spec });
  loader.framework.initialize = async ({ visitApi }) => {
    const basePaths = [basePath];
    visitApi({ basePaths, getApiDoc: () => spec });
    return { apiDoc: spec, basePaths };
  };
  return loader.load();
}

function routeByOperation(validator: OpenApiValidator): void {
  const search = validator.metadataMiddleware.bind(validator);
  validator.metadataMiddleware = (context, ...more) => {
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
}

/** The validator of requests, once the first request has opened it. */
function captureChecks(validator: OpenApiValidator): { opened?: RequestValidator } {
  const requests: { opened?: RequestValidator } = {};
  validator.requestValidationMiddleware = (spec) => {
    const opened = new RequestValidator(spec, validator.ajvOpts.request);
    requests.opened = opened;
    return (...request) => opened.validate(...request);
  };
  return requests;
}
