import type { Operation, Pagination } from '@petstore/types';
import type { Command } from 'commander';
import { CliError, notice } from './errors.ts';
import type { Input } from './input.ts';
import { checkOutput, columnsOf, isClosed, printer } from './output.ts';
import { printRequest, type Send, senderFor } from './send.ts';
import { settingsOf } from './settings.ts';
import { isObject, kebab } from './text.ts';

/** The options of an operation's command. */
interface CallFlags {
  readonly limit?: number;
  readonly all?: true;
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly curl?: true;
}

/** Calls an operation and prints its result, or with --dry-run and --curl its request. */
export async function callOperation(operation: Operation, input: Input, command: Command): Promise<void> {
  const { dryRun, curl, idempotencyKey, limit, all } = command.opts<CallFlags>();
  const { pagination, successes } = operation;
  await checkOutput(operation, command);
  const total = all ? Number.POSITIVE_INFINITY : limit && Number(limit);
  const first = { ...input, ...(pagination && pageSize(operation, pagination, total)) };
  if (dryRun || curl) return printRequest(operation, first, command, idempotencyKey);
  const send = await senderFor(operation, command);
  const out = await printer(columnsOf(operation), pagination !== undefined, command);
  if (!pagination) {
    const { data } = await send(first, { idempotencyKey });
    const body = successes.length > 1 ? Object(data).data : data;
    if (body !== undefined) await out.write([body]);
    return out.end();
  }
  let [rows, cut] = [0, ''];
  for await (const { items, next } of pages(send, operation, pagination, first, total)) {
    await out.write(items);
    if (isClosed()) return;
    rows += items.length;
    if (next !== undefined) cut = cutNotice(rows, pagination, next);
  }
  await out.end();
  if (cut) notice(cut, settingsOf(command));
}

/**
 * Yields the pages that are needed for `total` elements, or one page, and requests the next one before one is printed. `next` is
 * set if the list ends although there may be more: the cursor to go on with, else null.
 */
async function* pages(
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
    const hasMore = items.length < all.length || /\brel="?[^";,]*\bnext\b/i.test(response.headers.get('link') ?? '');
    // By Brent's algorithm, two cursors are enough to notice a loop after at most three rounds.
    if (hasMore && [String(input[cursor]), earlier].includes(String(next)))
      throw new CliError('failed', 'The service repeats a page.');
    if (Number.isInteger(Math.log2(++count))) earlier = String(next);
    const isFollowed = hasMore && total !== undefined && remaining > 0 && next !== null;
    input = isFollowed
      ? { ...input, [cursor]: next, ...pageSize(operation, operation.pagination as Pagination, remaining) }
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
function pageSize({ fields }: Operation, { limit }: Pagination, remaining: number | undefined): Input {
  if (remaining === undefined) return {};
  const size = Math.min(remaining, fields[limit]?.schema.maximum ?? remaining);
  return Number.isFinite(size) ? { [limit]: size } : {};
}

function cutNotice(rows: number, { cursor }: Pagination, next: unknown): string {
  const from = next === null ? '' : `, or --${kebab(cursor)} ${next} for those that follow`;
  return `The list is cut after ${rows}, and there may be more. Use --all or --limit <number>${from}.`;
}
