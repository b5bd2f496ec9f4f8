// The paths for operators: liveness, readiness and metrics.
import type { RequestHandler } from 'express';
import { constantHeaders } from './constant-headers.ts';
import { notAllowed, unavailable } from './errors.ts';
import { exchangeOf, type Reply } from './exchange.ts';
import type { Metrics } from './metrics.ts';
import type { OpeningStore } from './opening-store.ts';
import { send } from './send.ts';

/** They have no line in the log, which they would fill. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether a server can serve requests. */
export class Health {
  readonly metrics: Metrics;
  readonly #store: OpeningStore;
  #isLoaded = false;
  #isDraining = false;

  constructor(store: OpeningStore, metrics: Metrics) {
    this.#store = store;
    this.metrics = metrics;
  }

  /** Notes that all is loaded. */
  loaded(): void {
    this.#isLoaded = true;
  }

  /** Notes that the server is stopping. */
  draining(): void {
    this.#isDraining = true;
  }

  /** Throws if the server cannot serve requests now. */
  async check(): Promise<void> {
    if (this.#isDraining) throw unavailable('The server stops.');
    const store = this.#store.get();
    if (!this.#isLoaded) throw unavailable('The validator is still being loaded. Retry later.');
    await store.check();
  }
}

/** Answers the requests of operators. */
export function probes(health: Health): RequestHandler {
  const replies: Readonly<Record<string, () => Promise<Reply>>> = {
    '/healthz': async () => ok,
    '/readyz': async () => {
      await health.check();
      return ok;
    },
    '/metrics': async () => {
      const { metrics } = health;
      const body = await metrics.text();
      return { status: 200, headers: constantHeaders(), body, type: metrics.contentType };
    },
  };
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    const { target, method } = exchange;
    if (!probePaths.has(target.url)) return next();
    if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
    const reply = replies[target.url];
    return reply?.().then((made) => send(exchange, made));
  };
}

const ok: Reply = { status: 200, headers: constantHeaders(), body: '{"status":"ok"}' };
