import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { rateLimit } from 'express-rate-limit';
import { collectionsOf, dispatcher, type Next, type Service, send, sendError } from './dispatch.ts';
import { HttpError } from './errors.ts';
import { fastPath } from './fast-path.ts';
import { collections, type Handlers, handlers as ours } from './handlers.ts';
import { Health } from './health.ts';
import type { KeyCheck } from './keys.ts';
import { type Log, silent } from './log.ts';
import { type App, begin, type Context, checkMessage, contextOf, headersOf, keepContext } from './request.ts';
import { type Limits, openLowdbStore as openLowdb } from './store/lowdb.ts';
import { memoryStore as inMemory } from './store/memory.ts';
import type { Store } from './store/store.ts';

export { type Handlers, handlers } from './handlers.ts';
export { type KeyCheck, keysFrom } from './keys.ts';
export { type Listener, type ListenOptions, listen } from './listen.ts';
export type { App } from './request.ts';
export type { Collection, Page, Query, RequestKey, Store, Stored } from './store/store.ts';

export const declarations = Object.values(collections);

/** A store that forgets everything when the process ends, for tests. */
export const memoryStore = (): Store => inMemory(declarations);

/** The durable store in a folder. */
export const openLowdbStore = (folder: string, limits?: Limits): Promise<Store> =>
  openLowdb(folder, declarations, limits);

/** The store in a PostgreSQL database, which several servers can share. */
export async function openPostgresStore(url: string): Promise<Store> {
  const postgres = await import('./store/postgres.ts');
  return postgres.openPostgresStore(url, declarations);
}

export interface AppOptions {
  /** Returns the name of a valid key. */
  readonly keys: KeyCheck;
  readonly handlers?: Partial<Handlers>;
  /** Express serves all requests, and each response is compared with the spec. */
  readonly validateResponses?: boolean;
  /** The largest body in bytes. */
  readonly bodyLimit?: number;
  /** The origins whose pages may call the service; `*` for all. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Requests per minute and key. */
  readonly rateLimit?: number | undefined;
  readonly log?: Log;
  /** Liveness, readiness and metrics; null to serve them elsewhere. */
  readonly health?: Health | null;
}

/** Creates the app of the service over a store. */
export function createApp(store: Store, options: AppOptions): App {
  const { keys, handlers = ours, validateResponses = false, bodyLimit = 2 ** 20, log = silent } = options;
  const {
    corsOrigins = [],
    health = new Health(
      () => store.check(),
      () => store.forgottenKeys(),
    ),
  } = options;
  const unbound = Object.values(collectionsOf(store));
  const fail: Service['fail'] = (error, response, context) => sendError(error, response, context, log);
  const service: Service = {
    admit: admission(keys, options.rateLimit),
    dispatch: dispatcher(store, handlers, validateResponses),
    send: (answer, request, response, context) => {
      try {
        send(answer, request, response, context);
      } catch (error) {
        fail(error, response, context);
      }
    },
    fail,
    version: () => unbound.reduce((sum, { version }) => sum + (version ?? Number.NaN), 0),
    bodyLimit,
    health,
  };
  const explain = expressLater(service);
  const serve = validateResponses ? explain : fastPath(service, explain);
  const crossOrigin = corsOrigins.length > 0 ? corsOf(corsOrigins) : undefined;
  return (request, response) => {
    const context = begin(request);
    response.once('close', () => {
      health?.responded(context, response);
      log.request(context, request, response);
    });
    if (!crossOrigin || !context.target.isService) return serve(request, response, context);
    // It answers preflight requests itself.
    response.setHeaders(new Map(Object.entries(headersOf(context))));
    crossOrigin(request, response, () => serve(request, response, context));
  };
}

function admission(keys: KeyCheck, perMinute: number | undefined): Service['admit'] {
  const limit =
    perMinute &&
    rateLimit({
      limit: perMinute,
      windowMs: 60_000,
      standardHeaders: 'draft-7',
      legacyHeaders: false,
      validate: false,
      keyGenerator: (_request, response) => contextOf(response).caller ?? '',
      handler: (_request, response, next) => {
        const seconds = response.getHeader('Retry-After');
        next(new HttpError('rate_limited', `This key has reached its rate limit. Retry in ${seconds} s.`));
      },
    });
  return (request, response, context, next) => {
    if (context.caller !== undefined) return next();
    try {
      checkMessage(request);
    } catch (error) {
      return next(error);
    }
    const caller = keys(/^Bearer +([!-~]+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '');
    if (caller === undefined) {
      const headers = { 'WWW-Authenticate': 'Bearer' };
      return next(new HttpError('unauthorized', 'The API key is missing or invalid.', { headers }));
    }
    context.caller = caller;
    if (!limit) return next();
    keepContext(response, context);
    limit(request as never, response as never, next);
  };
}

const exposedHeaders =
  'Allow,Deprecation,ETag,Idempotency-Replayed,Link,RateLimit,RateLimit-Policy,Retry-After,Sunset,WWW-Authenticate,X-Request-Id';

function corsOf(origins: readonly string[]): (request: IncomingMessage, response: ServerResponse, next: Next) => void {
  return cors({ origin: origins.includes('*') ? '*' : [...origins], exposedHeaders, maxAge: 3600 });
}

/** Serves requests by the Express app, which is loaded at the first: that takes longer than to load all others together. */
function expressLater(service: Service) {
  let app: App | undefined;
  let loading: Promise<App> | undefined;
  return (request: IncomingMessage, response: ServerResponse, context: Context): void => {
    keepContext(response, context);
    if (app) return app(request, response);
    loading ??= import('./app.ts').then(({ expressApp }) => expressApp(service));
    loading.then(
      (loaded) => {
        app = loaded;
        loaded(request, response);
      },
      (error: unknown) => service.fail(error, response, context),
    );
  };
}
