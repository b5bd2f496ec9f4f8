import type { Request, RequestHandler } from 'express';
import type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
import { openApiDocument } from '../../document.ts';
import { withoutFiles } from '../body-content.ts';
import { invalidRequest } from '../http-error.ts';
import { inputOf } from '../input.ts';
import { contextOf } from '../request-context.ts';
import { AJV_OPTIONS, type Ajv, load, operationObjectIn, prepareSpec, requestCheck } from './compiled-checks.ts';
import { addKeywords } from './keywords.ts';

const { ResponseValidator } = load('middlewares/openapi.response.validator') as {
  ResponseValidator: new (spec: object, options: object) => { ajvBody: Ajv; validate(): RequestHandler };
};

/** The validators without and with checks of responses. All apps of a process share them, because they depend on the spec alone. */
const validators = new Map<boolean, RequestHandler[]>();

/**
 * The middleware that validates requests and, in development, responses, with the compiled checks of express-openapi-validator.
 * Its version is pinned, because these checks are internal. Other parts of it are not used:
 *
 * - Loading compiles the schema of OpenAPI itself at every start. The spec was validated when the code was generated.
 * - Routing matches all routes again at every request, and does not support a dash in a parameter name.
 * - Parsing rounds integers, coerces types, and does not support all styles and forms. The checks run on the values that
 *   parameters.ts and body-content.ts have parsed.
 */
export function validator(validateResponses: boolean): RequestHandler[] {
  const known = validators.get(validateResponses);
  if (known) return known;
  const { apiDoc, apiDocRes, ajvOpts } = prepareSpec(openApiDocument, validateResponses);
  const handlers = [validateRequests(requestCheck(apiDoc, ajvOpts.request))];
  if (apiDocRes) handlers.push(responseValidator(apiDocRes, ajvOpts.response));
  validators.set(validateResponses, handlers);
  return handlers;
}

/** Validates the parsed parameters and body, and stores the input in the context. Throws an HttpError with the violations. */
function validateRequests(violationsOf: ReturnType<typeof requestCheck>): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const { operation, parameters } = context;
    if (operation && parameters) {
      const checked = { ...parameters, body: withoutFiles(request.body, operation.body?.kind) };
      const violations = violationsOf(operation, checked);
      if (violations.length > 0) throw invalidRequest(violations);
      context.input = inputOf(operation, checked, request.body);
    }
    next();
  };
}

/** Validates each JSON response of an operation when it is sent. */
function responseValidator(apiDoc: OpenAPIV3.DocumentV3_1, options: object): RequestHandler {
  const responses = new ResponseValidator(apiDoc, { ...options, ...AJV_OPTIONS });
  addKeywords(responses.ajvBody);
  const validate = responses.validate();
  return (request, response, next) => {
    const { operation } = contextOf(response);
    if (!operation) return next();
    // The validator skips a response if `serial` is not its own serial number, which is -1 by default.
    const openapi = { expressRoute: operation.path, _responseSchema: operationObjectIn(apiDoc, operation), serial: -1 };
    // It caches compiled checks by the content type of the request, so empty headers bound that cache.
    const stub = { openapi, method: operation.method, originalUrl: request.originalUrl, headers: {} };
    // The cast is safe, because the validator reads only these properties.
    validate(stub as unknown as Request, response, next);
  };
}
