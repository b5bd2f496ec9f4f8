import { type Operation, operations } from '@petstore/types';
import express, { type Express, type Request, type Response } from 'express';
import { middleware as validate } from 'express-openapi-validator';
import type { OpenApiRequest } from 'express-openapi-validator/dist/framework/types.js';
import { handlers } from './handlers.ts';
import { answerFailure } from './http/answer-failure.ts';
import { authenticate } from './http/authenticate.ts';
import { Failure } from './http/failure.ts';
import { deprecation, nextPage } from './http/links.ts';
import type { KeyCheck } from './keys.ts';
import { basePath, servedSpec, specText } from './spec.ts';
import type { Store } from './store/store.ts';

export interface AppOptions {
  /** Who may call. */
  keys: KeyCheck;
  /** Check every answer against the spec as well: for development and tests. */
  validateResponses?: boolean;
}

/** The server without a socket: for listening, for embedding, and for tests. */
export function createApp(store: Store, { keys, validateResponses = false }: AppOptions): Express {
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');

  app.get('/openapi.yaml', (_request, response) => void response.type('application/yaml').send(specText));

  app.use(basePath, authenticate(keys), express.json());
  app.use(
    validate({
      apiSpec: servedSpec(),
      ignorePaths: (path: string) => !path.startsWith(`${basePath}/`),
      validateRequests: { allErrors: true, allowUnknownQueryParameters: false },
      validateResponses,
      validateSecurity: false,
    }),
  );

  const api = handlers(store);
  for (const operation of Object.values(operations)) {
    route(app, operation, api[operation.id] as (input: Input) => Promise<unknown>);
  }

  app.use((request) => {
    throw new Failure('not_found', `There is nothing at ${request.path}.`);
  });
  app.use(answerFailure);
  return app;
}

type Input = Record<string, unknown>;

function route(app: Express, operation: Operation, handle: (input: Input) => Promise<unknown>) {
  const path = basePath + operation.path.replace(/\{(\w+)\}/g, ':$1');
  const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
  app[method](path, async (request: Request, response: Response) => {
    response.set(deprecation(operation));
    const result = await handle({
      ...(request as OpenApiRequest).openapi?.pathParams,
      ...request.query,
      ...request.body,
    });
    response
      .set(nextPage(operation, request, result))
      .status(operation.success)
      .json(result);
  });
}
