import { existsSync, rmSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, secrets } from './config.ts';
import { type Service, sendError } from './dispatch.ts';
import { UsageError, unavailable } from './errors.ts';
import { Health } from './health.ts';
import { createApp, openLowdbStore, openPostgresStore } from './index.ts';
import { createFirstKey, followKeys, keysFrom, readKeys } from './keys.ts';
import { type Listener, listen } from './listen.ts';
import { openLog } from './log.ts';
import { type App, begin, keepContext } from './request.ts';
import type { Store } from './store/store.ts';

/** A running server. */
export interface Running {
  readonly origin: string;
  readonly adminOrigin: string | undefined;
  /** The API key, if this start has made one. */
  readonly madeKey: string | undefined;
  stop(): Promise<void>;
}

/** Starts a server. Requests wait until the store is open. A start that fails leaves nothing behind. */
export async function serve(config: Config): Promise<Running> {
  const { apiKeys, databaseUrl, dataDir, host, port, adminPort, requestTimeout } = config;
  if (databaseUrl !== undefined && apiKeys === undefined && !readKeys(dataDir))
    throw new UsageError(
      `With DATABASE_URL, keys have to be configured, because each server would make its own; set ${secrets.apiKeys}=name=key.`,
    );
  const log = openLog(config.logLevel, config.trustProxy);
  const configured = apiKeys === undefined ? undefined : keysFrom(apiKeys, secrets.apiKeys);
  const isNew = !existsSync(dataDir);
  const listeners: Listener[] = [];
  let store: Store | undefined;
  let isDraining = false;
  const ready = async () => {
    if (isDraining) throw unavailable('The server stops.');
    if (!store) throw unavailable('The store is still being opened.');
    await store.check();
  };
  const health = new Health(ready, () => store?.forgottenKeys() ?? 0, log.lost);
  const fail: Service['fail'] = (error, response, context) => sendError(error, response, context, log);
  let operators: App | undefined;
  const operate: App = async (request, response) => {
    keepContext(response, begin(request));
    operators ??= (await import('./app.ts')).operatorsApp(health, fail);
    operators(request, response);
  };
  const opened = Promise.withResolvers<App>();
  opened.promise.catch(() => {});
  let app: App | undefined;

  /** Serves a request that arrives while the store opens. */
  const wait = async (request: IncomingMessage, response: ServerResponse) => {
    if (adminPort === undefined && /^\/(healthz|readyz|metrics)$/.test(request.url ?? ''))
      return operate(request, response);
    const late = pause(requestTimeout, undefined, { ref: false }).then(() => {
      throw unavailable('The store is still being opened. Retry later.');
    });
    try {
      (await Promise.race([opened.promise, late]))(request, response);
    } catch (error) {
      fail(error, response, begin(request));
    }
  };

  try {
    // Before anything is written: another server may use the port.
    const listening = { host, port, requestTimeout, log };
    const listener = await listen((request, response) => (app ?? wait)(request, response), listening);
    listeners.push(listener);
    const admin = adminPort === undefined ? undefined : await listen(operate, { host, port: adminPort });
    if (admin) listeners.push(admin);
    store = await openStore(config);
    // The store makes the folder, so the key comes after it.
    const madeKey = configured ? undefined : createFirstKey(dataDir);
    app = createApp(store, {
      keys: configured ?? followKeys(dataDir, log.warn),
      bodyLimit: config.bodyLimit,
      validateResponses: config.validateResponses,
      corsOrigins: config.corsOrigin,
      rateLimit: config.rateLimit,
      log,
      health: adminPort === undefined ? health : null,
    });
    opened.resolve(app);
    log.info(`listening on ${listener.origin}`);
    const stop = async () => {
      isDraining = true;
      log.info('stopping');
      await pause(config.drainDelay);
      await Promise.all(listeners.map((each) => each.stop(config.shutdownTimeout)));
      await store?.close();
      log.info('stopped');
      await log.close();
    };
    return { origin: listener.origin, adminOrigin: admin?.origin, madeKey, stop };
  } catch (error) {
    opened.reject(error);
    await Promise.all(listeners.map((each) => each.stop(0)));
    await store?.close();
    if (isNew && !readKeys(dataDir)) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Opens the configured store. */
export function openStore({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Store> {
  return databaseUrl === undefined ? openLowdbStore(dataDir) : openPostgresStore(databaseUrl);
}
