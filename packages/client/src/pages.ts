import { type Call, callOf, type Success } from './call.ts';
import { CycleDetector, hasNextPage, nextUrl } from './links.ts';
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
   * The pages one after the other. `max` limits the elements of all pages together. If the last page
   * is cut to fit, its `hasMore` is true.
   */
  pages(options?: { max?: number | undefined }): AsyncGenerator<Page<T>, void>;
  /** The elements of all pages as one array, or only the first `max`. */
  collect(options?: { max?: number | undefined }): Promise<T[]>;
}

/** A page after the first page of a list. */
export interface FurtherPage {
  readonly url: string;
  /** Ends the request of the page when the caller stops reading the list. */
  readonly stop: AbortSignal;
}

/**
 * Requests the first page. `wanted` is the number of elements that the caller wants. Without it, the
 * service chooses the size of the page.
 */
type RequestFirst<T> = (wanted: number | undefined) => Promise<Success<T[]>>;

type RequestFurther<T> = (page: FurtherPage) => Promise<Success<T[]>>;

/**
 * Makes a call of a list. The list can be read more than once, but its first page is requested only
 * once.
 */
export function pageCallOf<T>(
  requestFirst: RequestFirst<T>,
  requestFurther: RequestFurther<T>,
): PageCall<T> {
  /** How many elements the caller wants; undefined if the caller has not said it. */
  let wanted: number | undefined;
  // Delay the request by a microtask, so that `.collect({ max })` in the same statement can set
  // `wanted` first.
  const success = Promise.resolve().then(() => requestFirst(wanted));
  const call = callOf(success);
  // Chain on `call`, not on `success`. Otherwise `call` rejects without a handler, and Node ends the
  // process. Each promise has only one reader, because the stack of an error leads to the code that
  // reads the list only then.
  const first = () => call.then(() => success);
  const read = (max?: number) => {
    wanted = max ?? wanted;
    return pagesOf(first().catch(failureOf), requestFurther, max);
  };
  return Object.assign(call, {
    withResponse: () => first().then(pageOf),
    pages: ({ max }: { max?: number | undefined } = {}) => read(max),
    collect: ({ max = Infinity }: { max?: number | undefined } = {}) => allElements(read(max)),
    [Symbol.asyncIterator]: () => elementsOf(read(Infinity)),
  });
}

/**
 * A page, or the error of its request. The error is a value, because the caller may leave the loop
 * before this page: a rejection would then have no handler.
 */
type PageOrFailure<T> = Success<T[]> | { readonly error: unknown };

const failureOf = (error: unknown) => ({ error });

/** The pages with at most `max` elements. */
async function* pagesOf<T>(
  first: Promise<PageOrFailure<T>>,
  requestFurther: RequestFurther<T>,
  max = Infinity,
): AsyncGenerator<Page<T>, void> {
  checkCount('max', max);
  const stop = new AbortController();
  const cycle = new CycleDetector();
  const requestAfter = async (page: Page<T>) =>
    await requestFurther({ url: nextUrl(page, cycle), stop: stop.signal });
  let missing = max;
  let next: Promise<PageOrFailure<T>> | undefined = first;
  try {
    while (next !== undefined) {
      const result: PageOrFailure<T> = await next;
      if ('error' in result) throw result.error;
      const page: Page<T> = pageOf(result);
      const isLast = !page.hasMore || page.data.length >= missing;
      // Request the next page now, so that it arrives while the caller uses this page.
      next = isLast ? undefined : requestAfter(page).catch(failureOf);
      yield firstElements(page, missing);
      missing -= page.data.length;
    }
  } finally {
    stop.abort();
  }
}

/** The page with at most its first `max` elements. If some are cut off, `hasMore` is true. */
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
