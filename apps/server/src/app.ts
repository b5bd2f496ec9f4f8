// The Express app: every request passes these steps, one after the other.
import { setTimeout as pause } from 'node:timers/promises';
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express';
import { allowOrigins, authenticate, limitRate } from './access.ts';
import { readBody } from './body.ts';
import { callHandler } from './call.ts';
import { docs } from './docs.ts';
import { notAllowed, nothingAt } from './errors.ts';
import { Budget, begin, type Exchange, exchangeOf } from './exchange.ts';
import { loadExplainer } from './explainer.ts';
import { collections, type Handlers, handlers as ours } from './handlers.ts';
import { Health, probes } from './health.ts';
import type { KeyCheck } from './keys.ts';
import type { Log } from './log.ts';
import { readParameters } from './parameters.ts';
import { MAX_UNREAD, send, sendError } from './send.ts';
import type { Store } from './store/store.ts';
import { validate } from './validation.ts';

export interface AppOptions {
  /** Returns the name of a valid key. */
  readonly keys: KeyCheck;
  readonly handlers?: Partial<Handlers>;
  /** Whether each response is compared with the spec. */
  readonly validateResponses?: boolean;
  /** The largest body in bytes. */
  readonly bodyLimit?: number;
  /** The origins whose pages may call the service; `*` for all. */
  readonly corsOrigins?: readonly string[] | null;
  /** Requests per minute and key. */
  readonly rateLimit?: number | null;
  readonly log?: Log;
  /** Whether liveness, readiness and metrics are served, too. */
  readonly hasProbes?: boolean;
}

/** An app, and what the program that runs it has to know. */
export interface Service {
  readonly app: Express;
  readonly health: Health;
  /** Resolves when the store is open, and the middleware that explains invalid requests is loaded. */
  readonly ready: Promise<void>;
}

/** Creates the app of the service over a store, which may not be open yet. */
export function createApp(store: Store | Promise<Store>, options: AppOptions): Express {
  const { app, ready } = createService(store, options);
  // The app serves requests nevertheless. Only the program knows whether it can go on like this.
  ready.catch((error: unknown) => options.log?.warn(`The app is not ready: ${error}`));
  return app;
}

export function createService(opening: Store | Promise<Store>, options: AppOptions): Service {
  const { handlers = ours, validateResponses = false, bodyLimit = 2 ** 20 } = options;
  const { keys, corsOrigins, rateLimit, log, hasProbes = true } = options;
  const health = new Health();
  const shared = { unread: new Budget(MAX_UNREAD), validateResponses };
  const app = appOf([
    begin(shared, (exchange) => report(exchange, health, log)),
    hasProbes ? probes(health) : undefined,
    docs,
    corsOrigins ? allowOrigins(corsOrigins) : undefined,
    authenticate(keys),
    rateLimit ? limitRate(rateLimit) : undefined,
    route,
    readParameters,
    readBody(bodyLimit),
    validate,
    callHandler(health, handlers, collections, log),
  ]);
  return { app, health, ready: makeReady(opening, health) };
}

/** The time for requests that have waited for the store. */
const WAITING_MS = 10;

/** Opens the store, and loads what explains invalid requests: that holds up all others, so the server is not ready before. */
async function makeReady(opening: Store | Promise<Store>, health: Health): Promise<void> {
  health.noteOpen(await opening);
  // The requests that wait for the store come first.
  await pause(WAITING_MS);
  await loadExplainer();
  health.noteReady();
}

/** Creates the app of an admin port, which has the probes only. */
export function createProbesApp(health: Health, log: Log): Express {
  const shared = { unread: new Budget(MAX_UNREAD), validateResponses: false };
  return appOf([
    begin(shared, (exchange) => report(exchange, health, log)),
    probes(health),
    nothing,
  ]);
}

/** Every target. A route with many steps takes less time than as many `app.use`. */
const EVERY = /^/;

function appOf(steps: readonly (RequestHandler | undefined)[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.route(EVERY).all(...steps.filter((step) => step !== undefined));
  app.use(handleError);
  return app;
}

/** Counts and logs an exchange that has ended. */
function report(exchange: Exchange, { metrics }: Health, log: Log | undefined): void {
  metrics.count(exchange);
  log?.request(exchange);
}

/** Lets requests pass that have an operation. */
const route: RequestHandler = (_request, response, next) => {
  const exchange = exchangeOf(response);
  const { target, method, operation } = exchange;
  if (!target.route) throw nothingAt(target);
  const { allow } = target.route;
  if (method === 'OPTIONS') {
    send(exchange, { status: 204, headers: ['Allow', allow] });
    return;
  }
  if (!operation) throw notAllowed(method, allow);
  next();
};

const nothing: RequestHandler = (_request, response) => {
  throw nothingAt(exchangeOf(response).target);
};

const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
  sendError(exchangeOf(response), error);
};
