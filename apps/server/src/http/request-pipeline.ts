import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, pino } from 'pino';
import type { KeyCheck } from '../keys/check-keys.ts';
import { MAX_PENDING_WRITES } from '../limits.ts';
import type { LogRequest } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { basePath } from '../spec.ts';
import type { Store } from '../store/store.ts';
import { callerOf, unauthorized } from './authentication.ts';
import { bodyBudget, bodyReceiver } from './body.ts';
import { type ClientAddress, clientAddress } from './client-address.ts';
import { crossOrigin } from './cross-origin.ts';
import { dispatcher } from './dispatch.ts';
import type { HealthChecks } from './health.ts';
import { errorWriter, HttpError } from './http-error.ts';
import { observer } from './observe.ts';
import { Quotas, rateLimiter } from './rate-limit.ts';
import { messageError, normalizeTarget } from './request-checks.ts';
import { createContext, type RequestContext } from './request-context.ts';
import { writeResponse, writeValidatedResponse } from './response.ts';
import { TargetCache, targetOf } from './target-cache.ts';

export interface AppOptions {
  /** Who may call. */
  keys: KeyCheck;
  /** Check responses against the spec, too: for development and tests. */
  validateResponses?: boolean;
  /** The size limit of a body in bytes. */
  bodyLimit?: number;
  /** The size limit of all bodies that are being received or processed, in bytes. */
  bodyMemory?: number;
  /** The limit of writes that wait for the store. */
  maxPendingWrites?: number;
  /** The origins whose pages may call; none by default. */
  corsOrigins?: readonly string[];
  /** Requests per minute and key; unlimited by default. */
  rateLimit?: number | undefined;
  /** The rate limits, if several processes share them; they replace `rateLimit`. */
  quotas?: Quotas | undefined;
  /** Finds the address of a request's client; by default it is the peer of the connection. */
  clientAddress?: ClientAddress;
  log?: Logger;
  /** Logs each request; `log` by default. */
  logRequest?: LogRequest;
  metrics?: Metrics;
  /** Whether requests can be served now; by default the store decides. */
  isReady?: () => Promise<boolean>;
  /** Serve `/healthz`, `/readyz` and `/metrics` beside the API, which is the default. */
  healthRoutes?: boolean;
}

/** The steps of a request, and their options. The fast path and the Express app share them. */
export type RequestPipeline = ReturnType<typeof createPipeline>;

export function createPipeline(store: Store, options: AppOptions) {
  const {
    keys,
    validateResponses = false,
    bodyLimit = 2 ** 20,
    bodyMemory = 2 ** 26,
    maxPendingWrites = MAX_PENDING_WRITES,
    corsOrigins = [],
    log = pino({ level: 'silent' }),
    logRequest = (entry) => log.info(entry),
    metrics = createMetrics(),
    isReady = () => store.ready(),
    healthRoutes = true,
  } = options;
  const quotas = options.quotas ?? (options.rateLimit ? new Quotas(options.rateLimit) : undefined);
  const write = validateResponses ? writeValidatedResponse : writeResponse;
  const budget = bodyBudget(bodyMemory);
  const addressOf = options.clientAddress ?? clientAddress(undefined);
  const targetCache = new TargetCache();
  const observe = observer(logRequest, metrics);
  const reject = errorWriter(log, writeResponse);

  /** Creates the context of a request, and registers it for log and metrics. Responds to a malformed one, and returns undefined. */
  function acceptRequest(request: IncomingMessage, response: ServerResponse): RequestContext | undefined {
    const { url = '' } = request;
    const cached = targetCache.get(url);
    const target = cached ? url : normalizeTarget(request.method, url);
    const context = createContext(request, cached ?? targetOf(target ?? url), addressOf(request));
    response.on('close', () => {
      observe(response, context);
      if (!context.isPending) budget.release(context);
    });
    const error = messageError(request) ?? (target === undefined ? targetError(request, context) : undefined);
    if (error) {
      // The client may also misframe the next request.
      response.setHeader('Connection', 'close');
      reject(error, response, context);
      return undefined;
    }
    request.url = target;
    return context;
  }

  /** Below the base path, a request without a key gets 401 and no other error. */
  function targetError(request: IncomingMessage, context: RequestContext): HttpError {
    if (request.url?.startsWith(`${basePath}/`) && callerOf(request, context, keys) === undefined)
      return unauthorized(context);
    return new HttpError('invalid_request', 'The target of the request is not a well-formed path.');
  }

  return {
    keys,
    bodyLimit,
    acceptRequest,
    receiveBody: bodyReceiver(bodyLimit, budget),
    crossOrigin: corsOrigins.length > 0 ? crossOrigin(corsOrigins) : undefined,
    applyRateLimit: quotas && rateLimiter(quotas),
    health: {
      isReady,
      metrics: metrics.text,
      state: store.state,
      connections: store.connections,
    } satisfies HealthChecks,
    hasHealthRoutes: healthRoutes,
    validateResponses,
    targetCache,
    dispatch: dispatcher(store, write, budget, maxPendingWrites, targetCache),
    fail: errorWriter(log, write),
  };
}
