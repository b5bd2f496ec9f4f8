import { type Call, callOf, type Success } from './call.ts';
import { CycleDetector, hasNextPage, nextUrl } from './next-page.ts';
import { checkCount } from './settings.ts';

/** One page of a list. */
export interface Page<T> extends Success<T[]> {
  /** Whether more elements follow this page. */
  readonly hasMore: boolean;
}

/**
 * A call of a list. `await` gives the first page. `for await` gives every element, and requests one
 * page ahead.
 */
export interface PageCall<T> extends Call<T[]>, AsyncIterable<T> {
  /** The first page with its response, and whether more elements follow. */
  withResponse(): Promise<Page<T>>;
  /**
   * The pages one after the other. With `max`, no more pages than have that many elements: the last
   * one is cut, and its `hasMore` says whether there are other elements.
   */
  pages(options?: { max?: number }): AsyncGenerator<Page<T>, void>;
  /** The elements of all pages as one array, or only the first `max`. */
  collect(options?: { max?: number }): Promise<T[]>;
}

/** A page that is requested while a list is read. */
export interface FurtherPage {
  readonly url: string;
  /** Aborts when the list is not read any further. */
  readonly stop: AbortSignal;
}

/**
 * Requests a further page, or the first one. The first page has the wanted elements, if a page can
 * have so many; where `wanted` is undefined, the service chooses its size.
 */
export type RequestPage<T> = (
  wanted: number | undefined,
  page?: FurtherPage,
) => Promise<Success<T[]>>;

/** A call of a list whose first page is on its way. */
export function pageCallOf<T>(request: RequestPage<T>): PageCall<T> {
  const pages = new Pages(request);
  const call = callOf(pages.first);
  const read = (max?: number) => {
    // The loop throws the error of the first page, too.
    call.catch(() => {});
    return pages.read(max);
  };
  return Object.assign(call, {
    withResponse: () => call.then(() => pages.first).then(pageOf),
    pages: ({ max }: { max?: number } = {}) => read(max),
    collect: ({ max = Infinity }: { max?: number } = {}) => allElements(read(max)),
    [Symbol.asyncIterator]: () => elementsOf(read(Infinity)),
  });
}

/**
 * The pages of one list, which can be read more than once. The first page is requested only once.
 */
class Pages<T> {
  readonly first: Promise<Success<T[]>>;
  readonly #request: RequestPage<T>;
  /** How many elements the caller wants; undefined if it has not said that. */
  #wanted: number | undefined;

  constructor(request: RequestPage<T>) {
    this.#request = request;
    this.first = this.#requestFirst();
  }

  /**
   * The pages with at most `max` elements. Without `max`, the service chooses the size of the
   * pages.
   */
  read(max?: number): AsyncGenerator<Page<T>, void> {
    if (max !== undefined) this.#wanted = max;
    return this.#read(max ?? Infinity);
  }

  async #requestFirst(): Promise<Success<T[]>> {
    // The statement that made the call may go on with `.collect()`, which says how many elements
    // are wanted.
    await undefined;
    return await this.#request(this.#wanted);
  }

  async *#read(max: number): AsyncGenerator<Page<T>, void> {
    checkCount('max', max);
    const stop = new AbortController();
    const cycle = new CycleDetector();
    let missing = max;
    let next: Promise<Success<T[]>> | undefined = this.first;
    try {
      while (next !== undefined) {
        const page: Page<T> = pageOf(await next);
        const isLast = !page.hasMore || page.data.length >= missing;
        next = isLast ? undefined : this.#requestNext(page, cycle, stop.signal);
        // The loop awaits it, unless the caller leaves the loop.
        next?.catch(() => {});
        yield firstElements(page, missing);
        missing -= page.data.length;
      }
    } finally {
      stop.abort();
    }
  }

  async #requestNext(
    page: Page<T>,
    cycle: CycleDetector,
    stop: AbortSignal,
  ): Promise<Success<T[]>> {
    return await this.#request(undefined, { url: nextUrl(page, cycle), stop });
  }
}

/** A page with at most `max` elements. If that cuts it, more elements follow. */
function firstElements<T>(page: Page<T>, max: number): Page<T> {
  if (page.data.length <= max) return page;
  return { ...page, data: page.data.slice(0, max), hasMore: true };
}

function pageOf<T>(success: Success<T[]>): Page<T> {
  return { ...success, hasMore: hasNextPage(success) };
}

async function* elementsOf<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page.data;
}

async function allElements<T>(pages: AsyncIterable<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page.data);
  return found;
}
