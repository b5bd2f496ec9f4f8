import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, secrets } from './config.ts';
import { UsageError } from './errors.ts';
import { Health } from './health.ts';
import { createApp, declarations, openLowdbStore, openPostgresStore } from './index.ts';
import { createKey, followKeys, keysFrom, readKeys } from './keys.ts';
import { type Listener, listen } from './listen.ts';
import { openLog } from './log.ts';
import { type App, begin } from './request.ts';
import { readLowdbFolder } from './store/lowdb.ts';
import type { Store } from './store/store.ts';
import { exportLines, importLines } from './transfer.ts';

/** A running server. */
export type Running = Awaited<ReturnType<typeof serve>>;

/** Starts a server. Requests wait until the store is open. */
export async function serve(config: Config) {
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
    health: adminPort === null ? health : null,
  });
  const operate: App = (request, response) => health.serve(begin(request, response));
  const listeners: Listener[] = [];
  const open = async (app: App, port: number) => {
    const listener = await listen(app, { host, port, requestTimeout, log });
    listeners.push(listener);
    return listener.origin;
  };
  try {
    // Before anything is written: another server may use the port.
    const origin = await open(app, port);
    const adminOrigin = adminPort === null ? undefined : await open(operate, adminPort);
    store = await openStore(config);
    /** The API key, if this start has made one. The store makes the folder, so the key comes after it. */
    const madeKey = configured || readKeys(dataDir) ? undefined : createKey(dataDir, 'first').key;
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

/** Prints all documents. A folder is read without its lock, because a server may use it. */
export async function exportDocuments(config: Config): Promise<void> {
  const isFolder = config.databaseUrl === undefined;
  const store = await (isFolder ? readLowdbFolder(config.dataDir, declarations) : openStore(config));
  await pipeline(exportLines(store, declarations), process.stdout);
  await store.close();
}

/** Adds the documents on stdin to the store, and returns their number. */
export async function importDocuments(config: Config): Promise<number> {
  const store = await openStore(config);
  const count = await importLines(store, declarations, process.stdin);
  await store.close();
  return count;
}

/** Opens the configured store. */
function openStore({ databaseUrl, dataDir }: Config): Promise<Store> {
  return databaseUrl === undefined ? openLowdbStore(dataDir) : openPostgresStore(databaseUrl);
}
