import cors from 'cors';
import { rateLimit } from 'express-rate-limit';
import { dispatcher, fail, type Serve, type Service } from './dispatch.ts';
import { HttpError } from './errors.ts';
import { fastPath } from './fast-path.ts';
import { collections, type Handlers, handlers as ours } from './handlers.ts';
import { createHealth, type Health, probes } from './health.ts';
import type { KeyCheck } from './keys.ts';
import type { Log } from './log.ts';
import { type App, begin, exchangeOf, faultOf, headersOf } from './request.ts';
import { createStore } from './store/create-store.ts';
import { openLowdbStore as openLowdb } from './store/lowdb.ts';
import { Memory } from './store/memory.ts';
import type { Store } from './store/store.ts';

export { type Handlers, handlers } from './handlers.ts';
export { type KeyCheck, keysFrom } from './keys.ts';
export { type ListenOptions, listen } from './listen.ts';
export type { App } from './request.ts';
export {
  type Collection,
  type KeyedRequest,
  type Query,
  type Store,
  StoredDocument,
  StoredPage,
} from './store/store.ts';

export const declarations = Object.values(collections);

/** A store that forgets everything when the process ends, for tests. */
export const memoryStore = (): Store => createStore(declarations, new Memory(declarations));

/** The durable store in a folder. */
export const openLowdbStore = (
  folder: string,
  limits?: Parameters<typeof openLowdb>[2],
): Promise<Store> => openLowdb(folder, declarations, limits);

/** The store in a PostgreSQL database, which several servers can share. */
export const openPostgresStore = async (url: string): Promise<Store> =>
  (await import('./store/postgres.ts')).openPostgresStore(url, declarations);

export interface AppOptions {
  /** Returns the name of a valid key. */
  readonly keys: KeyCheck;
  readonly handlers?: Partial<Handlers>;
  /** Express serves all requests, and each response is compared with the spec. */
  readonly validateResponses?: boolean;
  /** The largest body in bytes. */
  readonly bodyLimit?: number;
  /** The origins whose pages may call the service; `*` for all. */
  readonly corsOrigins?: readonly string[] | null;
  /** Requests per minute and key. */
  readonly rateLimit?: number | null;
  readonly log?: Log;
  readonly health?: Health;
  /** Whether liveness, readiness and metrics are served, too. */
  readonly hasProbes?: boolean;
}

/** Creates the app of the service over a store, which may still be being opened. */
export function createApp(store: Store | Promise<Store>, options: AppOptions): App {
  const { handlers = ours, validateResponses = false, bodyLimit = 2 ** 20 } = options;
  const { corsOrigins, log, health = createHealth(store), hasProbes = true } = options;
  const calls = dispatcher(store, handlers, validateResponses);
  const service: Service = { ...calls, admit: admission(options), bodyLimit };
  let loading: Promise<Serve> | undefined;
  /** Serves by the Express app, which is loaded at the first: that takes longer than to load all others together. */
  const explain: Serve = (exchange) => {
    loading ??= import('./app.ts').then(({ expressApp }) => expressApp(service));
    loading.then((serve) => serve(exchange)).catch((error: unknown) => fail(exchange, error));
  };
  const serve = validateResponses ? explain : fastPath(service, explain);
  const crossOrigin =
    corsOrigins &&
    cors({
      origin: corsOrigins.includes('*') ? '*' : [...corsOrigins],
      exposedHeaders,
      maxAge: 3600,
    });
  return (request, response) => {
    const exchange = begin(request, response);
    response.once('close', () => {
      health.responded(exchange);
      log?.request(exchange);
      // An idle connection keeps its last exchange.
      exchange.input = undefined;
    });
    const fault = faultOf(request);
    if (fault) return fail(exchange, fault);
    if (hasProbes && probes.has(exchange.target.url)) return health.serve(exchange);
    if (!crossOrigin || !exchange.target.isService) return serve(exchange);
    // It answers preflight requests itself.
    response.setHeaders(new Map(Object.entries(headersOf(exchange))));
    crossOrigin(request, response, () => serve(exchange));
  };
}

/** Checks the API key of a request, and counts it. */
function admission({ keys, rateLimit: perMinute }: AppOptions): Service['admit'] {
  const limit =
    perMinute &&
    rateLimit({
      limit: perMinute,
      windowMs: 60_000,
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      validate: false,
      keyGenerator: (_request, response) => exchangeOf(response).caller ?? '',
      handler: (_request, _response, next) =>
        next(
          new HttpError(
            'rate_limited',
            'This key has reached its rate limit. Wait as long as Retry-After says.',
          ),
        ),
    });
  return (exchange) => {
    // The fast path may have admitted it before Express.
    if (exchange.caller !== undefined) return undefined;
    const { request, response } = exchange;
    const caller = keys(
      /^Bearer +([!-~]+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '',
    );
    if (caller === undefined) {
      const headers = { 'WWW-Authenticate': 'Bearer' };
      throw new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
    }
    exchange.caller = caller;
    if (!limit) return undefined;
    return new Promise((resolve, reject) => {
      // It uses what Express shares with `node:http`.
      limit(request as never, response as never, (error?: unknown) =>
        error ? reject(error) : resolve(),
      );
    });
  };
}

const exposedHeaders =
  'Allow,Deprecation,ETag,Idempotency-Replayed,Link,RateLimit,RateLimit-Policy,Retry-After,Sunset,WWW-Authenticate,X-Request-Id';
