import { setTimeout as pause } from 'node:timers/promises';
import { type Config, secrets } from './config.ts';
import { respond } from './dispatch.ts';
import { nothingAt, UsageError } from './errors.ts';
import { Health } from './health.ts';
import { createApp, openLowdbStore, openPostgresStore } from './index.ts';
import { createFirstKey, followKeys, keysFrom, readKeys } from './keys.ts';
import { type Listener, listen } from './listen.ts';
import { openLog } from './log.ts';
import { type App, begin } from './request.ts';
import type { Store } from './store/store.ts';

/** A running server. */
export interface Running {
  readonly origin: string;
  readonly adminOrigin: string | undefined;
  /** The API key, if this start has made one. */
  readonly madeKey: string | undefined;
  stop(): Promise<void>;
}

/** Starts a server. Requests wait until the store is open. */
export async function serve(config: Config): Promise<Running> {
  const { apiKeys, databaseUrl, dataDir, host, port, adminPort, requestTimeout } = config;
  if (databaseUrl !== undefined && apiKeys === undefined && !readKeys(dataDir))
    throw new UsageError(
      `With DATABASE_URL, keys have to be configured, because each server would make its own; set ${secrets.apiKeys}=name=key.`,
    );
  const log = openLog(config.logLevel, config.trustProxy);
  const configured = apiKeys === undefined ? undefined : keysFrom(apiKeys, secrets.apiKeys);
  const opening = Promise.withResolvers<Store>();
  let store: Store | undefined;
  let isDraining = false;
  const ready = async () => {
    if (isDraining) throw new Error('The server stops.');
    if (!store) throw new Error('The store is still being opened.');
    await store.check();
  };
  const health = new Health(ready, () => store?.forgottenKeys() ?? 0, log.lost);
  const app = createApp(opening.promise, {
    keys: configured ?? followKeys(dataDir, log.warn),
    bodyLimit: config.bodyLimit,
    openTimeout: requestTimeout,
    validateResponses: config.validateResponses,
    corsOrigins: config.corsOrigin,
    rateLimit: config.rateLimit,
    log,
    health: adminPort === undefined ? health : null,
  });
  const listeners: Listener[] = [];
  const open = async (app: App, port: number) => {
    const listener = await listen(app, { host, port, requestTimeout, log });
    listeners.push(listener);
    return listener.origin;
  };
  try {
    // Before anything is written: another server may use the port.
    const origin = await open(app, port);
    const adminOrigin = adminPort === undefined ? undefined : await open(operators(health), adminPort);
    store = await openStore(config);
    // The store makes the folder, so the key comes after it.
    const madeKey = configured ? undefined : createFirstKey(dataDir);
    opening.resolve(store);
    log.info(`listening on ${origin}`);
    const stop = async () => {
      isDraining = true;
      log.info('stopping');
      await pause(config.drainDelay);
      await Promise.all(listeners.map((each) => each.stop(config.shutdownTimeout)));
      await store?.close();
      log.info('stopped');
      await log.close();
    };
    return { origin, adminOrigin, madeKey, stop };
  } catch (error) {
    await Promise.all(listeners.map((each) => each.stop(0)));
    await store?.close();
    throw error;
  }
}

/** Opens the configured store. */
export function openStore({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Store> {
  return databaseUrl === undefined ? openLowdbStore(dataDir) : openPostgresStore(databaseUrl);
}

/** The app of the port for operators. */
function operators(health: Health): App {
  return (request, response) => {
    const exchange = begin(request, response);
    const { target } = exchange;
    respond(exchange, health.has(target.url) ? health.answer(exchange) : Promise.reject(nothingAt(target)));
  };
}
