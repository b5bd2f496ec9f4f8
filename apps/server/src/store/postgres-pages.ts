import type { Pool, QueryConfig } from 'pg';
import { PageQueue } from './page-queue.ts';
import * as sql from './postgres-sql.ts';
import { MAX_PAGE_SIZE, nothingDone, type Query, StoredPage } from './store.ts';

/** The rows of a statement that changes nothing. */
export async function readRows<Row extends object>(
  pool: Pool,
  statement: string | QueryConfig,
  values?: unknown[],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(statement, values).catch(nothingDone);
  return rows;
}

/** The text of a document; undefined if it is not there. */
export async function readDocument(
  pool: Pool,
  name: string,
  id: number,
): Promise<string | undefined> {
  const [row] = await readRows<{ json: string }>(pool, sql.selectDocuments(name, [id]));
  return row?.json;
}

/** Reads pages of the collections of a database. */
export class PostgresPages {
  readonly #pool: Pool;
  /** By collection and filters. */
  readonly #queues = new Map<string, PageQueue>();

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  list(name: string, query: Query): Promise<StoredPage> {
    const id = `${name} ${Object.keys(query.filters ?? {})}`;
    let queue = this.#queues.get(id);
    if (!queue) {
      queue = new PageQueue((queries) => this.#readPages(name, queries));
      this.#queues.set(id, queue);
    }
    return queue.list(query);
  }

  async #readPages(name: string, queries: readonly Query[]): Promise<StoredPage[]> {
    type Row = { json: string | null; last: string | null; more: boolean };
    const rows = await readRows<Row>(this.#pool, sql.selectPages(name, queries));
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
    for (const { id, json } of await readRows<Row>(this.#pool, sql.selectRows(name, query))) {
      if (found.length === query.limit || size >= MAX_PAGE_SIZE)
        return new StoredPage(`[${found}]`, last);
      last = Number(id);
      const text = json ?? (await readDocument(this.#pool, name, last));
      // It was removed meanwhile.
      if (text === undefined) continue;
      found.push(text);
      size += text.length;
    }
    return new StoredPage(`[${found}]`);
  }
}
