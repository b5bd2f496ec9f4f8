// Whether the server can serve requests, and the paths that tell it to operators.
import type { RequestHandler } from 'express';
import { notAllowed, unavailable } from './errors.ts';
import { type Exchange, exchangeOf } from './exchange.ts';
import { Metrics } from './metrics.ts';
import { send } from './send.ts';
import type { Store } from './store/store.ts';

/** They have no line in the log, which they would fill. */
export const probePaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/** Whether a server can serve requests. It listens before its store is open. */
export class Health {
  readonly metrics = new Metrics(() => this.#store?.stats());
  #store: Store | undefined;
  #isReady = false;
  #isDraining = false;

  /** Returns the store. Throws a 503 until it is open. */
  openStore(): Store {
    if (!this.#store) throw unavailable('The store is still being opened. Retry later.');
    return this.#store;
  }

  noteOpen(store: Store): void {
    this.#store = store;
  }

  /** Notes that the start is complete. */
  noteReady(): void {
    this.#isReady = true;
  }

  /** Notes that the server is stopping. */
  noteDraining(): void {
    this.#isDraining = true;
  }

  /** Throws if the server cannot serve requests now. */
  async check(): Promise<void> {
    if (this.#isDraining) throw unavailable('The server is stopping.');
    const store = this.openStore();
    if (!this.#isReady) throw unavailable('The server is still starting. Retry later.');
    await store.check();
  }
}

/** Answers the requests of operators. */
export function probes(health: Health): RequestHandler {
  return (_request, response, next) => {
    const exchange = exchangeOf(response);
    if (!probePaths.has(exchange.target.url)) return next();
    return answerProbe(exchange, health);
  };
}

async function answerProbe(exchange: Exchange, health: Health): Promise<void> {
  const { target, method } = exchange;
  if (method !== 'GET' && method !== 'HEAD') throw notAllowed(method, 'GET, HEAD');
  if (target.url === '/metrics') {
    const { metrics } = health;
    send(exchange, { status: 200, body: await metrics.text(), type: metrics.contentType });
    return;
  }
  if (target.url === '/readyz') await health.check();
  send(exchange, { status: 200, body: '{"status":"ok"}' });
}
