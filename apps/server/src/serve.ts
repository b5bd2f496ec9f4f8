import { existsSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type App, createApp } from './app.ts';
import { declarations } from './collections.ts';
import { type Config, secrets } from './config.ts';
import { begin } from './context.ts';
import { UsageError, unavailable } from './errors.ts';
import { Health } from './health.ts';
import { createFirstKey, followKeys, keysFrom, readKeys } from './keys.ts';
import { type Listener, listen } from './listen.ts';
import { openLog } from './log.ts';
import type { Collection, Store } from './store/store.ts';

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
  const log = openLog(config.logLevel);
  const isNew = !existsSync(dataDir);
  const listeners: Listener[] = [];
  let isDraining = false;
  const waiting = new WaitingStore(requestTimeout);
  try {
    const onWeak = (name: string) => log.warn(`The key '${name}' is short and easy to guess; use a longer one.`);
    const configured = apiKeys === undefined ? undefined : keysFrom(apiKeys, secrets.apiKeys, onWeak);
    // Before anything is written: another server may use the port.
    let keys = configured ?? (() => undefined);
    const ready = async () => {
      if (isDraining) throw unavailable('The server stops.');
      await waiting.check();
    };
    const health = new Health(ready, waiting, log.lost);
    const app = createApp(waiting, {
      keys: (key) => keys(key),
      bodyLimit: config.bodyLimit,
      validateResponses: config.validateResponses,
      corsOrigins: config.corsOrigin,
      rateLimit: config.rateLimit,
      trustProxy: config.trustProxy,
      log,
      health: adminPort === undefined ? health : null,
    });
    const listener = await listen(app, { host, port, requestTimeout, log });
    listeners.push(listener);
    const admin = adminPort === undefined ? undefined : await listen(await adminApp(health), { host, port: adminPort });
    if (admin) listeners.push(admin);
    // The store makes the folder, so the key comes after it.
    const opened = openStore(config);
    waiting.open(opened);
    await opened;
    const madeKey = configured ? undefined : createFirstKey(dataDir);
    if (!configured) keys = followKeys(dataDir, log.warn);
    log.info(`listening on ${listener.origin}`);
    const stop = async () => {
      isDraining = true;
      log.info('stopping');
      await pause(config.drainDelay);
      await Promise.all(listeners.map((each) => each.stop(config.shutdownTimeout)));
      await waiting.close();
      log.info('stopped');
      await log.close();
    };
    return { origin: listener.origin, adminOrigin: admin?.origin, madeKey, stop };
  } catch (error) {
    await Promise.all(listeners.map((each) => each.stop(0)));
    if (isNew && !readKeys(dataDir)) rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

/** Opens the configured store. Each kind is loaded on demand. */
export async function openStore({ databaseUrl, dataDir }: Pick<Config, 'databaseUrl' | 'dataDir'>): Promise<Store> {
  if (databaseUrl !== undefined) {
    const { openPostgresStore } = await import('./store/postgres.ts');
    return openPostgresStore(databaseUrl, declarations);
  }
  const { openLowdbStore } = await import('./store/lowdb.ts');
  return openLowdbStore(dataDir, declarations);
}

async function adminApp(health: Health): Promise<App> {
  const { adminExpress } = await import('./express-app.ts');
  const app = adminExpress(health);
  return (request, response) => {
    begin(request, response);
    app(request, response);
  };
}

/** A store that is being opened: its calls wait, for some time. */
class WaitingStore implements Store {
  readonly #milliseconds: number;
  #store: Store | undefined;
  #opened = Promise.withResolvers<Store>();

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
    this.#opened.promise.catch(() => {});
  }

  open(opening: Promise<Store>): void {
    opening.then(
      (store) => {
        this.#store = store;
        this.#opened.resolve(store);
      },
      (error) => this.#opened.reject(error),
    );
  }

  collection(name: string, key?: Parameters<Store['collection']>[1]): Collection {
    if (this.#store && key) return this.#store.collection(name, key);
    let collection: Collection | undefined;
    const opened = async () => (await this.#wait()).collection(name, key);
    const now = () => (collection ??= this.#store?.collection(name, key));
    return {
      get version() {
        return now()?.version;
      },
      create: (document) => now()?.create(document) ?? opened().then((it) => it.create(document)),
      replace: async (id, document) => (now() ?? (await opened())).replace(id, document),
      remove: async (id) => (now() ?? (await opened())).remove(id),
      get: (id) => {
        const it = now();
        return it ? it.get(id) : opened().then((late) => late.get(id));
      },
      list: (query) => now()?.list(query) ?? opened().then((it) => it.list(query)),
    };
  }

  async #wait(): Promise<Store> {
    if (this.#store) return this.#store;
    const late = pause(this.#milliseconds, undefined, { ref: false }).then(() => {
      throw unavailable('The store is still being opened. Retry later.');
    });
    return Promise.race([this.#opened.promise, late]);
  }

  async check(): Promise<void> {
    if (!this.#store) throw unavailable('The store is still being opened.');
    await this.#store.check();
  }

  async nextId(collection: string): Promise<number> {
    return (await this.#wait()).nextId(collection);
  }

  async restore(...all: Parameters<Store['restore']>): Promise<void> {
    await (await this.#wait()).restore(...all);
  }

  forgottenKeys(): number {
    return this.#store?.forgottenKeys() ?? 0;
  }

  async close(): Promise<void> {
    await this.#store?.close();
  }
}
