import type { RequestListener } from 'node:http';
import type { Express } from 'express';
import { type Logger, pino } from 'pino';
import { failureAnswerer } from './http/answer-failure.ts';
import { crossOrigin } from './http/cross-origin.ts';
import { health } from './http/health.ts';
import { observer } from './http/observe.ts';
import { performer } from './http/perform.ts';
import { allowance } from './http/rate-limit.ts';
import { shortWay } from './http/short-way.ts';
import { validator } from './http/validate.ts';
import { wholeWay } from './http/whole-way.ts';
import { writeAnswer, writeChecked } from './http/write-answer.ts';
import type { KeyCheck } from './keys.ts';
import type { Log } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
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
  /** Logs each request; as `log` would, unless told. */
  logRequest?: Log['logRequest'];
  metrics?: Metrics;
  /** Whether requests can be served now; what the store says, unless told otherwise. */
  isReady?: () => Promise<boolean>;
}

/** The server without a socket: for listening, for embedding, and for tests. Rejects if the spec cannot be used. */
export async function createApp(store: Store, options: AppOptions): Promise<RequestListener> {
  const parts = await partsOf(store, options);
  const whole = wholeWay(parts);
  // Answers are checked by way of Express alone.
  return options.validateResponses ? whole : shortWay(parts, whole);
}

/** The same by way of Express alone, which is what decides wherever the short way does not accept. */
export async function createExpressApp(store: Store, options: AppOptions): Promise<Express> {
  return wholeWay(await partsOf(store, options));
}

/** What both ways are made of. */
export type Parts = Awaited<ReturnType<typeof partsOf>>;

/** Makes what both ways share. */
export async function partsOf(store: Store, options: AppOptions) {
  const {
    keys,
    validateResponses = false,
    bodyLimit = 2 ** 20,
    corsOrigins = [],
    log = pino({ level: 'silent' }),
    logRequest = (entry) => log.info(entry),
    metrics = createMetrics(),
    isReady = () => store.ready(),
  } = options;
  const write = validateResponses ? writeChecked : writeAnswer;
  return {
    keys,
    bodyLimit,
    crossOrigin: corsOrigins.length > 0 ? crossOrigin(corsOrigins) : undefined,
    allowance: options.rateLimit ? allowance(options.rateLimit) : undefined,
    observe: observer(logRequest, metrics),
    health: health(isReady, metrics.text, store.connections),
    validator: await validator(validateResponses),
    perform: performer(store, write),
    fail: failureAnswerer(log, write),
  };
}
