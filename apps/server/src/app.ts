import { type Operation, operations } from '@petstore/types';
import express, { type Express, type RequestHandler } from 'express';
import type { OpenApiRequest } from 'express-openapi-validator/dist/framework/types.js';
import { type Logger, pino } from 'pino';
import { docs } from './docs/docs.ts';
import { handlers } from './handlers.ts';
import { nextPage } from './http/announce.ts';
import { answerFailure } from './http/answer-failure.ts';
import { authenticate } from './http/authenticate.ts';
import { jsonBody } from './http/body.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { exchangeOf } from './http/exchange.ts';
import { Failure } from './http/failure.ts';
import { health } from './http/health.ts';
import { identify } from './http/identify.ts';
import { methods } from './http/methods.ts';
import { observe } from './http/observe.ts';
import { routeOf } from './http/places.ts';
import { plainFields } from './http/plain-fields.ts';
import { rateLimit } from './http/rate-limit.ts';
import { validator } from './http/validate.ts';
import type { KeyCheck } from './keys.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { basePath } from './spec.ts';
import type { Store } from './store/store.ts';

export interface AppOptions {
  /** Who may call. */
  keys: KeyCheck;
  /** Check every answer against the spec as well: for development and tests. */
  validateResponses?: boolean;
  /** The largest body in bytes. */
  bodyLimit?: number;
  /** Origins whose pages may call; none unless told. */
  corsOrigins?: readonly string[];
  /** Requests a minute that each key has; any number unless told. */
  rateLimit?: number | undefined;
  log?: Logger;
  metrics?: Metrics;
  /** Whether requests can be served now; what the store says, unless told otherwise. */
  isReady?: () => Promise<boolean>;
}

/** The server without a socket: for listening, for embedding, and for tests. Rejects if the spec cannot be used. */
export async function createApp(store: Store, options: AppOptions): Promise<Express> {
  const {
    keys,
    validateResponses = false,
    bodyLimit = 2 ** 20,
    corsOrigins = [],
    log = pino({ level: 'silent' }),
    metrics = createMetrics(),
    isReady = () => store.ready(),
  } = options;
  const app = express();
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.disable('x-powered-by');
  app.disable('etag');

  app.use(identify, observe(log, metrics));
  app.use(docs());
  app.use(health(isReady, metrics.text, store.connections));

  if (corsOrigins.length > 0) app.use(basePath, crossOrigin(corsOrigins));
  app.use(basePath, authenticate(keys));
  if (options.rateLimit) app.use(basePath, rateLimit(options.rateLimit));
  app.use(basePath, methods, plainFields, jsonBody(bodyLimit));
  app.use(await validator(validateResponses));

  const api = handlers(store);
  for (const operation of Object.values(operations)) {
    serveOperation(app, operation, api[operation.id] as (input: object) => Promise<unknown>);
  }

  app.use((_request, response) => {
    throw new Failure('not_found', `There is nothing at ${exchangeOf(response).path}.`);
  });
  app.use(answerFailure((error, requestId) => log.error({ requestId, err: error })));
  return app;
}

function serveOperation(app: Express, operation: Operation, handle: (input: object) => Promise<unknown>): void {
  const serve: RequestHandler = async (request, response) => {
    const { pathParams } = (request as OpenApiRequest).openapi ?? {};
    const result = await handle({ ...pathParams, ...request.query, ...request.body });
    const limit = Number(request.query[operation.pagination?.limit ?? '']);
    response.set(nextPage(operation, exchangeOf(response).query, limit, result));
    response.status(operation.success);
    if (result === undefined) response.end();
    else response.json(result);
  };
  const method = operation.method.toLowerCase() as Lowercase<Operation['method']>;
  app[method](routeOf(operation), serve);
}
