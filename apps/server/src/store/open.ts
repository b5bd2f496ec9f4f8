import { allCollections } from '../collections.ts';
import type { Config } from '../config.ts';
import { type LowdbOptions, openLowdbStore } from './lowdb/lowdb.ts';
import type { Store } from './store.ts';

type StoreConfig = Pick<
  Config,
  'dataDir' | 'databaseUrl' | 'databasePool' | 'databaseConnectTimeout' | 'databaseStatementTimeout' | 'idempotencyKeys'
>;

/** The store of these settings: the database if one is given, else the data folder. */
export async function openStore(config: StoreConfig, options: LowdbOptions = {}): Promise<Store> {
  const { idempotencyKeys: maxIdempotencyKeys } = config;
  if (config.databaseUrl === undefined)
    return openLowdbStore(config.dataDir, allCollections, { maxIdempotencyKeys, ...options });
  // Loaded only where it is used.
  const { openPostgresStore } = await import('./postgres/postgres.ts');
  return openPostgresStore(config.databaseUrl, allCollections, {
    poolSize: config.databasePool,
    connectTimeout: config.databaseConnectTimeout,
    statementTimeout: config.databaseStatementTimeout,
    maxIdempotencyKeys,
    ...(options.onCommit && { onCommit: options.onCommit }),
  });
}
