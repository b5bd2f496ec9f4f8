import type { Operation, Pagination } from '@petstore/types';
import { CliError } from './errors.ts';
import type { Input } from './input.ts';
import type { Send } from './send.ts';
import { isObject, kebab } from './text.ts';

/**
 * Yields the pages that are needed for `total` elements, or one page, and requests the next one before one is printed. `next` is
 * set if the list ends although there may be more: the cursor to go on with, else null.
 */
export async function* pages(
  send: Send,
  operation: Operation,
  { cursor, key }: Pagination,
  first: Input,
  total: number | undefined,
): AsyncGenerator<{ items: readonly unknown[]; next: unknown }> {
  let remaining = total ?? Number.POSITIVE_INFINITY;
  let input: Input | undefined = first;
  let pending = send(first);
  let [count, earlier] = [0, String(first[cursor])];
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
    // By Brent's algorithm, two cursors are enough to notice a loop after at most three rounds.
    if (hasMore && [String(input[cursor]), earlier].includes(String(next)))
      throw new CliError('failed', 'The service repeats a page.');
    if (Number.isInteger(Math.log2(++count))) earlier = String(next);
    const isFollowed = hasMore && total !== undefined && remaining > 0 && next !== null;
    input = isFollowed
      ? {
          ...input,
          [cursor]: next,
          ...pageSize(operation, operation.pagination as Pagination, remaining),
        }
      : undefined;
    if (input) pending = send(input);
    // If the output fails, nobody waits for the next page.
    pending.catch(() => {});
    // The request has to be sent before a slow reader blocks the output.
    if (input) await new Promise(setImmediate);
    yield { items, next: hasMore && !isFollowed ? next : undefined };
  }
}

/** The largest useful page, because larger pages need fewer requests; without a number of elements the service decides. */
export function pageSize(
  { fields }: Operation,
  { limit }: Pagination,
  remaining: number | undefined,
): Input {
  if (remaining === undefined) return {};
  const size = Math.min(remaining, fields[limit]?.schema.maximum ?? remaining);
  return Number.isFinite(size) ? { [limit]: size } : {};
}

/** Says that a list is cut, and what to type for more. */
export function cutNotice(rows: number, { cursor }: Pagination, next: unknown): string {
  const from = next === null ? '' : `, or --${kebab(cursor)} ${next} for those that follow`;
  return `The list is cut after ${rows}, and there may be more. Use --all or --limit <number>${from}.`;
}
