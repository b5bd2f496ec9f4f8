import { exactJson } from '@petstore/types';
import { type Call, callOf, type Success } from './call.ts';
import { UnexpectedResponseError } from './errors.ts';
import { checkCount } from './options.ts';

/** A call of a list. `await` gives the first page; `for await` gives every element, and requests one page ahead. */
export interface PageCall<T> extends Call<T[]>, AsyncIterable<T> {
  /** The elements of all pages as one array, or only the first `max`. */
  collect(options?: { max?: number }): Promise<T[]>;
}

type Page = Success<readonly unknown[]>;

/** Requests the page behind an element. The signal aborts the request. */
type RequestPage = (last: unknown, signal: AbortSignal) => Promise<Page>;

/** A call of a list whose first page is on its way. `key` is the property of an element that the next page begins behind. */
export function pageCallOf(first: Promise<Page>, key: string, request: RequestPage) {
  const call = callOf(first);
  const all = (max?: number) => {
    // The error of the first page reaches the caller by way of `first`.
    call.catch(() => {});
    return elements(first, key, request, max);
  };
  return Object.assign(call, {
    [Symbol.asyncIterator]: () => all(),
    collect: async ({ max = Infinity }: { max?: number } = {}) => {
      const found: unknown[] = [];
      const pages = all(max);
      checkCount('max', max);
      for await (const element of pages) found.push(element);
      return found.slice(0, max);
    },
  });
}

/** Yields the elements in whole pages until they are at least `max`. The page ahead is aborted when the caller leaves the loop. */
async function* elements(first: Promise<Page>, key: string, request: RequestPage, max = Infinity) {
  const stop = new AbortController();
  let pending: Promise<Page | undefined> = first;
  let missing = max;
  let pages = 0;
  let [previous, earlier]: unknown[] = [];
  const next = async ({ data, response }: Page) => {
    const parameters = (response.headers.get('link') ?? '').split(/[;,]/);
    if (!parameters.some((one) => /^\s*rel\s*=\s*"?(?:[^"]*\s)?next(?:[\s"]|$)/i.test(one))) return undefined;
    const last = Object(data.at(-1))[key];
    // By Brent's algorithm, two cursors are enough to notice a loop after at most three rounds.
    if ([undefined, previous, earlier].includes(last))
      throw new UnexpectedResponseError(response, exactJson(data), 'the next page was read before');
    previous = last;
    // On the pages 1, 2, 4, 8, …
    if (Number.isInteger(Math.log2(++pages))) earlier = last;
    return request(last, stop.signal);
  };
  try {
    for (let page = await pending; page; page = await pending) {
      missing -= page.data.length;
      pending = missing > 0 ? next(page) : Promise.resolve(undefined);
      // It is not awaited if the caller leaves the loop.
      pending.catch(() => {});
      yield* page.data;
    }
  } finally {
    stop.abort();
  }
}
