import { ConfigError } from '../../config/config-error.ts';
import type { CollectionDeclaration } from '../declaration.ts';
import { encode, withId, withoutId } from '../document.ts';
import { StoreUnavailableError } from '../errors.ts';
import {
  type Collection,
  type Commit,
  DEFAULT_PAGE_BYTES,
  type Document,
  type NotWritten,
  type Properties,
  type Removed,
  type Store,
} from '../store.ts';
import { databaseAddresses } from './address.ts';
import { Commits } from './commits.ts';
import { Connections, type Hosts } from './connections.ts';
import { unavailable } from './errors.ts';
import { GroupRead } from './group-read.ts';
import { DEFAULT_LIMITS, migrate } from './migrate.ts';
import { keyOf, schemaOf } from './schema.ts';
import { prepareForReads, prepareForWrites, prepareSession } from './session.ts';
import { ping, statementsOf, sweep } from './statements.ts';
import { groupedWrites, newVersion, type Write } from './writes.ts';

export interface PostgresOptions {
  /** Connections at once, at least two: one is for writes. */
  poolSize?: number;
  /** Milliseconds to wait for a connection. */
  connectTimeout?: number;
  /** Milliseconds to wait for the answer to a statement. */
  statementTimeout?: number;
  /** Called after every commit. Must not throw. */
  onCommit?(commit: Commit): void;
}

/** The store in a database that any number of servers share. */
export type PostgresStore = Store & Required<Pick<Store, 'connections'>>;

const DEFAULTS = { poolSize: 10, connectTimeout: 3_000, statementTimeout: 5_000 };

/** Opens the store at this address, which may name several hosts, and brings its schema up to date. */
export async function openPostgresStore(
  url: string,
  collections: readonly CollectionDeclaration[],
  options: PostgresOptions = {},
): Promise<PostgresStore> {
  const { poolSize, connectTimeout, statementTimeout, onCommit = () => {} } = { ...DEFAULTS, ...options };
  const addresses = databaseAddresses(url);
  if (!addresses) throw new ConfigError('DATABASE_URL is not an address like postgres://user@host:5432/database.');
  const hosts: Hosts = { addresses, current: 0 };
  await prepareSchema(hosts, collections, connectTimeout);
  const forReads = { size: poolSize - 1, connectTimeout, prepare: prepareForReads(statementTimeout) };
  const readers = new Connections(hosts, forReads);
  const writers = new Connections(hosts, { size: 1, connectTimeout, prepare: prepareForWrites(connectTimeout) });
  const reads = new GroupRead(readers, { size: poolSize - 1, connectTimeout, statementTimeout });

  const opened = collections.map((declaration) => {
    const commits = new Commits(writers, statementTimeout);
    return { declaration, ...collectionIn(declaration, reads, commits, onCommit) };
  });
  const byName = new Map(opened.map(({ declaration: { name }, collection }) => [name, collection]));

  // Whether writes are possible is known before the first one comes.
  const triedToWrite = writers.open();
  let pinging: Promise<boolean> | undefined;
  let closed: Promise<void> | undefined;
  const close = async () => {
    await Promise.all(opened.map(({ end }) => end()));
    readers.close();
    writers.close();
  };
  return {
    passesJson: true,
    collection: (name) => {
      const found = byName.get(name);
      if (!found) throw new Error(`There is no collection '${name}'.`);
      return found;
    },
    ready: async () => {
      // Many may ask at once, and the database is asked for all of them together.
      pinging ??= readers
        .use((session) => session.run(ping, statementTimeout))
        .then(
          () => true,
          () => false,
        )
        .finally(() => {
          pinging = undefined;
        });
      const [isReadable] = await Promise.all([pinging, triedToWrite]);
      return closed === undefined && isReadable && writers.isConnected;
    },
    state: () => ({ status: closed === undefined ? 'open' : 'closed' }),
    connections: () => ({ read: readers.counts, write: writers.counts }),
    close: () => (closed ??= close()),
  };
}

async function prepareSchema(
  hosts: Hosts,
  collections: readonly CollectionDeclaration[],
  connectTimeout: number,
): Promise<void> {
  const prepare = (session: Parameters<typeof prepareSession>[0]) => prepareSession(session, connectTimeout);
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

function collectionIn(
  declaration: CollectionDeclaration,
  reads: GroupRead,
  commits: Commits,
  onCommit: (commit: Commit) => void,
): { collection: Collection; end(): Promise<void> } {
  const statements = statementsOf(declaration);
  const group = groupedWrites(declaration, statements, commits, onCommit);
  const encoded = (properties: Properties) => encode(withoutId(declaration.id, properties));
  const add = <R>(write: Write) => group.add(write, write.body?.length ?? 0) as Promise<R>;
  let isClosed = false;

  const collection: Collection = {
    create: async (properties) => add<Document>({ kind: 'create', body: encoded(properties) }),
    replace: async (id, properties, { ifVersion } = {}) =>
      add<Document | NotWritten>({
        kind: 'change',
        id,
        body: encoded(properties),
        ...(ifVersion !== undefined && { ifVersion }),
      }),
    remove: async (id, { ifVersion } = {}) =>
      add<Removed | NotWritten>({ kind: 'change', id, body: undefined, ...(ifVersion !== undefined && { ifVersion }) }),
    restore: async (documents) => {
      if (isClosed) throw new StoreUnavailableError('The store is closed.');
      const ids = documents.map((one) => Number(one[declaration.id]));
      if (ids.length === 0) return true;
      const texts = documents.map((one, i) => withId(declaration.id, ids[i] ?? 0, encoded(one)));
      const row = await commits.commit(statements.restore, [
        newVersion(),
        ids.at(-1),
        ids[0],
        ids,
        `[${texts.join(',')}]`,
      ]);
      return row !== undefined;
    },
    get: async (id) => {
      const [version, text] = await reads.read(statements.get, [id]);
      return typeof text === 'string'
        ? { outcome: 'stored', id, version: String(version), json: { text, encoding: 'utf8' } }
        : undefined;
    },
    list: async ({ after, filter, limit, maxBytes = DEFAULT_PAGE_BYTES }) => {
      const statement = filter ? statements.lists.get(filter.property) : statements.list;
      if (!statement) throw new Error(`There is no index on '${filter?.property}'.`);
      const wanted = filter ? [keyOf(filter.value)] : [];
      const [count, last, more, text] = await reads.read(statement, [after, limit, maxBytes, ...wanted]);
      return {
        json: { text: `[${text}]`, encoding: 'utf8' },
        count: Number(count),
        last: Number(last),
        more: more === true,
      };
    },
    version: () => undefined,
  };
  const end = async () => {
    isClosed = true;
    await group.close();
  };
  return { collection, end };
}
