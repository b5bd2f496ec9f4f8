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
   * The pages one after the other. With `max`, no more pages than have that many elements: the last
   * one is cut, and its `hasMore` says whether there are other elements.
   */
  pages(options?: { max?: number | undefined }): AsyncGenerator<Page<T>, void>;
  /** The elements of all pages as one array, or only the first `max`. */
  collect(options?: { max?: number | undefined }): Promise<T[]>;
}

/** A page behind the first one: where it is, and what ends its request. */
export interface FurtherPage {
  readonly url: string;
  /** Aborts when the list is not read any further. */
  readonly stop: AbortSignal;
}

/**
 * Requests a first page with the wanted elements, if a page can have so many. Without `wanted`, the
 * service chooses its size.
 */
type RequestFirst<T> = (wanted: number | undefined) => Promise<Success<T[]>>;

type RequestFurther<T> = (page: FurtherPage) => Promise<Success<T[]>>;

/**
 * A call of a list whose first page is on its way. The list can be read more than once, but its
 * first page is requested only once.
 */
export function pageCallOf<T>(
  requestFirst: RequestFirst<T>,
  requestFurther: RequestFurther<T>,
): PageCall<T> {
  /** How many elements the caller wants; undefined if it has not said that. */
  let wanted: number | undefined;
  // The statement that made the call may go on with `.collect()`, which says what is wanted.
  const success = Promise.resolve().then(() => requestFirst(wanted));
  const call = callOf(success);
  // By way of `call`, whose rejection would be unhandled otherwise. No promise has two readers: so the
  // stack of an error leads to the code that reads the list.
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

/** A page, or why there is none. It is no rejection, because the loop may end before it has it. */
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
  const requestBehind = async (page: Page<T>) =>
    await requestFurther({ url: nextUrl(page, cycle), stop: stop.signal });
  let missing = max;
  let next: Promise<PageOrFailure<T>> | undefined = first;
  try {
    while (next !== undefined) {
      const result: PageOrFailure<T> = await next;
      if ('error' in result) throw result.error;
      const page: Page<T> = pageOf(result);
      const isLast = !page.hasMore || page.data.length >= missing;
      // One page ahead: it is on its way while the caller uses this one.
      next = isLast ? undefined : requestBehind(page).catch(failureOf);
      yield firstElements(page, missing);
      missing -= page.data.length;
    }
  } finally {
    stop.abort();
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
