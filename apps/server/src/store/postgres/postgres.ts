import { ConfigError } from '../../config/kinds.ts';
import { type CollectionDeclaration, collectionNamed } from '../document.ts';
import { type Commit, MAX_IDEMPOTENCY_KEYS, type Store } from '../store.ts';
import { postgresCollection } from './collection.ts';
import { connectionPool, type Hosts } from './connection-pool.ts';
import { unavailable } from './errors.ts';
import { groupRead } from './group-read.ts';
import { idempotencySweeper } from './idempotency-sweeper.ts';
import { idempotentCommit } from './idempotent-commit.ts';
import { MIGRATION_LIMITS, migrate, schemaOf } from './schema.ts';
import { type Prepare, prepareForReads, prepareForWrites, prepareSession } from './session.ts';
import { ping, sweepCommits } from './statements.ts';

export interface PostgresOptions {
  /** The largest number of connections, at least two: one is for writes. */
  poolSize?: number;
  /** The time in milliseconds to wait for a connection. */
  connectTimeout?: number;
  /** The time in milliseconds to wait for the response to a statement. */
  statementTimeout?: number;
  /**
   * The largest number of idempotency keys. Each key is stored for 24 hours; beyond this number the oldest keys are removed
   * earlier.
   */
  maxIdempotencyKeys?: number;
  /** Called after every commit. Must not throw. */
  onCommit?(commit: Commit): void;
}

/** A store in a database that any number of servers can share. */
export type PostgresStore = Store & Required<Pick<Store, 'connections'>>;

const DEFAULTS = {
  poolSize: 10,
  connectTimeout: 3_000,
  statementTimeout: 5_000,
  maxIdempotencyKeys: MAX_IDEMPOTENCY_KEYS,
};

/** Opens the store at an address, which may have several hosts, and brings its schema up to date. */
export async function openPostgresStore(
  url: string,
  collections: readonly CollectionDeclaration[],
  options: PostgresOptions = {},
): Promise<PostgresStore> {
  const { onCommit = () => {}, ...limits } = { ...DEFAULTS, ...options };
  const { poolSize, connectTimeout, statementTimeout, maxIdempotencyKeys } = limits;
  const addresses = databaseAddresses(url);
  if (!addresses)
    throw new ConfigError('DATABASE_URL is not valid; write an address like postgres://user@host:5432/database.');
  const hosts: Hosts = { addresses, current: 0 };
  await prepareSchema(hosts, collections, connectTimeout);
  const size = poolSize - 1;
  const readers = connectionPool(hosts, { size, connectTimeout, prepare: prepareForReads(statementTimeout) });
  const writers = connectionPool(hosts, { size: 1, connectTimeout, prepare: prepareForWrites(connectTimeout) });
  const read = groupRead(readers, { size, connectTimeout, statementTimeout });
  const sweeper = idempotencySweeper(writers, maxIdempotencyKeys, statementTimeout);
  const byName = new Map(
    collections.map((declaration) => {
      const runCommit = idempotentCommit(writers, statementTimeout);
      return [declaration.name, postgresCollection(declaration, read, runCommit, onCommit, sweeper.onStored)];
    }),
  );

  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([...byName.values()].map((collection) => collection.close()));
    await sweeper.close();
    readers.close();
    writers.close();
  };
  return {
    passesJson: true,
    collection: (name) => collectionNamed(byName, name),
    ready: async () => {
      const pinged = read(ping, [0]).then(
        () => true,
        () => false,
      );
      const [isReadable] = await Promise.all([pinged, writers.tried]);
      return closed === undefined && isReadable && writers.isConnected();
    },
    state: () => ({ status: closed === undefined ? 'open' : 'closed' }),
    idempotency: sweeper.state,
    connections: () => ({ read: readers.counts(), write: writers.counts() }),
    close: () => (closed ??= close()),
  };
}

/**
 * The addresses in a DATABASE_URL, one for each host: `postgres://user:password@one:5432,two/database?sslmode=…`. Undefined
 * if the text is not valid. It may contain a password, so no message may show it.
 */
export function databaseAddresses(url: string): string[] | undefined {
  const [, start, hosts, rest] = /^(postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)([^@/?#]*)([/?][^#]*)?$/.exec(url) ?? [];
  if (start === undefined || hosts === undefined) return undefined;
  const addresses = hosts.split(',').map((host) => `${start}${host}${rest ?? ''}`);
  // An address without a host means the socket of this machine, or the socket in its query.
  const isValid = (address: string) => URL.canParse(address.replace('@/', '@local/').replace(':///', '://local/'));
  return addresses.every(isValid) ? addresses : undefined;
}

async function prepareSchema(
  hosts: Hosts,
  collections: readonly CollectionDeclaration[],
  connectTimeout: number,
): Promise<void> {
  const prepare: Prepare = (session) => prepareSession(session, connectTimeout);
  const connections = connectionPool(hosts, { size: 1, connectTimeout, prepare });
  try {
    await connections.use(async (session) => {
      await migrate(session, schemaOf(collections));
      await session.run(sweepCommits, MIGRATION_LIMITS.statementMs);
    });
  } catch (error) {
    throw unavailable(error);
  } finally {
    connections.close();
  }
}
