import { Socket } from 'node:net';
import { parse } from 'node:url';
import type { Operation } from '@petstore/types';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import type {
  OpenAPIV3,
  OpenApiRequest,
  OpenApiValidatorOpts,
} from 'express-openapi-validator/dist/framework/types.js';
import { basePath, servedSpec } from '../../spec.ts';
import { withoutFiles } from '../body-content.ts';
import { invalidRequest } from '../http-error.ts';
import { inputOf } from '../input.ts';
import { IncomingMessage, ServerResponse } from '../node-http.ts';
import { contextOf } from '../request-context.ts';
import { type Ajv, type Check, compiledChecks, describedIn, load, RULES } from './compiled-checks.ts';
import { addKeywords, withInt64Keyword } from './keywords.ts';

/**
 * The validators, by whether they check responses. All apps of a process share them, because a validator depends on the spec
 * alone.
 */
const validators = new Map<boolean, Promise<RequestHandler[]>>();

/** The middleware of the validator, with the spec loaded. Rejects if the spec cannot be used. */
export function validator(validateResponses: boolean): Promise<RequestHandler[]> {
  const known = validators.get(validateResponses) ?? newValidator(validateResponses);
  validators.set(validateResponses, known);
  return known;
}

async function newValidator(validateResponses: boolean): Promise<RequestHandler[]> {
  quietUrlParse();
  const handlers = openValidator(
    servedSpec(),
    basePath,
    {
      validateRequests: true,
      validateResponses,
      validateSecurity: false,
      fileUploader: false,
    },
    validateRequest,
  );
  await warmUp(handlers);
  return handlers;
}

/** Validates the parsed parameters and body, and stores the input in the context. Throws an HttpError with the violations. */
const validateRequest: ValidateRequest = (operation, check, request, response, next) => {
  const context = contextOf(response);
  const { parameters = NO_PARAMETERS } = context;
  const checked = { ...parameters, body: withoutFiles(request.body, operation.body?.kind) };
  if (!check.passes(checked)) throw invalidRequest(check.violations(checked));
  context.input = inputOf(operation, checked, request.body);
  next();
};

const NO_PARAMETERS = { query: {}, params: {}, headers: {}, cookies: {} };

/**
 * Calls `url.parse` once without its deprecation warning. Otherwise each call, one per validation, searches the call stack
 * for the caller to warn, which costs more than the validation.
 */
function quietUrlParse(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation ?? false;
}

/** Sends a request through the validator alone, because only the first request loads the spec and reports its errors. */
function warmUp(handlers: RequestHandler[]): Promise<void> {
  const request = new IncomingMessage(new Socket());
  request.method = 'GET';
  request.url = '/';
  return new Promise((resolve, reject) => {
    const app = express();
    const onError: ErrorRequestHandler = (error, _request, _response, _next) =>
      reject(new Error(`spec/openapi.yaml cannot be used: ${error.message}`, { cause: error }));
    app.use(handlers, () => resolve(), onError);
    app(request, new ServerResponse(request));
  });
}

/** Replaces the validator's own parsing and checking of a request. */
type ValidateRequest = (operation: Operation, check: Check, ...request: Request) => void;

/** The arguments of an Express handler. */
type Request = Parameters<RequestHandler>;

type Handler = (...request: Request) => unknown;

interface Context {
  apiDoc: OpenAPIV3.DocumentV3_1;
  serial: number;
}

interface OpenApiValidator {
  ajvOpts: { request: object; response: object };
  options: { validateResponses: unknown };
  installMiddleware(spec: Promise<object>): RequestHandler[];
  metadataMiddleware(context: Context, responseDocument?: OpenAPIV3.DocumentV3_1): Handler;
  requestValidationMiddleware(spec: OpenAPIV3.DocumentV3_1): Handler;
  responseValidationMiddleware(spec: object, serial: number): Handler;
}

interface SpecVisitor {
  visitApi(spec: { basePaths: string[]; getApiDoc(): object }): void;
}

interface SpecLoader {
  framework: { initialize(visitor: SpecVisitor): Promise<object> };
  load(): Promise<object>;
}

const { OpenApiValidator } = load('openapi.validator') as {
  OpenApiValidator: new (options: OpenApiValidatorOpts) => OpenApiValidator;
};
const { OpenApiSpecLoader } = load('framework/openapi.spec.loader') as {
  OpenApiSpecLoader: new (options: object) => SpecLoader;
};
const { ResponseValidator } = load('middlewares/openapi.response.validator') as {
  ResponseValidator: new (...options: unknown[]) => { ajvBody: Ajv; validate(): Handler };
};

/**
 * Creates the validator, with four parts replaced. Its version is pinned, because these parts are internal.
 *
 * - Loading: it would compile the schema of OpenAPI itself at every start. The spec was validated when the code was generated.
 * - Routing: it would match all routes again at every request, and does not support a dash in a parameter name.
 * - Parsing: its compiled checks run on the values that parameters.ts and body-content.ts have parsed. Its own parser rounds
 *   integers, coerces types, and does not support all styles and forms.
 * - Keywords: JSON Schema has no keyword for 64-bit integers as bigints. For unique items, ajv compares each pair. Only small
 *   requests are searched for all errors.
 */
function openValidator(
  spec: OpenAPIV3.DocumentV3_1,
  basePath: string,
  options: Omit<OpenApiValidatorOpts, 'apiSpec'>,
  validateRequest: ValidateRequest,
): RequestHandler[] {
  const exactSpec = withInt64Keyword(spec);
  const validator = new OpenApiValidator({ ...options, apiSpec: exactSpec });
  validator.metadataMiddleware = describeRequests;
  validator.requestValidationMiddleware = (apiDoc) => {
    const checkOf = compiledChecks(apiDoc, validator.ajvOpts.request);
    return (...request) => {
      const { operation } = contextOf(request[1]);
      if (operation) validateRequest(operation, checkOf(operation), ...request);
      else request[2]();
    };
  };
  validator.responseValidationMiddleware = (apiDoc, serial) => {
    const { validateResponses } = validator.options;
    const options = { ...validator.ajvOpts.response, ...RULES };
    const responses = new ResponseValidator(apiDoc, options, validateResponses, serial);
    addKeywords(responses.ajvBody);
    return responses.validate();
  };
  return validator.installMiddleware(loadChecked(exactSpec, basePath));
}

/** Loads the routes of a spec that is valid and in one file. */
function loadChecked(spec: object, basePath: string): Promise<object> {
  const loader = new OpenApiSpecLoader({ apiDoc: spec });
  loader.framework.initialize = async ({ visitApi }) => {
    const basePaths = [basePath];
    visitApi({ basePaths, getApiDoc: () => spec });
    return { apiDoc: spec, basePaths };
  };
  return loader.load();
}

/** Attaches the operation object of the spec to each request, for the validation of the response. */
function describeRequests({ apiDoc, serial }: Context, responseDocument?: OpenAPIV3.DocumentV3_1): Handler {
  return (request, response, next) => {
    const { operation } = contextOf(response);
    if (operation) {
      const described = {
        expressRoute: operation.path,
        openApiRoute: operation.path,
        pathParams: {},
        schema: describedIn(apiDoc, operation),
        serial,
        ...(responseDocument && { _responseSchema: describedIn(responseDocument, operation) }),
      };
      (request as { openapi?: OpenApiRequest['openapi'] }).openapi = described;
    }
    next();
  };
}
