import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Logger, pino } from 'pino';
import type { KeyCheck } from '../keys/check-keys.ts';
import { MAX_PENDING_WRITES } from '../limits.ts';
import type { LogRequest } from '../log.ts';
import { createMetrics, type Metrics } from '../metrics.ts';
import { basePath } from '../spec.ts';
import type { Store } from '../store/store.ts';
import { callerOf, crossOrigin, rateLimiter, unauthorized } from './access.ts';
import { bodyBudget, bodyReceiver } from './body.ts';
import { type ClientAddress, clientAddress } from './client-address.ts';
import { dispatcher } from './dispatch.ts';
import type { HealthChecks } from './health.ts';
import { errorWriter, HttpError } from './http-error.ts';
import { observer } from './observe.ts';
import { Quotas } from './quotas.ts';
import { normalizeTarget, violationOf } from './request-checks.ts';
import { createContext, type RequestContext } from './request-context.ts';
import { writeCheckedResponse, writeResponse } from './response.ts';
import { Targets, targetOf } from './targets.ts';

export interface AppOptions {
  /** Who may call. */
  keys: KeyCheck;
  /** Check every response against the spec as well: for development and tests. */
  validateResponses?: boolean;
  /** The largest body in bytes. */
  bodyLimit?: number;
  /** The bytes of all bodies that are being received or worked on. */
  bodyMemory?: number;
  /** Writes that wait for the store. */
  maxPendingWrites?: number;
  /** Origins whose pages may call; none by default. */
  corsOrigins?: readonly string[];
  /** Requests a minute that each key has; no limit by default. */
  rateLimit?: number | undefined;
  /** The same limits, where several processes share them. */
  quotas?: Quotas | undefined;
  /** The address of a request's client; that of its connection by default. */
  clientAddress?: ClientAddress;
  log?: Logger;
  /** Logs each request; `log` by default. */
  logRequest?: LogRequest;
  metrics?: Metrics;
  /** Whether requests can be served now; the store's answer by default. */
  isReady?: () => Promise<boolean>;
  /** Serve `/healthz`, `/readyz` and `/metrics` beside the API, the default, or leave them to an app of their own. */
  healthRoutes?: boolean;
}

/** The functions that the fast path and the Express app share. */
export type Parts = ReturnType<typeof createParts>;

export function createParts(store: Store, options: AppOptions) {
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
  const write = validateResponses ? writeCheckedResponse : writeResponse;
  const budget = bodyBudget(bodyMemory);
  const addressOf = options.clientAddress ?? clientAddress(undefined);
  const targets = new Targets();
  const observe = observer(logRequest, metrics);
  const reject = errorWriter(log, writeResponse);

  /** The context of a request, which is observed from now on; nothing where it was answered as malformed. */
  function acceptRequest(request: IncomingMessage, response: ServerResponse): RequestContext | undefined {
    const { url = '' } = request;
    const known = targets.find(url);
    const target = known ? url : normalizeTarget(request.method, url);
    const context = createContext(request, known ?? targetOf(target ?? url), addressOf(request));
    response.on('close', () => {
      observe(response, context);
      if (!context.isPending) budget.release(context);
    });
    const violation = violationOf(request) ?? (target === undefined ? targetError(request, context) : undefined);
    if (violation) {
      // Whoever misunderstands one request may misunderstand where the next one begins.
      response.setHeader('Connection', 'close');
      reject(violation, response, context);
      return undefined;
    }
    request.url = target;
    return context;
  }

  /** Below the base path nothing but a missing key is answered without a key. */
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
    targets,
    dispatch: dispatcher(store, write, budget, maxPendingWrites, targets),
    fail: errorWriter(log, write),
  };
}
