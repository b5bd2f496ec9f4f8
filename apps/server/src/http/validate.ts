import { Socket } from 'node:net';
import { parse } from 'node:url';
import type { Operation } from '@petstore/types';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { basePath, servedSpec } from '../spec.ts';
import { withoutFiles } from './body-content.ts';
import { invalidRequest } from './http-error.ts';
import { isCondition } from './if-match.ts';
import { IncomingMessage, ServerResponse } from './node-http.ts';
import { contextOf, type Input } from './request-context.ts';
import { type Checked, openValidator, type ValidateRequest, type Validator } from './validator-internals.ts';

/** By whether responses are validated. All apps of a process share them: the spec is the same, and no request is remembered. */
const validators = new Map<boolean, Promise<Validator>>();

/** The validator, with the spec loaded and every operation's checks compiled. Rejects if the spec cannot be used. */
export function validator(validateResponses: boolean): Promise<Validator> {
  const known = validators.get(validateResponses) ?? newValidator(validateResponses);
  validators.set(validateResponses, known);
  return known;
}

async function newValidator(validateResponses: boolean): Promise<Validator> {
  quietUrlParse();
  const opened = openValidator(
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
  await warmUp(opened.handlers);
  return opened;
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

/** The input of an operation from the parts of a request, which were checked; files are taken from the body as it came. */
export function inputOf(
  { method, fields, body: described }: Operation,
  { query, params, headers, cookies, body }: Checked,
  received: unknown,
): Input {
  const input: Record<string, unknown> = { ...params, ...query, ...cookies };
  for (const name in fields) {
    // A condition is for the store, not for the handler.
    if (fields[name]?.in !== 'header' || isCondition(method, name)) continue;
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[name] = value;
  }
  if (body === undefined) return input;
  const value =
    described?.kind === 'bytes'
      ? received
      : described?.kind === 'multipart'
        ? { ...Object(body), ...Object(received) }
        : body;
  return described?.whole ? { ...input, body: value } : { ...input, ...(value as object) };
}

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
 * until then, and takes a third of a second for it.
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
