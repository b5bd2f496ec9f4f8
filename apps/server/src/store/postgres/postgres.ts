import type { NewPet, Pet } from '@petstore/types';
import type { QueryArrayConfig, QueryArrayResult } from 'pg';
import { ConfigError } from '../../config/config-error.ts';
import { encode } from '../document.ts';
import { StoreUnavailableError } from '../errors.ts';
import { type Collection, type Commit, DEFAULT_PAGE_BYTES, type Document, type Store } from '../store.ts';
import { databaseAddresses } from './address.ts';
import { Commits } from './commits.ts';
import { Creates } from './creates.ts';
import { isLostConnection, unavailable } from './errors.ts';
import { Hosts } from './hosts.ts';
import { migrate, patient } from './migrate.ts';
import { migrations } from './migrations.ts';
import { Pool } from './pool.ts';
import { readingSession, writingSession } from './prepare.ts';
import type { Row } from './session.ts';
import { isStatus, page, petOf, question, restoration, selection, sweeping } from './sql.ts';

export interface PostgresOptions {
  /** Connections at once, at least two: one is for adding animals. */
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

/** Milliseconds to wait for a connection when nobody says otherwise, and for an answer. */
export const usual = { poolSize: 10, connectTimeout: 3_000, statementTimeout: 5_000 };

/** Opens the store at this address, which may name several hosts, and brings its schema up to date. */
export async function openPostgresStore(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
  const { poolSize, connectTimeout, statementTimeout } = { ...usual, ...options };
  const addresses = databaseAddresses(url);
  if (!addresses) throw new ConfigError('DATABASE_URL is not an address like postgres://user@host:5432/database.');
  const hosts = new Hosts(addresses);
  const reads = new Pool(hosts, { size: poolSize - 1, connectTimeout, prepare: readingSession(statementTimeout) });
  const writes = new Pool(hosts, { size: 1, connectTimeout, prepare: writingSession(connectTimeout) });
  await prepareSchema(new Pool(hosts, { size: 1, connectTimeout, prepare: async () => {} }));

  // Whether pets can be added is known before the first one comes.
  const triedToWrite = writes.connect();

  const read = (query: QueryArrayConfig) => reading(reads, query, statementTimeout);
  const commits = new Commits(writes, statementTimeout);
  const creates = new Creates((pets) => commits.keep(pets), options.onCommit ?? (() => {}));

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
  const unsupported = async () => {
    throw new StoreUnavailableError('The database store cannot change or remove documents.');
  };
  const pets: Collection = {
    create: async (properties) => documentOf(await creates.create(properties as NewPet)),
    replace: unsupported,
    remove: unsupported,
    restore: async (documents) => {
      const query = restoration(documents as readonly Pet[]);
      const restored = writes.lend((session) => session.keep(query, statementTimeout));
      return (await restored.catch((error: unknown) => Promise.reject(unavailable(error)))).rows.length > 0;
    },
    get: async (id) => (await read(selection(id))).rows.map(petOf).map(documentOf)[0],
    list: async ({ after, limit, filter, maxBytes = DEFAULT_PAGE_BYTES }) => {
      const { value } = filter ?? {};
      const query = page({ after, limit, maxBytes, ...(isStatus(value) && { status: value }) });
      const found = (await read(query)).rows.map(petOf);
      let bytes = 1;
      const texts: string[] = [];
      for (const text of found.map(encode)) {
        texts.push(text);
        bytes += Buffer.byteLength(text) + 1;
        if (bytes >= maxBytes) break;
      }
      return {
        json: { text: `[${texts.join(',\n')}]`, encoding: 'utf8' },
        count: texts.length,
        last: found[texts.length - 1]?.id ?? 0,
        more: texts.length >= limit || bytes >= maxBytes,
      };
    },
    version: () => undefined,
  };
  return {
    passesJson: false,
    collection: () => pets,
    ready: async () => {
      // Many may ask at once, and the database is asked for all of them together.
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      const [readable] = await Promise.all([asking, triedToWrite]);
      return closed === undefined && readable && writes.connected;
    },
    state: () => ({ status: closed === undefined ? 'open' : 'closed' }),
    connections: () => ({ read: reads.connections, write: writes.connections }),
    close: () => (closed ??= close()),
  };
}

function documentOf(pet: Pet): Document {
  return { outcome: 'stored', id: pet.id, version: '', json: { text: encode(pet), encoding: 'utf8' } };
}

async function prepareSchema(pool: Pool): Promise<void> {
  try {
    await pool.lend(async (session) => {
      await migrate(session, migrations);
      await session.ask(sweeping, patient.statement);
    });
  } catch (error) {
    throw unavailable(error);
  } finally {
    pool.close();
  }
}

/** A read whose connection broke is asked so often in all; a new connection leads to whichever host is right by then. */
const attempts = 3;

async function reading(pool: Pool, query: QueryArrayConfig, within: number): Promise<QueryArrayResult<Row>> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pool.lend((session) => session.ask(query, within));
    } catch (error) {
      if (error instanceof StoreUnavailableError || attempt === attempts || !isLostConnection(error))
        throw unavailable(error);
    }
  }
}
