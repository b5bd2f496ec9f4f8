import { setTimeout as pause } from 'node:timers/promises';
import { Client, type ClientConfig, DatabaseError, Pool } from 'pg';
import { type Backend, createStore } from './create-store.ts';
import { PostgresCommits } from './postgres-commit.ts';
import { PostgresMaintenance } from './postgres-maintenance.ts';
import { keyQueue, PostgresCollection, readRows } from './postgres-reads.ts';
import { selectNextId } from './postgres-sql.ts';
import { prepareTables } from './postgres-tables.ts';
import { type Declaration, messageOf, type Store, StoreError, UnavailableError } from './store.ts';

/** How long the start waits for the database. */
const START_MS = 60_000;
/**
 * Errors that pass by themselves, by the beginnings of their codes: connection, conflict,
 * resources, state, operator, read-only.
 */
const PASSING: readonly string[] = ['08', '40', '53', '55', '57', '25006'];

export interface PostgresOptions {
  /** The milliseconds since 1970, for the age of idempotency keys. */
  readonly clock?: (() => number) | undefined;
}

/**
 * Opens the store in a PostgreSQL database, and creates its tables. Any number of servers can share
 * it.
 */
export async function openPostgresStore(
  url: string,
  declarations: readonly Declaration[],
  { clock = () => Date.now() }: PostgresOptions = {},
): Promise<Store> {
  checkUrl(url);
  const options = { connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true };
  await prepare(options, declarations);
  const pool = new Pool({ ...options, query_timeout: 10_000, max: 10 });
  // The pool drops an idle connection that is lost. Where one is in use, its statement rejects,
  // too.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return createStore(declarations, createBackend(pool, declarations, clock));
}

/** The data of a database, which other servers change, too. */
function createBackend(
  pool: Pool,
  declarations: readonly Declaration[],
  now: () => number,
): Backend {
  const maintenance = new PostgresMaintenance(pool, declarations, now);
  const commits = new PostgresCommits(pool, declarations, now, maintenance);
  const keys = keyQueue(pool, now);
  const collections = new Map<string, PostgresCollection>();
  for (const { name } of declarations) collections.set(name, new PostgresCollection(pool, name));
  return {
    collection: (name) => collections.get(name) as PostgresCollection,
    nextId: async (name) => {
      const [row] = await readRows<{ value: string }>(pool, selectNextId(name));
      return Number(row?.value);
    },
    key: async (id) => keys.add(id),
    stats: () => ({ forgottenKeys: maintenance.forgottenKeys }),
    commit: (writes) => commits.commit(writes),
    check: async () => {
      type Row = { transaction_read_only: string };
      const [row] = await readRows<Row>(pool, 'SHOW transaction_read_only');
      if (row?.transaction_read_only !== 'off')
        throw new UnavailableError('The database accepts no writes.');
    },
    close: async () => {
      maintenance.stop();
      await pool.end();
    },
  };
}

/** Prepares the tables. A database that is not there yet is awaited for a minute. */
async function prepare(options: ClientConfig, declarations: readonly Declaration[]): Promise<void> {
  let problem = await tryToPrepare(options, declarations);
  if (!problem) return;
  process.emitWarning(`${problem.message} Trying again for a minute.`);
  const deadline = performance.now() + START_MS;
  while (problem) {
    if (performance.now() > deadline) throw problem;
    await pause(500);
    problem = await tryToPrepare(options, declarations);
  }
}

/**
 * Returns an error that may pass by itself; undefined if the tables are prepared. Throws any other
 * error.
 */
async function tryToPrepare(
  options: ClientConfig,
  declarations: readonly Declaration[],
): Promise<StoreError | undefined> {
  const client = newClient(options);
  // The error also rejects the query.
  client.on('error', () => {});
  try {
    await client.connect();
    await prepareTables(client, declarations);
    return undefined;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const message = `The database cannot be used (${messageOf(error)}). Check DATABASE_URL and the database.`;
    const problem = new StoreError(message, { cause: error });
    if (!isPassing(error)) throw problem;
    return problem;
  } finally {
    // Nothing depends on how the connection ends.
    client.end().catch(() => {});
  }
}

/** The constructor reads the files that the address names. */
function newClient(options: ClientConfig): Client {
  try {
    return new Client(options);
  } catch (error) {
    const message = `DATABASE_URL cannot be used (${messageOf(error)}). Check its parameters.`;
    throw new StoreError(message, { cause: error });
  }
}

/**
 * A database that starts or fails over is soon there; one that refuses the user, the name or the
 * statement stays so.
 */
function isPassing(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return true;
  return PASSING.some((code) => error.code?.startsWith(code));
}

/** The messages do not repeat the address, because it may have a password. */
function checkUrl(url: string): void {
  if (hostsOf(url).some((host) => host.includes(',')))
    throw new StoreError(
      'DATABASE_URL has several hosts; set it to one address that follows the primary, such as a pooler, a proxy or a virtual IP.',
    );
  if (!isPostgres(url) || parsed(url) === null)
    throw new StoreError(
      'DATABASE_URL is not valid; set it to an address such as postgres://user@host:5432/database.',
    );
  const ignored = [...parametersOf(url).keys()].find(isIgnoredByDriver);
  if (ignored !== undefined)
    throw new StoreError(
      `DATABASE_URL has the parameter '${ignored}', which does nothing; use ${TLS_PARAMETERS.join(', ')}.`,
    );
}

/** The driver ignores any other parameter, and so would connect without TLS. */
const TLS_PARAMETERS = ['ssl', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslnegotiation'];

function isIgnoredByDriver(parameter: string): boolean {
  return parameter.startsWith('ssl') && !TLS_PARAMETERS.includes(parameter);
}

function isPostgres(url: string): boolean {
  return url.startsWith('postgres://') || url.startsWith('postgresql://');
}

/** PostgreSQL allows an address without a host, which no URL has. */
function parsed(url: string): URL | null {
  return URL.parse(url.replace('@/', '@local/').replace(':///', '://local/'));
}

/**
 * All places of an address that can name hosts. It may have several with ports, which no URL has.
 */
function hostsOf(url: string): string[] {
  const rest = url.slice(url.indexOf('://') + '://'.length);
  const [address = ''] = rest.split('?', 1);
  const [authority = ''] = address.split('/', 1);
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  return [host, ...parametersOf(url).getAll('host')];
}

function parametersOf(url: string): URLSearchParams {
  const [, query = ''] = url.split('?', 2);
  return new URLSearchParams(query);
}
