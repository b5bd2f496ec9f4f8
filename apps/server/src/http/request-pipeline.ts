import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, pino } from 'pino';
import type { KeyCheck } from '../keys/check-keys.ts';
import { DEFAULTS, MAX_PENDING_WRITES } from '../limits.ts';
import type { LogRequest } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { service } from '../old.ts';
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
import { localTarget, messageError, normalizeTarget } from './request-checks.ts';
import { createContext, type RequestContext } from './request-context.ts';
import { writeResponse, writeValidatedResponse } from './response.ts';
import { parseTarget, TargetCache } from './target-cache.ts';

export interface AppOptions {
  /** Returns the name of a valid API key. */
  keys: KeyCheck;
  /** Whether responses are checked against the spec, too: for development and tests. False by default. */
  validateResponses?: boolean;
  /** The size limit of one body in bytes. */
  bodyLimit?: number;
  /** The size limit in bytes of all bodies together that are being received or processed. */
  bodyMemory?: number;
  /** The largest number of writes that wait for the store. A further write gets 503. */
  maxPendingWrites?: number;
  /** The origins whose pages may call the service in a browser; no origins by default. */
  corsOrigins?: readonly string[];
  /** The number of requests that each key may send per minute; unlimited by default. */
  rateLimit?: number | undefined;
  /** Returns the address of a request's client; by default the address of the connection's peer. */
  clientAddress?: ClientAddress;
  log?: Logger;
  /** Logs each request; by default with `log`. */
  logRequest?: LogRequest;
  metrics?: Metrics;
  /** Whether requests can be served now; by default the store decides. */
  isReady?: () => Promise<boolean>;
  /** Whether `/healthz`, `/readyz` and `/metrics` are served beside the API. True by default. */
  healthRoutes?: boolean;
}

/** The steps that process a request, and their options. Both the fast path and the Express app use them. */
export type RequestPipeline = ReturnType<typeof createPipeline>;

export function createPipeline(store: Store, options: AppOptions) {
  const {
    keys,
    validateResponses = false,
    bodyLimit = DEFAULTS.bodyLimit,
    bodyMemory = DEFAULTS.bodyMemory,
    maxPendingWrites = MAX_PENDING_WRITES,
    corsOrigins = [],
    log = pino({ level: 'silent' }),
    logRequest = (entry) => log.info(entry),
    metrics = createMetrics(),
    isReady = () => store.ready(),
    healthRoutes = true,
  } = options;
  const quotas = options.rateLimit ? new Quotas(options.rateLimit) : undefined;
  const write = validateResponses ? writeValidatedResponse : writeResponse;
  const budget = bodyBudget(bodyMemory);
  const addressOf = options.clientAddress ?? clientAddress(undefined);
  const targetCache = new TargetCache();
  const observe = observer(logRequest, metrics);
  const writeUncheckedError = errorWriter(log, writeResponse);

  /**
   * Creates the context of a request, and registers the request for log and metrics. If the request is malformed, sends the error
   * response and returns undefined.
   */
  function acceptRequest(request: IncomingMessage, response: ServerResponse): RequestContext | undefined {
    const { url = '' } = request;
    const cached = targetCache.get(url);
    const normalizedUrl = cached ? url : normalizeTarget(request.method, url);
    const context = createContext(request, cached ?? parseTarget(normalizedUrl ?? url), addressOf(request));
    response.on('close', () => {
      observe(response, context);
      // If the handler still runs, it uses the body, and `dispatch` releases the body later.
      if (!context.isBodyInUse) budget.release(context);
    });
    const error = messageError(request) ?? (normalizedUrl === undefined ? targetError(request, context) : undefined);
    if (error) {
      // The next request on this connection may begin in the wrong place, so the connection closes.
      response.setHeader('Connection', 'close');
      // Express does not handle this response, so the validator cannot check it.
      writeUncheckedError(error, response, context);
      return undefined;
    }
    request.url = normalizedUrl;
    return context;
  }

  /** The error for a malformed target. Below the base path, it is 401 if there is no valid key. */
  function targetError(request: IncomingMessage, context: RequestContext): HttpError {
    if (
      localTarget(request.url ?? '')?.startsWith(`${service.basePath}/`) &&
      callerOf(request, context, keys) === undefined
    )
      return unauthorized();
    return new HttpError('invalid_request', 'The target of the request is not a well-formed path.');
  }

  return {
    keys,
    bodyLimit,
    acceptRequest,
    bodyBudget: budget,
    receiveBody: bodyReceiver(bodyLimit, budget),
    crossOrigin: corsOrigins.length > 0 ? crossOrigin(corsOrigins) : undefined,
    applyRateLimit: quotas && rateLimiter(quotas),
    health: {
      isReady,
      metrics: metrics.text,
      hasFailed: store.hasFailed,
      connections: store.connections,
    } satisfies HealthChecks,
    hasHealthRoutes: healthRoutes,
    validateResponses,
    targetCache,
    dispatch: dispatcher(store, write, budget, maxPendingWrites, targetCache),
    /** Sends the response for an error of an accepted request. */
    respondWithError: errorWriter(log, write),
  };
}
