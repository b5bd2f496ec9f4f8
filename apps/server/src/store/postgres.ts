import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError, Pool, type PoolClient } from 'pg';
import { Batch, nothingDone, Reads } from './batch.ts';
import * as sql from './postgres-sql.ts';
import type { KeyRecord } from './request-keys.ts';
import {
  type Declaration,
  messageOf,
  type Page,
  type Query,
  type Store,
  StoreError,
  UnavailableError,
  UnknownOutcomeError,
} from './store.ts';
import { type Access, type Change, collectionOf, type Outcome, plan, restoring, type Write } from './writes.ts';

const CONNECT_MS = 5_000;
const QUERY_MS = 10_000;
/** How long the start waits for the database. */
const START_MS = 60_000;
const CONNECTIONS = 10;

/** Opens the store in a PostgreSQL database, and creates its tables. Any number of servers can share it. */
export async function openPostgresStore(url: string, declarations: readonly Declaration[]): Promise<Store> {
  checkUrl(url);
  const options = { connectionString: url, connectionTimeoutMillis: CONNECT_MS, keepAlive: true };
  for (const deadline = performance.now() + START_MS; ; await pause(500)) {
    const client = new Client(options);
    // The error also rejects the query.
    client.on('error', () => {});
    try {
      await client.connect();
      await sql.migrate(client, declarations);
      break;
    } catch (error) {
      if (error instanceof StoreError) throw error;
      // A database that starts or fails over is soon there; one that refuses the user, the name or the statement stays so.
      const isFinal = error instanceof DatabaseError && !/^(08|40|53|55|57|25006)/.test(error.code ?? '');
      if (isFinal || performance.now() > deadline)
        throw new StoreError(
          `The database cannot be used (${messageOf(error)}). Check DATABASE_URL and the database.`,
          {
            cause: error,
          },
        );
    } finally {
      client.end().catch(() => {});
    }
  }
  return new PostgresStore(new Pool({ ...options, query_timeout: QUERY_MS, max: CONNECTIONS }), declarations);
}

/** The messages do not repeat the address, because it may have a password. */
function checkUrl(url: string): void {
  const hosts = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?(?<hosts>[^@/?#]*)/.exec(url)?.groups?.hosts;
  if (hosts?.includes(',') || /[?&]host=[^&]*(,|%2C)/i.test(url))
    throw new StoreError(
      'DATABASE_URL has several hosts; set it to one address that follows the primary, such as a pooler, a proxy or a virtual IP.',
    );
  if (hosts === undefined || !URL.canParse(url.replace('@/', '@local/').replace(':///', '://local/')))
    throw new StoreError('DATABASE_URL is not valid; set it to an address such as postgres://user@host:5432/database.');
}

class PostgresStore implements Store {
  readonly #pool: Pool;
  readonly #declarations: ReadonlyMap<string, Declaration>;
  readonly #batch = new Batch((writes) => this.#commit(writes));
  readonly #waitingReads = new Map<string, unknown>();
  #forgotten = 0;
  #forgetting: Promise<void> | undefined;

  constructor(pool: Pool, declarations: readonly Declaration[]) {
    this.#pool = pool;
    this.#declarations = new Map(declarations.map((declaration) => [declaration.name, declaration]));
    // The pool drops an idle connection that is lost. Where one is in use, its statement rejects, too.
    pool.on('error', () => {});
    pool.on('connect', (client) => client.on('error', () => {}));
  }

  collection: Store['collection'] = (name, key) => {
    const declaration = this.#declaration(name);
    const access: Access = {
      get: (id) => this.#reads(`documents of ${name}`, (ids: number[]) => this.#get(declaration, ids)).add(id),
      list: (query) => {
        const property = query.filter?.property;
        const what = `pages of ${name} by ${property ?? ''}`;
        return this.#reads(what, (queries: Query[]) => this.#list(declaration, property, queries)).add(query);
      },
      write: (write) => this.#batch.add(write),
    };
    return collectionOf(declaration, access, key);
  };

  async nextId(collection: string): Promise<number> {
    const text = 'SELECT value FROM petstore_counters WHERE name = $1';
    const [row] = await this.#query<{ value: string }>({ text, values: [sql.nextOf(collection)] });
    return Number(row?.value);
  }

  restore: Store['restore'] = async (collection, documents, nextId) => {
    const writes = restoring(this.#declaration(collection), documents, nextId);
    await Promise.all(writes.map((write) => this.#batch.add(write)));
  };

  async check(): Promise<void> {
    if (this.#batch.isClosed) throw new UnavailableError('The store is closed.');
    const [row] = await this.#query<{ transaction_read_only: string }>({
      text: 'SHOW transaction_read_only',
      values: [],
    });
    if (row?.transaction_read_only !== 'off') throw new UnavailableError('The database accepts no writes.');
  }

  forgottenKeys(): number {
    return this.#forgotten;
  }

  async close(): Promise<void> {
    await this.#batch.close();
    await this.#forgetting;
    // A database that does not respond must not delay the end of the process.
    await Promise.race([this.#pool.end(), pause(1_000, undefined, { ref: false })]);
  }

  #declaration(name: string): Declaration {
    const declaration = this.#declarations.get(name);
    if (!declaration) throw new StoreError(`There is no collection '${name}'.`);
    return declaration;
  }

  async #query<Row extends object>(statement: sql.Statement): Promise<Row[]> {
    try {
      return (await this.#pool.query<Row>(statement)).rows;
    } catch (error) {
      throw new UnavailableError(`The database cannot be used now (${messageOf(error)}).`, { cause: error });
    }
  }

  /** The reads that share a statement. */
  #reads<Input, Output>(what: string, run: (inputs: Input[]) => Promise<Output[]>): Reads<Input, Output> {
    const reads = (this.#waitingReads.get(what) as Reads<Input, Output> | undefined) ?? new Reads(run);
    this.#waitingReads.set(what, reads);
    return reads;
  }

  async #get(declaration: Declaration, ids: number[]): Promise<(string | undefined)[]> {
    const rows = await this.#query<{ id: string; json: string }>(sql.selectDocuments(declaration, ids));
    const documents = new Map(rows.map(({ id, json }) => [Number(id), json]));
    return ids.map((id) => documents.get(id));
  }

  async #list(declaration: Declaration, property: string | undefined, queries: Query[]): Promise<Page[]> {
    const statement = sql.selectPages(declaration, property, queries);
    const rows = await this.#query<{ json: string | null; last: string; more: boolean }>(statement);
    return rows.map(({ json, last, more }) => ({ json: `[${json ?? ''}]`, ...(more && { next: Number(last) }) }));
  }

  async #commit(writes: Write[]): Promise<Outcome[]> {
    let client: PoolClient | undefined;
    let isSent = false;
    try {
      client = await this.#pool.connect();
      const counters = await this.#begin(client);
      const { documents, keys } = await this.#read(client, writes);
      const state = {
        get: (collection: string, id: number) => documents.get(`${collection} ${id}`),
        key: (id: string) => keys.get(id),
        nextId: (collection: string) => counters.get(sql.nextOf(collection)) ?? 1,
        room: Number.POSITIVE_INFINITY,
      };
      const { changes, outcomes } = plan(writes, state);
      if (changes.length > 0) await client.query(this.#changed(changes, counters));
      isSent = changes.length > 0;
      await client.query('COMMIT');
      client.release();
      if (changes.some(({ key }) => key)) this.#forgetting ??= this.#forget(counters);
      return outcomes;
    } catch (error) {
      client?.release(true);
      if (!isSent) throw nothingDone(error);
      throw new UnknownOutcomeError(`The database did not say whether it has the write (${messageOf(error)}).`, {
        cause: error,
      });
    }
  }

  /** Begins a transaction that no other commit overlaps. Returns the counters. */
  async #begin(client: PoolClient): Promise<Map<string, number>> {
    // pg returns an array for several statements, which its types do not say.
    const results: unknown = await client.query(sql.beginCommit);
    const { rows } = (results as { rows: { name: string; value: string }[] }[]).at(-1) ?? { rows: [] };
    return new Map(rows.map(({ name, value }) => [name, Number(value)]));
  }

  async #read(client: PoolClient, writes: readonly Write[]) {
    const documents = new Map<string, string>();
    const keys = new Map<string, KeyRecord>();
    const wanted = Map.groupBy(
      writes.filter(({ kind }) => kind === 'replace' || kind === 'remove' || kind === 'restore'),
      ({ collection }) => collection,
    );
    const wantedKeys = writes.flatMap(({ key }) => key?.id ?? []);
    if (wanted.size === 0 && wantedKeys.length === 0) return { documents, keys };
    const ids = new Map(Array.from(wanted, ([name, some]) => [name, some.map(({ id }) => id)]));
    const { rows } = await client.query(sql.selectForCommit([...this.#declarations.values()], ids, wantedKeys));
    for (const { collection, id, json, fingerprint, made } of rows) {
      if (collection === null) keys.set(id, { id, fingerprint, made: Number(made), json });
      else documents.set(`${collection} ${id}`, json);
    }
    return { documents, keys };
  }

  /** The statement for changes. Also changes the counters. */
  #changed(changes: readonly Change[], counters: Map<string, number>): sql.Statement {
    const increase = (name: string, by: number) => {
      const value = (counters.get(name) ?? 0) + by;
      counters.set(name, value);
      return value;
    };
    const keys: (KeyRecord & { number: number; size: number })[] = [];
    for (const { collection, id, key } of changes) {
      const name = sql.nextOf(collection);
      counters.set(name, Math.max(counters.get(name) ?? 1, id + 1));
      if (!key) continue;
      const [number, size] = [increase(sql.KEY_COUNT, 1), increase(sql.KEY_SIZE, key.json.length)];
      keys.push({ ...key, number, size });
    }
    return sql.applyChanges([...this.#declarations.values()], changes, keys, counters);
  }

  /** Deletes keys in small portions, at most once a second. */
  async #forget(counters: ReadonlyMap<string, number>): Promise<void> {
    try {
      for (let deleted = sql.FORGET_COUNT; deleted === sql.FORGET_COUNT && !this.#batch.isClosed; ) {
        const statement = sql.forgetKeys(counters.get(sql.KEY_COUNT) ?? 0, counters.get(sql.KEY_SIZE) ?? 0);
        const rows = await this.#query<{ early: boolean }>(statement);
        this.#forgotten += rows.filter(({ early }) => early).length;
        deleted = rows.length;
      }
    } catch (error) {
      process.emitWarning(
        `Old idempotency keys could not be deleted, which the next write repeats: ${messageOf(error)}`,
      );
    }
    setTimeout(() => {
      this.#forgetting = undefined;
    }, 1_000).unref();
  }
}
