import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { ConfigError } from '../../config/config-error.ts';
import type { Page, Store } from '../store.ts';
import { databaseAddresses } from './address.ts';
import { type Commit, Creates } from './creates.ts';
import { isRepeatable, leavesConnection, unavailable } from './errors.ts';
import { Hosts } from './hosts.ts';
import { migrate } from './migrate.ts';
import { migrations } from './migrations.ts';
import { Pool } from './pool.ts';
import { readingSession, writingSession } from './prepare.ts';
import type { Row, Session } from './session.ts';
import { insertion, page, petOf, question, restoration, selection } from './sql.ts';

export interface PostgresOptions {
  /** Connections at once, at least two: one is for adding animals. */
  poolSize?: number;
  /** Milliseconds to wait for a connection. */
  connectTimeout?: number;
  /** Milliseconds to wait for the answer to a statement. */
  statementTimeout?: number;
  /** Told of every commit: how many animals it brought, and how long it took. Must not throw. */
  onCommit?(commit: Commit): void;
}

/** The store in a database that any number of servers share. */
export type PostgresStore = Required<Store>;

type Work = (session: Session) => Promise<QueryArrayResult<Row>>;

/** Milliseconds to wait for a connection when nobody says otherwise, and for an answer. */
export const usual = { poolSize: 10, connectTimeout: 5_000, statementTimeout: 10_000 };

/** Opens the store at this address, which may name several hosts, and brings its schema up to date. */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const { poolSize, connectTimeout, statementTimeout } = { ...usual, ...options };
  const addresses = databaseAddresses(url);
  if (!addresses) throw new ConfigError('DATABASE_URL is not an address like postgres://user@host:5432/database.');
  const hosts = new Hosts(addresses);
  const reads = new Pool(hosts, { size: poolSize - 1, connectTimeout, prepare: readingSession(statementTimeout) });
  const writes = new Pool(hosts, { size: 1, connectTimeout, prepare: writingSession(connectTimeout) });
  await prepareSchema(new Pool(hosts, { size: 1, connectTimeout, prepare: async () => {} }));

  const read = (query: QueryArrayConfig) => using(reads, (session) => session.ask(query, statementTimeout));
  const write = (query: QueryArrayConfig) => using(writes, (session) => session.keep(query, statementTimeout));
  const creates = new Creates(
    async (pets) => Number((await write(insertion(pets))).rows[0]?.[0]),
    options.onCommit ?? (() => {}),
  );

  let asking: Promise<boolean> | undefined;
  const ask = () =>
    read(question).then(
      () => true,
      () => false,
    );
  let closed: Promise<void> | undefined;
  const close = async () => {
    await creates.end();
    reads.close();
    writes.close();
  };
  return {
    create: (pet) => creates.create(pet),
    restore: async (pets) => (await write(restoration(pets))).rows.length > 0,
    get: async (id) => (await read(selection(id))).rows.map(petOf)[0],
    list: async (wanted: Page) => (await read(page(wanted))).rows.map(petOf),
    ready: async () => {
      // Many may ask at once, and the database is asked for all of them together.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return closed === undefined && (await asking) && writes.connected;
    },
    connections: () => ({ read: reads.connections, write: writes.connections }),
    close: () => (closed ??= close()),
  };
}

async function prepareSchema(pool: Pool): Promise<void> {
  try {
    const session = await pool.acquire();
    await migrate(session, migrations).finally(() => session.end());
  } catch (error) {
    throw unavailable(error);
  } finally {
    pool.close();
  }
}

/** What surely was not done is tried so often in all; a new session each time leads to whichever host is right by then. */
const attempts = 4;

async function using(pool: Pool, work: Work): Promise<QueryArrayResult<Row>> {
  for (let attempt = 1; ; attempt++) {
    const session = await pool.acquire();
    try {
      return await work(session);
    } catch (error) {
      if (!leavesConnection(error)) {
        session.end();
        // The others lead to the same host.
        pool.flush();
      }
      if (attempt === attempts || !isRepeatable(error)) throw unavailable(error);
    } finally {
      pool.release(session);
      pool.restore();
    }
  }
}
