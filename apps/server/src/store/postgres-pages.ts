import type { Pool, QueryConfig } from 'pg';
import { columnOf, columnText, Statement, selectDocuments, tableOf } from './postgres-sql.ts';
import { MAX_PAGE_SIZE, nothingDone, type Query, StoredPage } from './store.ts';

/** How many statements of a queue run at once, and how many pages one has. */
const STATEMENTS = { running: 4, pages: 16 };

/** A longer document is read alone, so that a page is never much longer than it may be. */
const LARGE_DOCUMENT = 2 ** 16;
const SMALL_TEXT = `CASE WHEN octet_length(data::text) <= ${LARGE_DOCUMENT} THEN data::text END`;

/** The rows of a statement that can be repeated. */
export async function readRows<Row extends object>(
  pool: Pool,
  statement: string | QueryConfig,
): Promise<Row[]> {
  const { rows } = await pool.query<Row>(statement).catch(nothingDone);
  return rows;
}

/** The text of a document; undefined if it is not there. */
export async function readDocument(
  pool: Pool,
  name: string,
  id: number,
): Promise<string | undefined> {
  const [row] = await readRows<{ json: string }>(pool, selectDocuments(name, [id]));
  return row?.json;
}

/**
 * Reads pages of the collections of a database. A statement has the pages of queries with the same
 * filters.
 */
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
    const rows = await readRows<Row>(this.#pool, selectPages(name, queries));
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
    for (const { id, json } of await readRows<Row>(this.#pool, selectRows(name, query))) {
      if (found.length === query.limit || size >= MAX_PAGE_SIZE)
        return new StoredPage(`[${found}]`, last);
      last = Number(id);
      const text = json ?? (await readDocument(this.#pool, name, last));
      const isRemovedMeanwhile = text === undefined;
      if (isRemovedMeanwhile) continue;
      found.push(text);
      size += text.length;
    }
    return new StoredPage(`[${found}]`);
  }
}

interface Waiting {
  readonly query: Query;
  resolve(page: StoredPage): void;
  reject(error: unknown): void;
}

/**
 * Collects the queries of a moment, and reads their pages by one statement: most of a page's cost
 * is the statement. Sixty-four readers get four times as many pages as with a statement for each.
 */
class PageQueue {
  readonly #read: (queries: readonly Query[]) => Promise<StoredPage[]>;
  #waiting: Waiting[] = [];
  #running = 0;
  #isStarting = false;

  /** `read` resolves with the page of each query, or rejects for all of them. */
  constructor(read: (queries: readonly Query[]) => Promise<StoredPage[]>) {
    this.#read = read;
  }

  list(query: Query): Promise<StoredPage> {
    const { promise, resolve, reject } = Promise.withResolvers<StoredPage>();
    this.#waiting.push({ query, resolve, reject });
    if (!this.#isStarting) {
      this.#isStarting = true;
      // Queries of the same moment belong to the same statement.
      queueMicrotask(() => this.#start());
    }
    return promise;
  }

  #start(): void {
    this.#isStarting = false;
    while (this.#waiting.length > 0 && this.#running < STATEMENTS.running) {
      const group = this.#waiting.slice(0, STATEMENTS.pages);
      this.#waiting = this.#waiting.slice(STATEMENTS.pages);
      this.#running += 1;
      this.#readGroup(group);
    }
  }

  async #readGroup(group: readonly Waiting[]): Promise<void> {
    try {
      const pages = await this.#read(group.map(({ query }) => query));
      for (const [i, { resolve }] of group.entries()) resolve(pages[i] as StoredPage);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
    this.#running -= 1;
    this.#start();
  }
}

/**
 * The pages of several queries with the same filters, a row for each: the documents, the identifier
 * of the last one, and whether more follow. `json` is null if the page has a large document, or is
 * too long.
 */
function selectPages(name: string, queries: readonly Query[]): QueryConfig {
  const properties = Object.keys(queries[0]?.filters ?? {});
  const statement = new Statement();
  const after = queries.map((query) => query.after);
  const limits = queries.map(({ limit }) => limit);
  const wanted = [statement.bind(after, 'bigint'), statement.bind(limits, 'int')];
  for (const property of properties) {
    const values = queries.map(({ filters = {} }) => columnText(filters[property]));
    wanted.push(statement.bind(values, 'text'));
  }
  const columns = properties.map(columnOf);
  const conditions = columns.map((column) => `AND ${column} = w.${column}`);
  const text = `
    SELECT CASE WHEN page.large = 0 AND page.size <= ${MAX_PAGE_SIZE} THEN page.json END AS json, page.last, page.more
    FROM unnest(${wanted}) WITH ORDINALITY AS w (${['after', 'count', ...columns, 'place']})
    CROSS JOIN LATERAL (
      SELECT string_agg(json, ',') FILTER (WHERE place <= w.count) AS json,
        max(id) FILTER (WHERE place <= w.count) AS last,
        coalesce(sum(octet_length(json)), 0) AS size,
        count(*) FILTER (WHERE json IS NULL) AS large,
        count(*) > w.count AS more
      FROM (
        SELECT id, row_number() OVER () AS place, ${SMALL_TEXT} AS json
        FROM ${tableOf(name)} WHERE id > w.after ${conditions.join(' ')} ORDER BY id LIMIT w.count + 1
      ) found
    ) page ORDER BY w.place`;
  return { name: `pages ${name} ${properties}`, text, values: statement.values };
}

/** The documents of one page and one more, a row for each. A large document has no JSON. */
function selectRows(name: string, { after, limit, filters = {} }: Query): QueryConfig {
  const properties = Object.keys(filters);
  const conditions = properties.map((property, i) => `AND ${columnOf(property)} = $${i + 3}`);
  const text = `SELECT id, ${SMALL_TEXT} AS json FROM ${tableOf(name)}
    WHERE id > $1 ${conditions.join(' ')} ORDER BY id LIMIT $2`;
  return { text, values: [after, limit + 1, ...Object.values(filters).map(columnText)] };
}
