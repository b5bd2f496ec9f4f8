import { Socket } from 'node:net';
import { parse } from 'node:url';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { basePath, servedSpec } from '../spec.ts';
import { withoutFiles } from './body-content.ts';
import { invalidRequest } from './http-error.ts';
import { inputOf } from './input.ts';
import { IncomingMessage, ServerResponse } from './node-http.ts';
import { contextOf } from './request-context.ts';
import { openValidator, type ValidateRequest } from './validator-internals.ts';

/** By whether responses are validated. All apps of a process share them: the spec is the same, and no request is remembered. */
const validators = new Map<boolean, Promise<RequestHandler[]>>();

/** The handlers of the validator, with the spec loaded. Rejects if the spec cannot be used. */
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

/** Accepts the input of a request whose parameters and body were read, or throws what is wrong with it. */
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
 * The validator reads every address with `url.parse`, which looks through the call stack each time to see whom to warn
 * of its age, until it has warned somebody: that takes longer than all the rest of the validation.
 */
function quietUrlParse(): void {
  const { noDeprecation } = process;
  process.noDeprecation = true;
  parse('/');
  process.noDeprecation = noDeprecation ?? false;
}

/**
 * Sends a request through the validator alone. It loads the spec only at the first request, keeps an unusable one to itself
 * until then, and takes a while for it.
 */
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
