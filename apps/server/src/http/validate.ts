import { Socket } from 'node:net';
import { parse } from 'node:url';
import { type Operation, operations } from '@petstore/types';
import express, { type ErrorRequestHandler, type RequestHandler } from 'express';
import { basePath, servedSpec } from '../spec.ts';
import { HttpError } from './http-error.ts';
import { IncomingMessage, ServerResponse } from './node-http.ts';
import { openValidator, type Validator } from './validator-internals.ts';

/** The validator, with the spec loaded and every operation's checks compiled. Rejects if the spec cannot be used. */
export async function validator(validateResponses: boolean): Promise<Validator> {
  quietUrlParse();
  const opened = openValidator(servedSpec(), basePath, {
    ignorePaths: (path: string) => !path.startsWith(`${basePath}/`),
    validateRequests: { allErrors: true, allowUnknownQueryParameters: false },
    validateResponses,
    validateSecurity: false,
    fileUploader: false,
  });
  for (const operation of Object.values<Operation>(operations)) await warmUp(opened.handlers, operation);
  return opened;
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
 * Sends a request without content through the validator alone. It loads the spec only at the first request, keeps an
 * unusable one to itself until then, and takes a third of a second for it.
 */
function warmUp(handlers: RequestHandler[], operation: Operation): Promise<void> {
  const request = new IncomingMessage(new Socket());
  request.method = operation.method;
  request.url = basePath + operation.path.replace(/\{\w+\}/g, '0');
  if (operation.body) request.headers['content-type'] = operation.body.mediaType;
  return new Promise((resolve, reject) => {
    const app = express();
    const answer: RequestHandler = (_request, response) => {
      response.status(400).json(new HttpError('invalid_request', 'warming up').body());
      resolve();
    };
    const refused: ErrorRequestHandler = (error, refusedRequest, response, next) => {
      if (error.status === 400) answer(refusedRequest, response, next);
      else reject(new Error(`spec/openapi.yaml cannot be used: ${error.message}`, { cause: error }));
    };
    app.use(handlers, answer, refused);
    app(request, new ServerResponse(request));
  });
}
