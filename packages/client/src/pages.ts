import { exactJson } from '@petstore/types';
import { addressWithin } from './addresses.ts';
import { type Call, callOf, type Success } from './call.ts';
import { CycleDetector } from './cycle.ts';
import { UnexpectedResponseError } from './errors.ts';
import { nextTarget } from './link.ts';
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

/** Requests the first page, or the page at `url`. */
export type RequestPage<T> = (page: {
  /** How many elements the first page should have, if the caller does not say. */
  readonly size?: number | undefined;
  readonly url?: string;
  readonly stop?: AbortSignal;
}) => Promise<Success<T[]>>;

/** A call of a list whose first page is on its way. A page has at most `largest` elements. */
export function pageCallOf<T>(request: RequestPage<T>, largest: number): PageCall<T> {
  const pages = new Pages(request, largest);
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

/** The pages of one list, which can be read more than once. The first page is requested only once. */
class Pages<T> {
  readonly first: Promise<Success<T[]>>;
  readonly #request: RequestPage<T>;
  readonly #largest: number;
  #size: number | undefined;

  constructor(request: RequestPage<T>, largest: number) {
    this.#request = request;
    this.#largest = largest;
    this.first = this.#start();
  }

  /** Without `max`, the pages have the size that the service chooses. */
  read(max?: number): AsyncGenerator<Page<T>, void> {
    if (max !== undefined && max >= 0)
      this.#size = Math.max(1, Math.min(Math.ceil(max), this.#largest));
    return this.#read(max ?? Infinity);
  }

  /** The statement with the call may go on with `.collect()`, which asks for large pages. */
  async #start(): Promise<Success<T[]>> {
    await undefined;
    const size = Number.isFinite(this.#size) ? this.#size : undefined;
    return await this.#request({ size });
  }

  async #follow(page: Page<T>, cycle: CycleDetector, stop: AbortSignal): Promise<Success<T[]>> {
    return await this.#request({ url: nextUrl(page, cycle), stop });
  }

  async *#read(max: number): AsyncGenerator<Page<T>, void> {
    checkCount('max', max);
    const stop = new AbortController();
    const cycle = new CycleDetector();
    let missing = max;
    let ahead: Promise<Success<T[]>> | undefined = this.first;
    try {
      while (ahead !== undefined) {
        const page: Page<T> = pageOf(await ahead);
        const { length } = page.data;
        ahead = undefined;
        if (page.hasMore && length < missing) {
          ahead = this.#follow(page, cycle, stop.signal);
          // It is awaited by the next turn of the loop, unless the caller leaves the loop.
          ahead.catch(() => {});
        }
        yield length > missing
          ? { ...page, data: page.data.slice(0, missing), hasMore: true }
          : page;
        missing -= length;
      }
    } finally {
      stop.abort();
    }
  }
}

function pageOf<T>(success: Success<T[]>): Page<T> {
  const { data, response } = success;
  // The list was requested with `if-none-match`, and has not changed.
  if (response.status === 304) return { ...success, hasMore: false };
  const { headers, type } = response;
  const link = headers.get('link');
  // The service sends an identifier with every response, so a page that lacks it cannot read its headers.
  if (type === 'cors' && link === null && headers.get('x-request-id') === null) {
    const problem =
      'whether more elements follow is unknown: the service has to expose its headers';
    const hint = '; let Access-Control-Expose-Headers name Link and X-Request-Id';
    throw new UnexpectedResponseError(response, exactJson(data), problem, hint);
  }
  return { ...success, hasMore: nextTarget(link ?? '') !== undefined };
}

/** The address of the next page. Throws if it cannot be followed. */
function nextUrl<T>({ data, response, url }: Page<T>, cycle: CycleDetector): string {
  const target = nextTarget(response.headers.get('link') ?? '') ?? '';
  const next = addressWithin(url, target);
  const fail = (problem: string) => new UnexpectedResponseError(response, exactJson(data), problem);
  if (next === undefined) throw fail(`the next page, ${target}, is not at the same origin`);
  if (next === url || cycle.leadsBack(next)) throw fail('the next page was read before');
  return next;
}

async function* elementsOf<T>(pages: AsyncIterable<Page<T>>): AsyncGenerator<T, void> {
  for await (const page of pages) yield* page.data;
}

async function allElements<T>(pages: AsyncIterable<Page<T>>): Promise<T[]> {
  const found: T[] = [];
  for await (const page of pages) found.push(...page.data);
  return found;
}
