import { setTimeout as pause } from 'node:timers/promises';
import { Client, DatabaseError, Pool, type PoolClient, type QueryConfig } from 'pg';
import {
  type Backend,
  createStore,
  type KeyRecord,
  plan,
  type State,
  type Write,
} from './create-store.ts';
import * as sql from './postgres-sql.ts';
import {
  type Declaration,
  MAX_PAGE_SIZE,
  messageOf,
  nothingDone,
  type Query,
  type Store,
  StoredDocument,
  StoredPage,
  StoreError,
  UnavailableError,
  UnknownOutcomeError,
} from './store.ts';

/** How long the start waits for the database. */
const START_MS = 60_000;
/** How often idempotency keys that are expired or too many are deleted. */
export const SWEEP_MS = 5_000;

/** Opens the store in a PostgreSQL database, and creates its tables. Any number of servers can share it. */
export async function openPostgresStore(
  url: string,
  declarations: readonly Declaration[],
  { clock = Date.now }: { readonly clock?: () => number } = {},
): Promise<Store> {
  checkUrl(url);
  const options = { connectionString: url, connectionTimeoutMillis: 5_000, keepAlive: true };
  let deadline = Number.POSITIVE_INFINITY;
  for (; ; await pause(500)) {
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
      const isFinal =
        error instanceof DatabaseError && !/^(08|40|53|55|57|25006)/.test(error.code ?? '');
      const message = `The database cannot be used (${messageOf(error)}). Check DATABASE_URL and the database.`;
      if (isFinal || performance.now() > deadline) throw new StoreError(message, { cause: error });
      if (deadline === Number.POSITIVE_INFINITY)
        process.emitWarning(`${message} Trying again for a minute.`);
      deadline = Math.min(deadline, performance.now() + START_MS);
    } finally {
      client.end().catch(() => {});
    }
  }
  const pool = new Pool({ ...options, query_timeout: 10_000, max: 10 });
  return createStore(declarations, backendOf(pool, declarations, clock));
}

/** The messages do not repeat the address, because it may have a password. */
function checkUrl(url: string): void {
  const hosts = /^postgres(?:ql)?:\/\/(?:[^@/?#]*@)?(?<hosts>[^@/?#]*)/.exec(url)?.groups?.hosts;
  if (hosts?.includes(',') || /[?&]host=[^&]*(,|%2C)/i.test(url))
    throw new StoreError(
      'DATABASE_URL has several hosts; set it to one address that follows the primary, such as a pooler, a proxy or a virtual IP.',
    );
  if (
    hosts === undefined ||
    !URL.canParse(url.replace('@/', '@local/').replace(':///', '://local/'))
  )
    throw new StoreError(
      'DATABASE_URL is not valid; set it to an address such as postgres://user@host:5432/database.',
    );
}

/** The data of a pool's database. */
function backendOf(pool: Pool, declarations: readonly Declaration[], clock: () => number): Backend {
  // The pool drops an idle connection that is lost. Where one is in use, its statement rejects, too.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  const query = async <Row extends object>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<Row[]> => (await pool.query<Row>(statement, values).catch(nothingDone)).rows;
  let forgottenKeys = 0;
  const sweep = async () => {
    const rows = await query<{ early: boolean }>(sql.forgetKeys(clock()));
    forgottenKeys += rows.filter(({ early }) => early).length;
  };
  // If one fails, the next follows.
  const sweeping = setInterval(() => sweep().catch(() => {}), SWEEP_MS).unref();
  return {
    stats: () => ({ forgottenKeys }),
    key: async (id) => (await query<KeyRecord>(sql.selectKeys([id], clock())))[0],
    collection: (name) => {
      const get = async (id: number) => {
        const [row] = await query<{ json: string }>(sql.selectDocuments(name, [id]));
        return row && new StoredDocument(row.json);
      };
      const list = async (wanted: Query) => {
        const rows = await query<{ id: string; json: string | null }>(sql.selectPage(name, wanted));
        const found: string[] = [];
        let [size, last] = [0, wanted.after];
        for (const { id, json } of rows) {
          if (found.length === wanted.limit || size >= MAX_PAGE_SIZE)
            return new StoredPage(`[${found.join(',')}]`, last);
          last = Number(id);
          const text = json ?? (await get(last))?.json;
          if (text === undefined) continue;
          found.push(text);
          size += text.length;
        }
        return new StoredPage(`[${found.join(',')}]`);
      };
      return { get, list };
    },
    nextId: async (collection) =>
      Number((await query<{ value: string }>(sql.selectNextId, [collection]))[0]?.value),
    check: async () => {
      const [row] = await query<{ transaction_read_only: string }>('SHOW transaction_read_only');
      if (row?.transaction_read_only !== 'off')
        throw new UnavailableError('The database accepts no writes.');
    },
    close: async () => {
      clearInterval(sweeping);
      // A database that does not respond must not delay the end of the process.
      await Promise.race([pool.end(), pause(1_000, undefined, { ref: false })]);
    },
    commit: async (writes) => {
      let client: PoolClient | undefined;
      let isSent = false;
      try {
        client = await pool.connect();
        const planned = plan(writes, await begin(client, writes, clock));
        const isChange = planned.changes.length > 0;
        if (isChange) await client.query(sql.applyChanges(declarations, planned));
        isSent = isChange;
        await client.query('COMMIT');
        client.release();
        return planned.outcomes;
      } catch (error) {
        client?.release(true);
        if (!isSent) return nothingDone(error);
        const message = `The database did not say whether it has the write (${messageOf(error)}).`;
        throw new UnknownOutcomeError(message, { cause: error });
      }
    },
  };
}

/** Begins a transaction that no other commit overlaps, and reads what it has to know. */
async function begin(
  client: PoolClient,
  writes: readonly Write[],
  clock: () => number,
): Promise<State> {
  // pg returns an array for several statements, which its types do not say.
  const results: unknown = await client.query(sql.beginCommit);
  const [counters] = (results as { rows: { name: string; value: string }[] }[]).slice(-1);
  const nextIds = new Map(counters?.rows.map(({ name, value }) => [name, Number(value)]));
  const documents = new Map<string, StoredDocument>();
  for (const [declaration, some] of Map.groupBy(writes, (write) => write.declaration)) {
    const ids = some.map(({ id }) => id).filter((id) => id > 0);
    if (ids.length === 0) continue;
    const { rows } = await client.query<{ id: string; json: string }>(
      sql.selectDocuments(declaration.name, ids),
    );
    for (const { id, json } of rows)
      documents.set(`${declaration.name} ${id}`, new StoredDocument(json));
  }
  const ids = writes.flatMap(({ key }) => key?.id ?? []);
  const { rows } =
    ids.length > 0 ? await client.query<KeyRecord>(sql.selectKeys(ids, clock())) : { rows: [] };
  return {
    collection: (name) => ({
      nextId: nextIds.get(name) ?? 1,
      get: (id) => documents.get(`${name} ${id}`),
    }),
    key: (id) => rows.find((record) => record.id === id),
    now: clock,
  };
}
