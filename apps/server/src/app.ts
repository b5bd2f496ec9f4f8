import type { IncomingMessage, ServerResponse } from 'node:http';
import cors from 'cors';
import { admission } from './admission.ts';
import { begin, contextOf } from './context.ts';
import { dispatcher, sendError } from './dispatch.ts';
import type { ExpressOptions } from './express-app.ts';
import { fastPath } from './fast-path.ts';
import { type Handlers, handlers as ours } from './handlers.ts';
import { Health } from './health.ts';
import type { KeyCheck } from './keys.ts';
import { clientOf, type Log, type Proxies, silent } from './log.ts';
import type { Store } from './store/store.ts';
import { compileValidators } from './validators.ts';

export interface AppOptions {
  /** Returns the name of a valid key. */
  readonly keys: KeyCheck;
  readonly handlers?: Partial<Handlers>;
  /** Express serves all requests, and each response is compared with the spec. */
  readonly validateResponses?: boolean;
  /** The largest body in bytes. */
  readonly bodyLimit?: number;
  /** The origins whose pages may call the service; all for `*`. */
  readonly corsOrigins?: readonly string[];
  /** Requests per minute and key. */
  readonly rateLimit?: number | undefined;
  /** The trusted proxies in front, for the addresses of clients in the log. */
  readonly trustProxy?: Proxies | undefined;
  readonly log?: Log;
  /** Liveness, readiness and metrics; null to serve them elsewhere. */
  readonly health?: Health | null;
}

/** A listener for `node:http`, which also fits into an Express app. */
export type App = (request: IncomingMessage, response: ServerResponse) => void;

/** Creates the app of the service over a store. */
export function createApp(store: Store, options: AppOptions): App {
  const { keys, handlers = ours, validateResponses = false, bodyLimit = 2 ** 20, log = silent } = options;
  const { corsOrigins = [], health = new Health(() => store.check(), store) } = options;
  const admit = admission(keys, options.rateLimit);
  const dispatch = dispatcher(store, handlers, validateResponses);
  const crossOrigin = corsOrigins.length > 0 ? corsOf(corsOrigins) : undefined;
  const pending = new WeakMap<IncomingMessage, Buffer>();
  const express = explainer({ admit, dispatch, bodyLimit, health, log, pending });
  compileValidators();
  const fast = fastPath({
    admit,
    dispatch,
    bodyLimit,
    explain: (request, response, bytes) => {
      if (bytes) pending.set(request, bytes);
      express(request, response);
    },
    onError: (error, response, context) => sendError(error, response, context, log),
  });
  const { trustProxy } = options;
  return (request, response) => {
    const context = begin(request, response);
    const address = trustProxy === undefined ? request.socket.remoteAddress : clientOf(request, trustProxy);
    response.once('close', () => {
      health?.metrics.responded(context, response);
      log.request(context, request, response, address);
    });
    const serve = () => {
      if (validateResponses || !context.isService) express(request, response);
      else fast(request, response, context);
    };
    if (crossOrigin && context.isService) crossOrigin(request, response, serve);
    else serve();
  };
}

const HOUR = 3600;

function corsOf(
  origins: readonly string[],
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
  const origin = origins.includes('*') ? '*' : [...origins];
  const exposedHeaders = [
    'Allow',
    'Deprecation',
    'ETag',
    'Idempotency-Replayed',
    'Link',
    'RateLimit',
    'RateLimit-Policy',
  ];
  exposedHeaders.push('Retry-After', 'Sunset', 'WWW-Authenticate', 'X-Request-Id');
  return cors({ origin, exposedHeaders, maxAge: HOUR });
}

/** Serves requests by the Express app, which is loaded at the first: it takes longer to load than all others together. */
function explainer(options: ExpressOptions): App {
  let app: App | undefined;
  let loading: Promise<App> | undefined;
  return (request, response) => {
    if (app) return app(request, response);
    loading ??= import('./express-app.ts').then(({ expressApp }) => expressApp(options));
    loading.then(
      (loaded) => {
        app = loaded;
        loaded(request, response);
      },
      (error: unknown) => sendError(error, response, contextOf(response), options.log),
    );
  };
}
