import type { Operation } from '@petstore/types';
import type { Call } from './call.ts';
import { CliError } from './errors.ts';
import type { Input } from './input.ts';
import { isObject, kebab } from './text.ts';

/** A list to print: the call of its first page, and how many elements are wanted; undefined for one page. */
export interface Listing {
  readonly call: Call;
  readonly operation: Operation;
  readonly input: Input;
  readonly total: number | undefined;
}

/** `next` is set if the list ends although there may be more: the cursor to go on with, else null. */
interface PrintedPage {
  readonly items: readonly unknown[];
  readonly next: unknown;
}

/** Yields the pages of a list, and requests the next one before one is printed. */
export async function* pagesOf(listing: Listing): AsyncGenerator<PrintedPage> {
  const { call, operation, input: first, total } = listing;
  const { pagination } = operation;
  if (!pagination) return;
  const { cursor, key } = pagination;
  let remaining = total ?? Number.POSITIVE_INFINITY;
  let input: Input | undefined = first;
  let pending = call(first);
  const seen = new Set<string>();
  while (input) {
    const { data, response } = await pending;
    const all = Array.isArray(data) ? data : [];
    const items = all.slice(0, remaining);
    remaining -= items.length;
    const last = items.at(-1);
    const next = (isObject(last) ? last[key] : undefined) ?? null;
    const hasMore =
      items.length < all.length ||
      /\brel="?[^";,]*\bnext\b/i.test(response.headers.get('link') ?? '');
    if (hasMore && seen.has(String(next)))
      throw new CliError('failed', 'The service repeats a page.');
    seen.add(String(next));
    const isFollowed = hasMore && total !== undefined && remaining > 0 && next !== null;
    input = isFollowed
      ? { ...input, [cursor]: next, ...pageSize(operation, remaining) }
      : undefined;
    if (input) pending = call(input);
    // If the output fails, nobody waits for the next page.
    pending.catch(() => {});
    // The request has to be sent before a slow reader blocks the output.
    if (input) await new Promise(setImmediate);
    yield { items, next: hasMore && !isFollowed ? next : undefined };
  }
}

/** The largest useful page, because larger pages need fewer requests; without a number of elements the service decides. */
export function pageSize({ fields, pagination }: Operation, remaining: number | undefined): Input {
  if (!pagination || remaining === undefined) return {};
  const { limit } = pagination;
  const size = Math.min(remaining, fields[limit]?.schema.maximum ?? remaining);
  return Number.isFinite(size) ? { [limit]: size } : {};
}

/** Says that a list is cut, and what to type for more. */
export function cutNotice(rows: number, { pagination }: Operation, next: unknown): string {
  const from =
    next === null || !pagination
      ? ''
      : `, or --${kebab(pagination.cursor)} ${next} for those that follow`;
  return `The list is cut after ${rows}, and there may be more. Use --all or --limit <number>${from}.`;
}
