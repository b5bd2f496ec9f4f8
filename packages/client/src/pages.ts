import type { OperationId, operations, Result } from '@petstore/types';
import type { Call } from './call.ts';
import type { HttpResponse } from './connection.ts';
import { errorFrom } from './errors.ts';
import type { DataAndResponse } from './execute.ts';
import { pageRules } from './gen/pages.gen.ts';
import { extendTrail, type PageRule, type Trail } from './page-rules.ts';

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

/** A call of an operation that has pages. Awaiting it returns the first page, iterating it the elements of all pages. */
export interface Paged<Id extends OperationId> extends Call<Id>, AsyncIterable<ItemOf<Id>> {
  /** The first page as an object that leads to the others. */
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

function pagesBy(rule: PageRule, call: Call<OperationId>) {
  const firstPage = async () => pageFrom(rule, call, await call.withResponse());
  const all = () => elements(firstPage());
  return {
    page: firstPage,
    [Symbol.asyncIterator]: all,
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

/** The reason that aborts a page which was requested ahead. */
export const LEFT = 'the caller has left the loop';

/** A page, and the trail of those before it. */
function pageFrom(
  rule: PageRule,
  call: Call<OperationId>,
  { data, response }: DataAndResponse<unknown>,
  trail?: Trail,
): AnyPage {
  const items = rule.items(Object(data));
  if (!Array.isArray(items)) throw errorFrom(response, JSON.stringify(data), data, 'no list');
  const behind = rule.next(data, response);
  const unexpected = (problem: string, address = '') => errorFrom(response, address, data, `the next page ${problem}`);
  /** The trail with the next page, from the address of the first page. */
  const extended = (first: string): Trail => {
    if (behind && 'input' in behind) {
      const longer = extendTrail(trail, String(Object.values(behind.input)));
      if (longer) return longer;
      throw unexpected('was read before');
    }
    const here = trail ?? extendTrail(undefined, first);
    const link = behind?.link ?? '';
    const next = URL.canParse(link, here?.last) ? new URL(link, here?.last) : undefined;
    // The credentials go only where the caller sends them.
    if (next?.origin !== new URL(first).origin) throw unexpected('is on another origin', link);
    const longer = extendTrail(here, next.href);
    if (longer) return longer;
    throw unexpected('was read before', next.href);
  };
  return {
    items,
    response,
    hasNext: behind !== undefined,
    next: async (stop) => {
      if (!behind) return undefined;
      let longer: Trail | undefined;
      const success = await call.repeat(({ input, options }) => ({
        input: 'input' in behind ? { ...input, ...behind.input } : input,
        options: stop ? { ...options, signal: anyOf(stop.signal, options?.signal) } : options,
        url: (from) => {
          longer = extended(from);
          return 'input' in behind ? from : longer.last;
        },
      }));
      return pageFrom(rule, call, success, longer);
    },
  };
}

/** The elements of a page and of all pages behind it. Requests at most one page ahead, and aborts it when the caller leaves. */
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
    stop.abort(LEFT);
  }
}

function anyOf(...signals: (AbortSignal | undefined)[]): AbortSignal {
  return AbortSignal.any(signals.filter((signal) => signal !== undefined));
}
