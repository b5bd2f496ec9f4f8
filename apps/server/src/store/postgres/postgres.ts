import { ConfigError } from '../../config/kinds.ts';
import { DEFAULTS } from '../../limits.ts';
import { type CollectionDeclaration, collectionNamed } from '../document.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Commit, MAX_IDEMPOTENCY_KEYS, type Store } from '../store.ts';
import { postgresCollection } from './collection.ts';
import { connectionPool, type Hosts } from './connection-pool.ts';
import { isRejection, messageOf, unavailable } from './errors.ts';
import { groupRead } from './group-read.ts';
import { idempotencySweeper } from './idempotency-sweeper.ts';
import { idempotentCommit } from './idempotent-commit.ts';
import { MAX_MIGRATION_MS, migrate, schemaOf } from './schema.ts';
import { prepareForMigration, prepareForReads, prepareForWrites, type Session } from './session.ts';
import { ping, sweepCommits } from './statements.ts';

export interface PostgresOptions {
  /** The largest number of connections, at least two: one is for writes. */
  poolSize?: number;
  /** How long a caller waits for a connection to any host, in milliseconds. */
  connectTimeout?: number;
  /** How long a caller waits for the response to a statement, in milliseconds. */
  statementTimeout?: number;
  /** The largest number of idempotency keys. A key expires after 24 hours. If there are more keys, the oldest are deleted earlier. */
  maxIdempotencyKeys?: number;
  /** Called after every group commit. Must not throw. */
  onCommit?(commit: Commit): void;
}

/** A store that reports its connections. */
export type PostgresStore = Store & Required<Pick<Store, 'connections'>>;

/** Opens the store at a connection URL, which may have several hosts, and migrates its schema. Any number of servers can share it. */
export async function openPostgresStore(
  url: string,
  collections: readonly CollectionDeclaration[],
  {
    poolSize = DEFAULTS.databasePool,
    connectTimeout = DEFAULTS.databaseConnectTimeout,
    statementTimeout = DEFAULTS.databaseStatementTimeout,
    maxIdempotencyKeys = MAX_IDEMPOTENCY_KEYS,
    onCommit = () => {},
  }: PostgresOptions = {},
): Promise<PostgresStore> {
  if (!Number.isInteger(poolSize) || poolSize < 2)
    throw new ConfigError(
      `poolSize is ${poolSize}; it must be a whole number from 2, because one connection is for writes.`,
    );
  const urls = hostUrls(url);
  if (!urls)
    throw new ConfigError('DATABASE_URL is not valid; write an address like postgres://user@host:5432/database.');
  const hosts: Hosts = { urls, current: 0 };
  await prepareDatabase(hosts, collections, connectTimeout);
  const readConnections = poolSize - 1;
  const readers = connectionPool(hosts, {
    size: readConnections,
    connectTimeout,
    prepare: prepareForReads(statementTimeout),
  });
  // `prepareForWrites` uses its timeout only for its own statements: the database cancels slow reads, but no writes.
  const writers = connectionPool(hosts, { size: 1, connectTimeout, prepare: prepareForWrites(connectTimeout) });
  const read = groupRead(readers, { maxGroups: readConnections, connectTimeout, statementTimeout });
  const sweeper = idempotencySweeper(writers, maxIdempotencyKeys, statementTimeout);
  const byName = new Map(
    collections.map((declaration) => {
      // Runs one commit at a time, because the database remembers only its last one. Each collection has its own, so none waits
      // until a repeated commit of another has ended.
      const runCommit = idempotentCommit(writers, statementTimeout);
      return [declaration.name, postgresCollection(declaration, read, runCommit, onCommit, sweeper.onStored)];
    }),
  );

  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([...byName.values()].map((collection) => collection.close()));
    await sweeper.close();
    // Connections end in the background: waiting for a host that does not respond would delay the end of the process.
    readers.close();
    writers.close();
  };
  return {
    collection: (name) => collectionNamed(byName, name),
    ready: async () => {
      const pinged = read(ping, [0]).then(
        () => true,
        () => false,
      );
      // Right after the start, `isConnected` is meaningful only after the first attempt.
      const [isReadable] = await Promise.all([pinged, writers.firstAttempt]);
      return closed === undefined && isReadable && writers.isConnected();
    },
    hasFailed: () => false,
    idempotency: sweeper.state,
    connections: () => ({ read: readers.counts(), write: writers.counts() }),
    close: () => (closed ??= close()),
  };
}

/**
 * Splits a DATABASE_URL into one URL for each host: `postgres://user:password@one:5432,two/database?sslmode=…`. Returns undefined
 * if it is not valid. The URL may contain a password, so error messages must not include it.
 */
export function hostUrls(url: string): string[] | undefined {
  const pattern = /^(?<prefix>postgres(?:ql)?:\/\/(?:[^@/?#]*@)?)(?<hosts>[^@/?#]*)(?<suffix>[/?][^#]*)?$/;
  const { prefix, hosts, suffix = '' } = pattern.exec(url)?.groups ?? {};
  if (prefix === undefined || hosts === undefined) return undefined;
  const urls = hosts.split(',').map((host) => `${prefix}${host}${suffix}`);
  // An empty host means a Unix socket. `URL` rejects it, so the check has a host in its place.
  const isValid = (one: string) => URL.canParse(one.replace('@/', '@local/').replace(':///', '://local/'));
  return urls.every(isValid) ? urls : undefined;
}

/** Migrates the schema, and deletes the commit numbers of writers without a commit for a week. */
async function prepareDatabase(
  hosts: Hosts,
  collections: readonly CollectionDeclaration[],
  connectTimeout: number,
): Promise<void> {
  const prepare = prepareForMigration(connectTimeout);
  const connections = connectionPool(hosts, { size: 1, connectTimeout, prepare });
  try {
    // Waits until each host was tried: `use` waits only for one connect timeout, which one silent host would use up.
    await connections.firstAttempt;
    await connections.use(async (session) => {
      await rejectEncoding(session, connectTimeout);
      await migrate(session, schemaOf(collections));
      await session.run(sweepCommits, MAX_MIGRATION_MS);
    });
  } catch (error) {
    throw isRejection(error) ? unprepared(error) : unavailable(error);
  } finally {
    connections.close();
  }
}

/** Throws if the database's encoding lacks characters: each document with one of them would be an internal error. */
async function rejectEncoding(session: Session, timeoutMs: number): Promise<void> {
  const { rows } = await session.run({ text: 'SHOW server_encoding' }, timeoutMs);
  const encoding = String(rows[0]?.[0]);
  // SQL_ASCII stores any bytes.
  if (!['UTF8', 'SQL_ASCII'].includes(encoding))
    throw new StoreUnavailableError(
      `The database has the encoding ${encoding}. Create a database with the encoding UTF8.`,
    );
}

function unprepared(cause: unknown): StoreUnavailableError {
  return new StoreUnavailableError(
    `The database rejects the server's tables (${messageOf(cause)}). Grant the server's role all rights on them and on the ` +
      'schema, and rename other tables with the same names.',
    { cause },
  );
}
