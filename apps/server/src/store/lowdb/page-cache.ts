import type { ListQuery, Page } from '../store.ts';

const MAX_PAGES = 256;
const MAX_PAGE_CACHE_BYTES = 2 ** 24;

/** The pages that were asked for since the last write: a busy server is asked for few different ones. */
export class PageCache {
  readonly #pages = new Map<string, Page>();
  #sequence = -1;
  #bytes = 0;

  /** The page that a query had when the store was at this sequence number. */
  get(sequence: number, query: ListQuery): Page | undefined {
    return sequence === this.#sequence ? this.#pages.get(keyOf(query)) : undefined;
  }

  put(sequence: number, query: ListQuery, page: Page): Page {
    const { length } = page.json.text;
    const isFull = this.#pages.size >= MAX_PAGES || this.#bytes + length > MAX_PAGE_CACHE_BYTES;
    if (isFull || sequence !== this.#sequence) {
      this.#pages.clear();
      this.#bytes = 0;
      this.#sequence = sequence;
    }
    if (length <= MAX_PAGE_CACHE_BYTES) {
      this.#pages.set(keyOf(query), page);
      this.#bytes += length;
    }
    return page;
  }
}

const keyOf = ({ after, limit, maxBytes, filter }: ListQuery) =>
  filter
    ? `${after} ${limit} ${maxBytes} ${filter.property} ${JSON.stringify(filter.value)}`
    : `${after} ${limit} ${maxBytes}`;
