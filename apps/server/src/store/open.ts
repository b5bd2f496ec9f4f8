import { allCollections } from '../collections.ts';
import type { Config } from '../config/config.ts';
import { StoreUnavailableError } from './errors.ts';
import { type LowdbOptions, openLowdbStore as openFolder } from './lowdb/lowdb.ts';
import type { PostgresOptions, PostgresStore } from './postgres/postgres.ts';
import type { Store } from './store.ts';

/** Opens the configured store: the database if the configuration has one, else the data folder. */
export async function openStore(
  config: Config,
  options: Pick<LowdbOptions, 'onCommit' | 'onWarning'> = {},
): Promise<Store> {
  const { idempotencyKeys: maxIdempotencyKeys } = config;
  if (config.databaseUrl === undefined) return openLowdbStore(config.dataDir, { maxIdempotencyKeys, ...options });
  return openPostgresStore(config.databaseUrl, {
    poolSize: config.databasePool,
    connectTimeout: config.databaseConnectTimeout,
    statementTimeout: config.databaseStatementTimeout,
    maxIdempotencyKeys,
    ...options,
  });
}

/** Opens this service's store in a folder, which is created if it is missing. */
export function openLowdbStore(folder: string, options?: LowdbOptions): Promise<Store> {
  return openFolder(folder, allCollections, options);
}

/** Opens this service's store in a PostgreSQL database, which any number of servers can share. */
export async function openPostgresStore(url: string, options?: PostgresOptions): Promise<PostgresStore> {
  // Loaded on demand, because servers without a database do not need it.
  const postgres = await import('./postgres/postgres.ts');
  return postgres.openPostgresStore(url, allCollections, options);
}

/**
 * A store for a server that listens while the store is opened. Until it is open, it is not ready, and `collection` throws a
 * StoreUnavailableError. The caller handles a failure to open.
 */
export function openingStore(opened: Promise<Store>): Store {
  let store: Store | undefined;
  const settled = opened.then((openedStore) => (store = openedStore)).catch(() => undefined);
  return {
    collection: (name) => {
      if (!store) throw new StoreUnavailableError('The store is being opened.');
      return store.collection(name);
    },
    ready: async () => (await store?.ready()) ?? false,
    hasFailed: () => store?.hasFailed() ?? false,
    idempotency: () => store?.idempotency() ?? { keys: 0, forgotten: 0 },
    close: async () => (await settled)?.close(),
  };
}
