import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createProbesApp, createService, type Service } from './app.ts';
import { type Config, secrets } from './config.ts';
import { UsageError } from './errors.ts';
import { collections } from './handlers.ts';
import { declarations, openLowdbStore, openPostgresStore } from './index.ts';
import { documentCheck } from './json-schema.ts';
import { followKeys, keysFrom, readKeys } from './keys.ts';
import { type Listener, listen } from './listen.ts';
import { ServerLog } from './log.ts';
import { readLowdbFolder } from './store/lowdb.ts';
import type { Store } from './store/store.ts';
import { exportLines, type Imported, importLines } from './transfer.ts';

/** A running server. */
export interface Running {
  readonly origin: string;
  readonly adminOrigin: string | undefined;
  /** The API key, if this start has made one. */
  readonly madeKey: string | undefined;
  stop(): Promise<void>;
}

/** Starts a server. Until the store is open, requests get 503. */
export async function serve(config: Config): Promise<Running> {
  const { apiKeys, databaseUrl, dataDir, adminPort } = config;
  if (databaseUrl !== undefined && apiKeys === undefined && !readKeys(dataDir))
    throw new UsageError(
      `With DATABASE_URL, keys have to be configured: set ${secrets.apiKeys}=name=key.`,
    );
  const log = new ServerLog(config.logLevel, config.trustProxy);
  const followed =
    apiKeys === undefined ? followKeys(dataDir, (problem) => log.warn(problem)) : undefined;
  const opening = Promise.withResolvers<Store>();
  const service = createService(opening.promise, {
    ...config,
    corsOrigins: config.corsOrigin,
    keys: followed?.nameOf ?? keysFrom(apiKeys ?? '', secrets.apiKeys),
    log,
    hasProbes: adminPort === null,
  });
  // Before anything is written: another server may use the port.
  const { listener, admin } = await listenFor(service, config, log);
  const store = await openStore(config);
  // The store makes the folder, so the key comes after it.
  const madeKey = await followed?.makeFirst();
  opening.resolve(store);
  await service.ready;
  log.info(`listening on ${listener.origin}`);
  const stop = async () => {
    service.health.noteDraining();
    log.info('stopping');
    await finish(config, [listener, admin], store);
    log.info('stopped');
    await log.close();
  };
  return { origin: listener.origin, adminOrigin: admin?.origin, madeKey, stop };
}

async function listenFor(
  { app, health }: Service,
  { host, port, adminPort, requestTimeout }: Config,
  log: ServerLog,
): Promise<{ listener: Listener; admin: Listener | undefined }> {
  const listener = await listen(app, { host, port, requestTimeout, log });
  health.metrics.add(
    'gauge',
    'petstore_open_connections',
    'Open connections of clients.',
    listener.connections,
  );
  health.metrics.add(
    'counter',
    'petstore_log_lines_lost_total',
    'Lines of the log that could not be written.',
    () => log.lost,
  );
  if (adminPort === null) return { listener, admin: undefined };
  const probesApp = createProbesApp(health, log);
  return {
    listener,
    admin: await listen(probesApp, { host, port: adminPort, requestTimeout, log }),
  };
}

/** The time that is left for the store when the requests have taken all they may. */
const MAX_RESERVE_MS = 250;

/** Finishes the requests and the store, both within the time-out: a disk or a database may not respond at all. */
async function finish(
  { drainDelay, shutdownTimeout }: Config,
  listeners: readonly (Listener | undefined)[],
  store: Store,
): Promise<void> {
  const deadline = performance.now() + drainDelay + shutdownTimeout;
  await listeners[0]?.drain(drainDelay);
  const reserve = Math.min(MAX_RESERVE_MS, shutdownTimeout / 2);
  const rest = Math.max(deadline - reserve - performance.now(), 0);
  await Promise.all(listeners.map((each) => each?.stop(rest)));
  await Promise.race([store.close(), pause(deadline - performance.now())]);
}

/** Prints all documents. A folder is read without its lock, because a server may use it. */
export async function exportDocuments(config: Config): Promise<void> {
  const { databaseUrl, dataDir } = config;
  const store = await (databaseUrl === undefined
    ? readLowdbFolder(dataDir, declarations)
    : openStore(config));
  await pipeline(exportLines(store, declarations), process.stdout);
  await store.close();
}

/** Adds the documents on stdin to the store. All are checked by the spec before one is added, unless that is not wanted. */
export async function importDocuments(config: Config, isUnchecked: boolean): Promise<Imported> {
  const store = await openStore(config);
  try {
    const check = isUnchecked ? undefined : documentCheck(Object.values(collections));
    const options = { declarations, folder: config.dataDir, check };
    return await importLines(process.stdin, store, options);
  } finally {
    await store.close();
  }
}

/** Opens the configured store. */
function openStore({ databaseUrl, dataDir }: Config): Promise<Store> {
  return databaseUrl === undefined ? openLowdbStore(dataDir) : openPostgresStore(databaseUrl);
}
