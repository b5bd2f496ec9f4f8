import type { Pool, QueryConfig } from 'pg';
import { BatchQueue } from './batch.ts';
import type { KeyRecord } from './commit-plan.ts';
import type { Readable } from './create-store.ts';
import {
  columnOf,
  columnText,
  Statement,
  selectDocuments,
  selectKeys,
  tableOf,
} from './postgres-sql.ts';
import {
  filterText,
  MAX_PAGE_SIZE,
  nothingDone,
  type Query,
  StoredDocument,
  StoredPage,
} from './store.ts';

/**
 * The bounds of the statements that read. Most of a read's cost is its statement: with sixty-four
 * readers, a document costs a seventh of the CPU that it costs alone. If the database stands still,
 * those that wait are not kept for one time-out after the other.
 */
const READS = { running: 3, items: 16, maxWait: 5_000 };

/** The rows of a statement that can be repeated. */
export async function readRows<Row extends object>(
  pool: Pool,
  statement: string | QueryConfig,
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(statement).catch(nothingDone);
  return rows;
}

/** Reads idempotency keys. The reads of a moment share a statement. */
export function keyQueue(pool: Pool, now: () => number): BatchQueue<string, KeyRecord | undefined> {
  return new BatchQueue(async (ids) => {
    const records = await readRows<KeyRecord>(pool, selectKeys(ids, now()));
    const byId = new Map(records.map((record) => [record.id, record]));
    return ids.map((id) => byId.get(id));
  }, READS);
}

/** Reads the documents of a collection. The reads of a moment share a statement. */
export class PostgresCollection implements Readable {
  readonly #name: string;
  readonly #pool: Pool;
  readonly #documents: BatchQueue<number, StoredDocument | undefined>;
  /** By the names of their filters. */
  readonly #pages = new Map<string, BatchQueue<Query, StoredPage>>();

  constructor(pool: Pool, name: string) {
    this.#pool = pool;
    this.#name = name;
    this.#documents = new BatchQueue((ids) => this.#readDocuments(ids), READS);
  }

  async get(id: number): Promise<StoredDocument | undefined> {
    return this.#documents.add(id);
  }

  async list(query: Query): Promise<StoredPage> {
    const filters = Object.keys(query.filters ?? {}).join();
    let queue = this.#pages.get(filters);
    if (!queue) {
      queue = new BatchQueue((queries) => this.#readPages(queries), READS);
      this.#pages.set(filters, queue);
    }
    return queue.add(query);
  }

  async #readDocuments(ids: readonly number[]): Promise<(StoredDocument | undefined)[]> {
    type Row = { id: string; json: string };
    const rows = await readRows<Row>(this.#pool, selectDocuments(this.#name, ids));
    const byId = new Map(rows.map(({ id, json }) => [Number(id), new StoredDocument(json)]));
    return ids.map((id) => byId.get(id));
  }

  async #readPages(queries: readonly Query[]): Promise<StoredPage[]> {
    type Row = { json: string | null; last: string | null; more: boolean };
    const rows = await readRows<Row>(this.#pool, selectPages(this.#name, queries));
    return rows.map(
      ({ json, last, more }) => new StoredPage(`[${json ?? ''}]`, more ? Number(last) : undefined),
    );
  }
}

/**
 * The pages of several queries with the same filters, a row for each: the documents, the identifier
 * of the last one, and whether more follow.
 */
function selectPages(name: string, queries: readonly Query[]): QueryConfig {
  const properties = Object.keys(queries[0]?.filters ?? {});
  const statement = new Statement();
  const after = queries.map((query) => query.after);
  const limits = queries.map(({ limit }) => limit);
  const wanted = [statement.bind('bigint', after), statement.bind('int', limits)];
  for (const property of properties) {
    const values = queries.map(({ filters = {} }) => columnText(filterText(filters, property)));
    wanted.push(statement.bind('text', values));
  }
  const columns = properties.map(columnOf);
  const conditions = columns.map((column) => `AND ${column} = wanted.${column}`);
  const text = `
    SELECT page.json, page.last, page.more
    FROM unnest(${wanted}) WITH ORDINALITY AS wanted (${['after', 'count', ...columns, 'place']})
    CROSS JOIN LATERAL (
      SELECT string_agg(data::text, ',') FILTER (WHERE fits) AS json,
        max(id) FILTER (WHERE fits) AS last,
        coalesce(bool_or(NOT fits), false) AS more
      FROM (
        SELECT id, data, row_number() OVER before <= wanted.count AND
          coalesce(sum(octet_length(data::text)) OVER before, 0) < ${MAX_PAGE_SIZE} AS fits
        FROM (
          SELECT id, data FROM ${tableOf(name)}
          WHERE id > wanted.after ${conditions.join(' ')} ORDER BY id LIMIT wanted.count + 1
        ) found
        WINDOW before AS (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
      ) measured
    ) page ORDER BY wanted.place`;
  return { name: `pages ${name} ${properties}`, text, values: statement.values };
}
