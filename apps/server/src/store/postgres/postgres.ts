import { ConfigError } from '../../config/kinds.ts';
import type { CollectionDeclaration } from '../document.ts';
import { type Commit, MAX_IDEMPOTENCY_KEYS, type Store } from '../store.ts';
import { databaseAddresses } from './address.ts';
import { collectionIn } from './collection.ts';
import { Commits } from './commits.ts';
import { Connections, type Hosts } from './connections.ts';
import { unavailable } from './errors.ts';
import { GroupRead } from './group-read.ts';
import { DEFAULT_LIMITS, migrate } from './migrate.ts';
import { schemaOf } from './schema.ts';
import { type Prepare, prepareForReads, prepareForWrites, prepareSession } from './session.ts';
import { ping, sweep } from './statements.ts';
import { keySweeper } from './sweeper.ts';

export interface PostgresOptions {
  /** Connections at once, at least two: one is for writes. */
  poolSize?: number;
  /** Milliseconds to wait for a connection. */
  connectTimeout?: number;
  /** Milliseconds to wait for the answer to a statement. */
  statementTimeout?: number;
  /** The keys of idempotent writes that are remembered for 24 hours. */
  maxIdempotencyKeys?: number;
  /** Called after every commit. Must not throw. */
  onCommit?(commit: Commit): void;
}

/** The store in a database that any number of servers share. */
export type PostgresStore = Store & Required<Pick<Store, 'connections'>>;

const DEFAULTS = {
  poolSize: 10,
  connectTimeout: 3_000,
  statementTimeout: 5_000,
  maxIdempotencyKeys: MAX_IDEMPOTENCY_KEYS,
};

/** Opens the store at this address, which may name several hosts, and brings its schema up to date. */
export async function openPostgresStore(
  url: string,
  collections: readonly CollectionDeclaration[],
  options: PostgresOptions = {},
): Promise<PostgresStore> {
  const { onCommit = () => {}, ...limits } = { ...DEFAULTS, ...options };
  const { poolSize, connectTimeout, statementTimeout, maxIdempotencyKeys } = limits;
  const addresses = databaseAddresses(url);
  if (!addresses) throw new ConfigError('DATABASE_URL is not an address like postgres://user@host:5432/database.');
  const hosts: Hosts = { addresses, current: 0 };
  await prepareSchema(hosts, collections, connectTimeout);
  const size = poolSize - 1;
  const readers = new Connections(hosts, { size, connectTimeout, prepare: prepareForReads(statementTimeout) });
  const writers = new Connections(hosts, { size: 1, connectTimeout, prepare: prepareForWrites(connectTimeout) });
  const reads = new GroupRead(readers, { size, connectTimeout, statementTimeout });
  const sweeper = keySweeper(writers, maxIdempotencyKeys, statementTimeout);
  const opened = new Map(
    collections.map((declaration) => {
      const commits = new Commits(writers, statementTimeout);
      return [declaration.name, collectionIn(declaration, reads, commits, onCommit, sweeper.stored)];
    }),
  );

  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all([...opened.values()].map((collection) => collection.close()));
    await sweeper.close();
    readers.close();
    writers.close();
  };
  return {
    passesJson: true,
    collection: (name) => {
      const found = opened.get(name);
      if (!found) throw new Error(`There is no collection '${name}'.`);
      return found;
    },
    ready: async () => {
      const pinged = reads.read(ping, [0]).then(
        () => true,
        () => false,
      );
      const [isReadable] = await Promise.all([pinged, writers.tried]);
      return closed === undefined && isReadable && writers.isConnected;
    },
    state: () => ({ status: closed === undefined ? 'open' : 'closed' }),
    idempotency: sweeper.state,
    connections: () => ({ read: readers.counts, write: writers.counts }),
    close: () => (closed ??= close()),
  };
}

async function prepareSchema(
  hosts: Hosts,
  collections: readonly CollectionDeclaration[],
  connectTimeout: number,
): Promise<void> {
  const prepare: Prepare = (session) => prepareSession(session, connectTimeout);
  const connections = new Connections(hosts, { size: 1, connectTimeout, prepare });
  try {
    await connections.use(async (session) => {
      await migrate(session, schemaOf(collections));
      await session.run(sweep, DEFAULT_LIMITS.statementMs);
    });
  } catch (error) {
    throw unavailable(error);
  } finally {
    connections.close();
  }
}
