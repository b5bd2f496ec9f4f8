import type { OperationId, operations, Result } from '@petstore/types';
import type { Call } from './call.ts';
import type { HttpResponse } from './connection.ts';
import { errorFrom } from './errors.ts';
import type { DataAndResponse } from './execute.ts';
import { pageRules } from './gen/pages.gen.ts';
import type { PageRule } from './parse-response.ts';

/** The operations that have pages. */
export type PagedId = {
  [Id in OperationId]: (typeof operations)[Id] extends { readonly pagination: object } ? Id : never;
}[OperationId];

/** One page of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly response: HttpResponse;
  readonly hasNext: boolean;
  /** Requests the next page; `undefined` if this is the last one. */
  next(): Promise<Page<Item> | undefined>;
}

/** A call of an operation that has pages. Awaiting it returns the first page; iterating it, the elements of all pages. */
export interface Paged<Id extends OperationId> extends Call<Id>, AsyncIterable<ItemOf<Id>> {
  /** The first page, as an object that leads to the others. */
  page(): Promise<Page<ItemOf<Id>>>;
  /** The elements of all pages as a list, at most `max` of them. */
  collect(options: { readonly max: number }): Promise<ItemOf<Id>[]>;
}

type ItemOf<Id extends OperationId> = ElementOf<
  (typeof operations)[Id] extends { readonly pagination: { readonly items: infer Name extends keyof Result<Id> } }
    ? Result<Id>[Name]
    : Result<Id>
>;
type ElementOf<List> = NonNullable<List> extends readonly (infer Element)[] ? Element : never;

const rules = /* @__PURE__ */ new Map(Object.entries<PageRule>(pageRules));

/** Adds the pages to a call of an operation that has them. */
export function pages<Id extends OperationId>(call: Call<Id>, rule = rules.get(call.operation)): Paged<Id> {
  // Only the type of each operation says whether it has pages.
  return (rule ? Object.assign(call, pagesBy(rule, call)) : call) as Paged<Id>;
}

/** The pages that were read, as far as the detection of a loop needs them. */
export interface Trail {
  readonly last: string;
  readonly compared: string;
  readonly steps: number;
  readonly distance: number;
}

/**
 * The trail with one more cursor or address; `undefined` if it leads back to a page that was read before. It holds only two
 * of them (Brent's algorithm): the one that all others are compared with is replaced after 1, 2, 4, … pages, so a long loop
 * is found after at most three rounds.
 */
export function extendTrail(trail: Trail | undefined, cursor: string): Trail | undefined {
  if (!trail) return { last: cursor, compared: cursor, steps: 1, distance: 1 };
  const { last, compared, steps, distance } = trail;
  if (cursor === last || cursor === compared) return undefined;
  if (steps > 1) return { ...trail, last: cursor, steps: steps - 1 };
  return { last: cursor, compared: cursor, steps: distance * 2, distance: distance * 2 };
}

/** The reason that aborts a page which was requested ahead when the caller leaves the loop. */
export const LOOP_LEFT = 'the caller has left the loop';

function pagesBy(rule: PageRule, call: Call<OperationId>) {
  const firstPage = async () => pageFrom(rule, call, await call.withResponse());
  return {
    page: firstPage,
    [Symbol.asyncIterator]: () => elements(firstPage()),
    collect: async (options: { readonly max: number }) => {
      const first = firstPage();
      // Otherwise a rejection would be unhandled if `max` is wrong.
      first.catch(() => {});
      const { max } = Object(options) as { max: number };
      if (Math.abs(max) !== max) throw new RangeError('max must be a number, at least 0');
      const items: unknown[] = [];
      if (max > 0) for await (const item of elements(first)) if (items.push(item) >= max) break;
      await first;
      return items;
    },
  };
}

/** A page whose `next` can be aborted. */
interface AnyPage extends Page<unknown> {
  next(stop?: AbortController): Promise<AnyPage | undefined>;
}

/** A page, and the trail of the pages before it. */
function pageFrom(
  rule: PageRule,
  call: Call<OperationId>,
  { data, response }: DataAndResponse<unknown>,
  trail?: Trail,
): AnyPage {
  const items = Object(data) === data && rule.items(data);
  const unexpected = (problem: string, text: string) => errorFrom(response, text, data, problem);
  if (!Array.isArray(items)) throw unexpected('no list', JSON.stringify(data));
  const following = rule.next(data, response);
  /** The trail with the next page, from the address of the first page. */
  const extended = (first: string): Trail => {
    let [here, next] = [trail, ''];
    if (following && 'input' in following) next = String(Object.values(following.input));
    else {
      here ??= extendTrail(undefined, first);
      const link = following?.link ?? '';
      const url = URL.canParse(link, here?.last) ? new URL(link, here?.last) : undefined;
      // The credentials are sent only to the origin that the caller chose.
      if (url?.origin !== new URL(first).origin) throw unexpected('the next page is on another origin', link);
      next = url.href;
    }
    const longer = extendTrail(here, next);
    if (longer) return longer;
    throw unexpected('the next page was read before', next);
  };
  return {
    items,
    response,
    hasNext: following !== undefined,
    next: async (stop) => {
      if (!following) return undefined;
      let longer: Trail | undefined;
      const success = await call.repeat(({ input, options }) => ({
        input: 'input' in following ? { ...input, ...following.input } : input,
        options: stop ? { ...options, signal: anyOf(stop.signal, options?.signal) } : options,
        url: (built) => {
          longer = extended(built);
          return 'input' in following ? built : longer.last;
        },
      }));
      return pageFrom(rule, call, success, longer);
    },
  };
}

/** The elements of a page and of all pages after it. Requests at most one page ahead, and aborts it when the caller leaves. */
async function* elements(first: Promise<AnyPage>) {
  const stop = new AbortController();
  let awaited: Promise<AnyPage | undefined> = first;
  try {
    for (let page = await awaited; page; page = await awaited) {
      awaited = page.next(stop);
      // It is awaited after this page, and never if the caller leaves before.
      awaited.catch(() => {});
      yield* page.items;
    }
  } finally {
    stop.abort(LOOP_LEFT);
  }
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
