import { DatabaseError, type Pool, type PoolClient, type QueryConfig } from 'pg';
import { CommitPlan, type KeyRecord, type Outcome, type State, type Write } from './commit-plan.ts';
import type { Backend } from './create-store.ts';
import { PageQueue } from './page-queue.ts';
import * as sql from './postgres-sql.ts';
import { fillFilters } from './postgres-tables.ts';
import {
  type Collection,
  type Declaration,
  MAX_PAGE_SIZE,
  messageOf,
  nothingDone,
  type Query,
  type Stats,
  StoredDocument,
  StoredPage,
  UnavailableError,
  UnknownOutcomeError,
} from './store.ts';

/** How often idempotency keys are forgotten, and filters filled that a server without them has left. */
export const MAINTENANCE_MS = 2_000;
/** As many new keys, or as many characters of results, make a server look whether they are too many. */
const NEW_KEYS = { count: 5_000, size: 2 ** 24 };

/** Errors that the data of one write can cause, by the class of their code: its data, constraints, sizes, a trigger. */
const DATA_ERRORS: readonly string[] = ['21', '22', '23', '54', 'P0'];

/** The data of a PostgreSQL database, which other servers change, too. */
export class PostgresBackend implements Backend {
  readonly #pool: Pool;
  readonly #declarations: readonly Declaration[];
  readonly #now: () => number;
  readonly #pages = new Map<string, PageQueue>();
  readonly #maintaining: NodeJS.Timeout;
  #isMaintaining = false;
  #forgottenKeys = 0;
  /** What this server has saved since it last looked whether keys are too many. The first look is due. */
  #newKeys = { ...NEW_KEYS };

  constructor(pool: Pool, declarations: readonly Declaration[], now: () => number) {
    this.#pool = pool;
    this.#declarations = declarations;
    this.#now = now;
    this.#maintaining = setInterval(() => this.#maintain(), MAINTENANCE_MS).unref();
  }

  collection(name: string): Pick<Collection, 'get' | 'list'> {
    return {
      get: (id) => this.#get(name, id),
      list: (query) => this.#pagesOf(name, query).list(query),
    };
  }

  async nextId(collection: string): Promise<number> {
    const [row] = await this.#query<{ value: string }>(sql.selectNextId, [collection]);
    return Number(row?.value);
  }

  async key(id: string): Promise<KeyRecord | undefined> {
    const [record] = await this.#query<KeyRecord>(sql.selectKeys([id], this.#now()));
    return record;
  }

  stats(): Stats {
    return { forgottenKeys: this.#forgottenKeys };
  }

  async check(): Promise<void> {
    const [row] = await this.#query<{ transaction_read_only: string }>(
      'SHOW transaction_read_only',
    );
    if (row?.transaction_read_only !== 'off')
      throw new UnavailableError('The database accepts no writes.');
  }

  async close(): Promise<void> {
    clearInterval(this.#maintaining);
    await this.#pool.end();
  }

  /**
   * If the database refuses a commit because of its data, it is split and tried again, until the write that is to blame fails alone.
   * That is safe, because the database has said that it did nothing.
   */
  async commit(writes: readonly Write[]): Promise<Outcome[]> {
    const { outcomes, refusal } = await this.#transact(writes);
    if (outcomes) return outcomes;
    const [first] = writes;
    if (writes.length === 1 && first) return [refusalOf(refusal)];
    const middle = Math.ceil(writes.length / 2);
    const halves = [writes.slice(0, middle), writes.slice(middle)];
    const all: Outcome[] = [];
    // One after the other, because the identifiers follow the order of the writes.
    for (const half of halves) all.push(...(await this.#commitHalf(half)));
    return all;
  }

  /** Like `commit`, but does not reject: the other half may be done already. */
  async #commitHalf(writes: readonly Write[]): Promise<Outcome[]> {
    try {
      return await this.commit(writes);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(messageOf(error));
      return writes.map(() => reason);
    }
  }

  /** Commits writes in one transaction. Returns the refusal if the database refuses their data, and has done nothing. */
  async #transact(writes: readonly Write[]): Promise<{ outcomes?: Outcome[]; refusal?: unknown }> {
    const client = await this.#pool.connect().catch(nothingDone);
    let plan: CommitPlan | undefined;
    try {
      while (!plan) plan = await this.#tryChanges(client, writes);
    } catch (error) {
      const isRefusal = isDataError(error) && (await isRolledBack(client));
      client.release(!isRefusal);
      if (isRefusal) return { refusal: error };
      return nothingDone(error);
    }
    await this.#finish(client, plan);
    this.#countKeys(plan);
    return { outcomes: plan.outcomes };
  }

  /** Makes the changes in a transaction. Returns undefined if another server has used one of the idempotency keys meanwhile. */
  async #tryChanges(client: PoolClient, writes: readonly Write[]): Promise<CommitPlan | undefined> {
    const plan = new CommitPlan(writes, await this.#begin(client, writes));
    if (plan.changes.length === 0) return plan;
    const statement = sql.applyChanges(this.#declarations, plan, this.#now());
    const { rows } = await client.query(statement);
    if (rows.length === sql.keysOf(plan.changes).length) return plan;
    await client.query('ROLLBACK');
    return undefined;
  }

  async #finish(client: PoolClient, { changes }: CommitPlan): Promise<void> {
    try {
      await client.query('COMMIT');
      client.release();
    } catch (error) {
      client.release(true);
      if (changes.length === 0) nothingDone(error);
      const message = `The database did not say whether it has the write (${messageOf(error)}).`;
      throw new UnknownOutcomeError(message, { cause: error });
    }
  }

  /** Begins a transaction that no other commit to its collections overlaps, and reads what it has to know. */
  async #begin(client: PoolClient, writes: readonly Write[]): Promise<State> {
    const byCollection = Map.groupBy(writes, ({ declaration }) => declaration.name);
    const nextIds = await this.#lock(client, [...byCollection.keys()]);
    const documents = new Map<string, string>();
    for (const [name, some] of byCollection) {
      const ids = some.flatMap((write) => ('id' in write ? write.id : []));
      if (ids.length === 0) continue;
      const statement = sql.selectDocuments(name, ids);
      const { rows } = await client.query<{ id: string; json: string }>(statement);
      for (const { id, json } of rows) documents.set(`${name} ${id}`, json);
    }
    const keys = await this.#keysOf(client, writes);
    return {
      nextId: (name) => nextIds.get(name) ?? 1,
      get: (name, id) => documents.get(`${name} ${id}`),
      key: (id) => keys.get(id),
      room: Number.POSITIVE_INFINITY,
      now: this.#now,
    };
  }

  /** Locks the counters of collections until the end of the transaction, which begins here. Returns the next identifiers. */
  async #lock(client: PoolClient, collections: readonly string[]): Promise<Map<string, number>> {
    // pg returns an array for several statements, which its types do not say.
    const results: unknown = await client.query(sql.beginCommit(collections));
    const [counters] = (results as { rows: { name: string; value: string }[] }[]).slice(-1);
    const nextIds = new Map<string, number>();
    for (const { name, value } of counters?.rows ?? []) nextIds.set(name, Number(value));
    return nextIds;
  }

  async #keysOf(client: PoolClient, writes: readonly Write[]): Promise<Map<string, KeyRecord>> {
    const ids = writes.flatMap(({ key }) => key?.id ?? []);
    if (ids.length === 0) return new Map();
    const { rows } = await client.query<KeyRecord>(sql.selectKeys(ids, this.#now()));
    return new Map(rows.map((record) => [record.id, record]));
  }

  async #get(name: string, id: number): Promise<StoredDocument | undefined> {
    const [row] = await this.#query<{ json: string }>(sql.selectDocuments(name, [id]));
    return row && new StoredDocument(row.json);
  }

  /** The queue of the queries with the same filters. */
  #pagesOf(name: string, { filters = {} }: Query): PageQueue {
    const id = `${name} ${Object.keys(filters)}`;
    let queue = this.#pages.get(id);
    if (!queue) {
      queue = new PageQueue((queries) => this.#readPages(name, queries));
      this.#pages.set(id, queue);
    }
    return queue;
  }

  async #readPages(name: string, queries: readonly Query[]): Promise<StoredPage[]> {
    type Row = { json: string | null; last: string | null; more: boolean };
    const rows = await this.#query<Row>(sql.selectPages(name, queries));
    const pages: StoredPage[] = [];
    for (const [i, query] of queries.entries()) {
      const row = rows[i];
      if (!row || row.last === null) pages.push(new StoredPage('[]'));
      else if (row.json === null) pages.push(await this.#readLongPage(name, query));
      else pages.push(new StoredPage(`[${row.json}]`, row.more ? Number(row.last) : undefined));
    }
    return pages;
  }

  /** Reads a page with large documents, which ends early. */
  async #readLongPage(name: string, query: Query): Promise<StoredPage> {
    type Row = { id: string; json: string | null };
    const found: string[] = [];
    let size = 0;
    let last = query.after;
    for (const { id, json } of await this.#query<Row>(sql.selectRows(name, query))) {
      if (found.length === query.limit || size >= MAX_PAGE_SIZE)
        return new StoredPage(`[${found}]`, last);
      last = Number(id);
      const text = json ?? (await this.#get(name, last))?.json;
      // It was removed meanwhile.
      if (text === undefined) continue;
      found.push(text);
      size += text.length;
    }
    return new StoredPage(`[${found}]`);
  }

  #countKeys({ changes }: CommitPlan): void {
    for (const { json } of sql.keysOf(changes)) {
      this.#newKeys.count += 1;
      this.#newKeys.size += json.length;
    }
  }

  /** If a part fails, the next time follows: until then nothing is lost but room and a filter's completeness. */
  async #maintain(): Promise<void> {
    if (this.#isMaintaining) return;
    this.#isMaintaining = true;
    await this.#forgetKeys().catch(() => {});
    await this.#fillFilters().catch(() => {});
    this.#isMaintaining = false;
  }

  /** Costs a look into an index when nothing is due. */
  async #forgetKeys(): Promise<void> {
    const { count, size } = this.#newKeys;
    const mayBeTooMany = count >= NEW_KEYS.count || size >= NEW_KEYS.size;
    const expired = await this.#query(sql.selectExpired(this.#now()));
    if (!mayBeTooMany && expired.length === 0) return;
    this.#newKeys = { count: 0, size: 0 };
    const forgotten = await this.#query<{ early: boolean }>(sql.forgetKeys(this.#now()));
    this.#forgottenKeys += forgotten.filter(({ early }) => early).length;
  }

  async #fillFilters(): Promise<void> {
    const client = await this.#pool.connect();
    try {
      for (const declaration of this.#declarations) while (await fillFilters(client, declaration));
    } finally {
      client.release();
    }
  }

  async #query<Row extends object>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row>(statement, values).catch(nothingDone);
    return rows;
  }
}

function isDataError(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  return DATA_ERRORS.some((code) => error.code?.startsWith(code));
}

async function isRolledBack(client: PoolClient): Promise<boolean> {
  try {
    await client.query('ROLLBACK');
    return true;
  } catch {
    // Without a connection there is no answer; the database rolls back by itself.
    return false;
  }
}

function refusalOf(error: unknown): UnavailableError {
  return new UnavailableError(`The database refused the write (${messageOf(error)}).`, {
    cause: error,
  });
}
