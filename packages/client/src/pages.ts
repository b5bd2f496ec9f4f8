import type { Call } from './call.ts';
import type { HttpResponse } from './connection.ts';
import { errorFrom } from './errors.ts';
import type { DataAndResponse } from './execute.ts';
import { exactJson, type OperationId, type operations, type Pagination, type Result } from './old.ts';
import { pageRules } from './page-rules.ts';

/** The operations that have pages. */
export type PagedId = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly pagination: object } ? Id : never;
}[OperationId];

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly response: HttpResponse;
  readonly hasNext: boolean;
  /** Requests the next page; `undefined` if this is the last page. */
  next(): Promise<Page<Item> | undefined>;
}

/** A call of an operation that has pages. Awaiting the call returns the first page; iterating over the call returns the elements of all pages. */
export interface Paged<Id extends OperationId> extends Call<Id>, AsyncIterable<ItemOf<Id>> {
  /** The first page, as an object that can request the next page. */
  page(): Promise<Page<ItemOf<Id>>>;
  /** The elements of all pages as a list of at most `max` elements. */
  collect(options: { readonly max: number }): Promise<ItemOf<Id>[]>;
}

type ItemOf<Id extends OperationId> = ElementOf<
  (typeof operations)[Id] extends { readonly pagination: { readonly items: infer Name extends keyof Result<Id> } }
    ? Result<Id>[Name]
    : Result<Id>
>;
type ElementOf<List> = NonNullable<List> extends readonly (infer Element)[] ? Element : never;

const paginations = /* @__PURE__ */ new Map(Object.entries(pageRules));

/** Adds the methods of `Paged` to a call, if its operation has pages. */
export function pages<Id extends OperationId>(call: Call<Id>, pagination = paginations.get(call.operation)): Paged<Id> {
  // Without pages the cast is wrong, but `petstore` declares its results as `Paged` only for a `PagedId`.
  if (!pagination) return call as Paged<Id>;
  const firstPage = async () => pageFrom(pagination, call, await call.withResponse());
  return Object.assign(call, {
    page: firstPage,
    [Symbol.asyncIterator]: () => elements(firstPage()),
    collect: async (options: { readonly max: number }) => {
      const first = firstPage();
      // A wrong `max` throws before `first` is awaited, which must not leave a rejection unhandled.
      first.catch(() => {});
      const { max } = Object(options) as { max: number };
      // This also rejects NaN, and values that are no number.
      if (Math.abs(max) !== max) throw new RangeError('max must be a number >= 0');
      const items: unknown[] = [];
      if (max > 0) for await (const item of elements(first, max)) if (items.push(item) >= max) break;
      // A call that fails is also an error if `max` is 0.
      await first;
      return items;
    },
  }) as Paged<Id>;
}

/** The pages read so far, to detect a loop: the cursor or address of the `last` page, and that of an earlier page, `compared`. */
interface Trail {
  readonly last: string;
  readonly compared: string;
  readonly length: number;
}

/** Makes the error for a page whose cursor or address has a problem. */
type Unexpected = (problem: string, cursor: string) => Error;

/**
 * The trail with one more cursor or address. Throws if the cursor leads back to a page that was read before. Brent's algorithm
 * compares each cursor with `compared`, which is replaced by the pages 1, 2, 4, 8, …, so a long loop is found after at most three
 * rounds.
 */
function extendTrail(trail: Trail | undefined, cursor: string, unexpected: Unexpected): Trail {
  if (cursor === trail?.last || cursor === trail?.compared) throw unexpected('the next page was read before', cursor);
  const { length, compared } = trail ?? { length: 0, compared: cursor };
  const isPowerOfTwo = Number.isInteger(Math.log2(length + 1));
  return { last: cursor, compared: isPowerOfTwo ? cursor : compared, length: length + 1 };
}

/** The trail with the address that a link refers to. `built` is the address of the first page, with which a trail of addresses begins. */
function followLink(link: string, built: string, trail: Trail | undefined, unexpected: Unexpected): Trail {
  const start = trail ?? extendTrail(undefined, built, unexpected);
  const url = URL.canParse(link, start.last) ? new URL(link, start.last) : undefined;
  // Credentials must not go to another origin. An address with a user or `blob:` has the same `origin`, but fetch rejects it.
  if (!url?.href.startsWith(new URL('/', built).href)) throw unexpected('the next page is on another origin', link);
  return extendTrail(start, url.href, unexpected);
}

/** The reason for aborting the request of the next page when the caller leaves the loop. */
export const LOOP_LEFT = 'the caller has left the loop';

/** A page whose `next` can be aborted. */
interface AnyPage extends Page<unknown> {
  next(stop?: AbortController): Promise<AnyPage | undefined>;
}

/** Makes a page from a response. `trail` ends with this page; the first page has none. */
function pageFrom(
  pagination: Pagination,
  call: Call<OperationId>,
  { data, response }: DataAndResponse<unknown>,
  trail?: Trail,
): AnyPage {
  const items =
    pagination.items === undefined || Object(data) !== data ? data : ((data as Properties)[pagination.items] ?? []);
  const unexpected = (problem: string, text?: string) => {
    // `data` may contain bigints; the body of an error, from `JSON.parse`, contains none.
    const json = exactJson(data ?? null);
    return errorFrom(response, text ?? json, problem, JSON.parse(json));
  };
  if (!Array.isArray(items)) throw unexpected('no list');
  const following = nextRequest(pagination, data, items, response);
  return {
    items,
    response,
    hasNext: following !== undefined,
    next: async (stop) => {
      if (!following) return undefined;
      const { link, cursor } = following;
      if (link === undefined && cursor == null) throw unexpected('no cursor of the next page');
      // Set by `url`, which runs before the request.
      let longerTrail: Trail | undefined;
      const success = await call.repeat(({ input, options }) => ({
        input: link === undefined ? { ...input, [pagination.cursor ?? '']: cursor } : input,
        options: stop
          ? { ...options, signal: AbortSignal.any([stop.signal, options?.signal ?? stop.signal]) }
          : options,
        url: (built) => {
          longerTrail =
            link === undefined
              ? extendTrail(trail, String(cursor), unexpected)
              : followLink(link, built, trail, unexpected);
          return link === undefined ? built : longerTrail.last;
        },
      }));
      return pageFrom(pagination, call, success, longerTrail);
    },
  };
}

type Properties = Readonly<Record<string, unknown>>;

/** The cursor of the next page, or its link, which may be relative to the address of this page; `undefined` if this is the last page. */
function nextRequest(
  { by, key = '', next = '', more }: Pagination,
  data: unknown,
  items: readonly unknown[],
  response: HttpResponse,
): { readonly link?: string; readonly cursor?: unknown } | undefined {
  if (by === 'link') {
    const link = nextPage(response);
    return link === undefined ? undefined : { link };
  }
  const body = data as Properties;
  if (more && !body[more]) return undefined;
  if (by === 'body') return (body[next] ?? '') === '' ? undefined : { cursor: body[next] };
  // By the key of the last element. An empty page has none, so it is the last page.
  return items.length === 0 ? undefined : { cursor: Object(items.at(-1))[key] };
}

/** A link of RFC 8288: its target, and its parameters, whose quoted values may contain any character. */
const LINK = /<([^<>]*)>((?:[^"<]|"(?:[^"\\]|\\.)*")*)/g;
/** A parameter of a link: its name, and its quoted or unquoted value. */
const LINK_PARAMETER = /;\s*([^\s=;,"]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*))/g;

/** The address of the next page, as written in `Link` with `rel="next"` (RFC 8288). */
export function nextPage({ headers }: HttpResponse): string | undefined {
  for (const [, target, parameters = ''] of (headers.get('link') ?? '').matchAll(LINK)) {
    // Only the first `rel` counts. It may have several relations.
    const rel = [...parameters.matchAll(LINK_PARAMETER)].find(([, name]) => name?.toLowerCase() === 'rel');
    if (/(^|\s)next(\s|$)/i.test(rel?.[2] ?? rel?.[3] ?? '')) return target;
  }
  return undefined;
}

/**
 * Yields the elements of a page and of the later pages, in whole pages, until they are at least `max`. Requests one page ahead;
 * the request is aborted if the caller leaves the loop.
 */
async function* elements(first: Promise<AnyPage>, max = Number.POSITIVE_INFINITY) {
  const stop = new AbortController();
  let pending: Promise<AnyPage | undefined> = first;
  let remaining = max;
  try {
    for (let page = await pending; page; page = await pending) {
      remaining -= page.items.length;
      pending = remaining > 0 ? page.next(stop) : Promise.resolve(undefined);
      // If the caller leaves the loop, the next page is not awaited, so a rejection would be unhandled.
      pending.catch(() => {});
      yield* page.items;
    }
  } finally {
    stop.abort(LOOP_LEFT);
  }
}
