import type { Query, StoredPage } from './store.ts';

/** How many statements of a queue run at once, and how many pages one has. */
const STATEMENTS = { running: 4, pages: 16 };

interface Waiting {
  readonly query: Query;
  resolve(page: StoredPage): void;
  reject(error: unknown): void;
}

/**
 * Collects the queries of a moment, and reads their pages by one statement: most of a page's cost is the statement. Sixty-four
 * readers get four times as many pages as with a statement for each.
 */
export class PageQueue {
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
