import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Config, secrets } from './config.ts';
import { documentCheck } from './document-check.ts';
import { UsageError } from './errors.ts';
import { collections } from './handlers.ts';
import { createHealth } from './health.ts';
import { ImportInput } from './import-input.ts';
import { createApp, declarations, openLowdbStore, openPostgresStore } from './index.ts';
import { createKey, followKeys, keysFrom, readKeys } from './keys.ts';
import { listen } from './listen.ts';
import { openLog } from './log.ts';
import { type App, begin } from './request.ts';
import { readLowdbFolder } from './store/lowdb.ts';
import type { Store } from './store/store.ts';
import { checkExport, exportLines, type Imported, importExport } from './transfer.ts';

/** The least time that the store has to close, however long the requests took. */
const MIN_CLOSE_MS = 250;

/** A running server. */
export type Running = Awaited<ReturnType<typeof serve>>;

/** Starts a server. Until the store is open, requests get 503. */
export async function serve(config: Config) {
  const { apiKeys, databaseUrl, ...settings } = config;
  const { dataDir, adminPort } = settings;
  if (databaseUrl !== undefined && apiKeys === undefined && !readKeys(dataDir))
    throw new UsageError(
      `With DATABASE_URL, keys have to be configured: set ${secrets.apiKeys}=name=key.`,
    );
  const log = openLog(settings.logLevel, settings.trustProxy);
  const keys =
    apiKeys === undefined ? followKeys(dataDir, log.warn) : keysFrom(apiKeys, secrets.apiKeys);
  const opening = Promise.withResolvers<Store>();
  const health = createHealth(opening.promise, log.lost);
  const app = createApp(opening.promise, {
    ...settings,
    corsOrigins: settings.corsOrigin,
    keys,
    log,
    health,
    hasProbes: adminPort === null,
  });
  // Before anything is written: another server may use the port.
  const listener = await listen(app, { ...settings, log });
  const operate: App = (request, response) => health.serve(begin(request, response));
  const admin =
    adminPort === null ? undefined : await listen(operate, { ...settings, port: adminPort, log });
  const store = await openStore(config);
  /** The API key, if this start has made one. The store makes the folder, so the key comes after it. */
  const madeKey =
    apiKeys !== undefined || readKeys(dataDir) ? undefined : createKey(dataDir, 'first').key;
  opening.resolve(store);
  log.info(`listening on ${listener.origin}`);
  const stop = async () => {
    health.isDraining = true;
    log.info('stopping');
    await pause(settings.drainDelay);
    const deadline = performance.now() + settings.shutdownTimeout;
    await Promise.all([listener, admin].map((each) => each?.stop(settings.shutdownTimeout)));
    // A disk or a database that does not respond must not delay the end of the process.
    const rest = Math.max(deadline - performance.now(), MIN_CLOSE_MS);
    await Promise.race([store.close(), pause(rest)]);
    log.info('stopped');
    await log.close();
  };
  return { origin: listener.origin, adminOrigin: admin?.origin, madeKey, stop };
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
    await using input = await ImportInput.copy(process.stdin, config.dataDir);
    const check = isUnchecked ? undefined : documentCheck(Object.values(collections));
    await checkExport(input.open, declarations, check);
    return await importExport(input.open, declarations, store);
  } finally {
    await store.close();
  }
}

/** Opens the configured store. */
function openStore({ databaseUrl, dataDir }: Config): Promise<Store> {
  return databaseUrl === undefined ? openLowdbStore(dataDir) : openPostgresStore(databaseUrl);
}
