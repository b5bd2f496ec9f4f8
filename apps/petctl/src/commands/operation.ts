import type { Page } from '@petstore/client';
import { type Call, clientFunction, clientOptionsFor, credentialsFor } from '../call/client.ts';
import { type Operation, responseOf } from '../old.ts';
import { checkFields, rowsOf, shapeOf } from '../output/format.ts';
import { checkFilter } from '../output/jq.ts';
import { print } from '../output/print.ts';
import { wantsNotices, writeNotice } from '../output/report.ts';
import { type Invocation, isDryRun } from '../parse/command.ts';
import { inputOf } from './input-from-flags.ts';

/** Runs the command of an operation. */
export async function runOperation(operation: Operation, invocation: Invocation): Promise<void> {
  const { flags, io } = invocation;
  checkFields(operation, flags.get('fields'));
  const input = await inputOf(operation, invocation);
  await checkFilter(invocation);
  const key = flags.get('idempotency-key');
  const keyOption = typeof key === 'string' ? { idempotencyKey: key } : {};
  if (isDryRun(invocation)) {
    const { preview } = await import('../call/preview.ts');
    return preview(invocation, operation, (options) => clientFunction(options, operation)(input, keyOption));
  }

  const { options, writeDeprecation } = await clientOptionsFor(invocation, await credentialsFor(invocation, operation));
  const send = clientFunction(options, operation);
  try {
    const call = send(input, { ...keyOption, signal: io.interrupted });
    const truncatedRows = await writeResult(call, operation, invocation);
    if (truncatedRows)
      await writeTruncationNotice(operation, truncatedRows, invocation, (page) =>
        send({ ...input, ...page }, { signal: io.interrupted, timeout: TRUNCATION_TIMEOUT_MS, retry: 0 }),
      );
  } finally {
    await writeDeprecation();
  }
}

/**
 * Writes the result of a call: the elements of all pages with --all, `--limit` elements, or one response. Returns the rows of a
 * list that may be truncated.
 */
async function writeResult(call: Call, operation: Operation, invocation: Invocation) {
  const { flags } = invocation;
  const limit = operation.pagination ? flags.get('limit') : undefined;
  const total = typeof limit === 'number' ? limit : Number.POSITIVE_INFINITY;
  const { data: result, response } = await call.withResponse();
  const body = operation.successes.length > 1 ? (result as { data: unknown }).data : result;
  const success = responseOf(operation, response.status);
  const page = operation.pagination && (await call.page());
  const data = page ? page.items : body;
  const shape = shapeOf(operation, success, flags.get('fields'), data);
  // The service may return fewer elements than the limit, so follow the pages.
  if (flags.has('all') || (limit !== undefined && rowsOf(data).length < total))
    return print(elementsOf(call, total), shape, invocation);
  const rows = rowsOf(data).slice(0, total);
  if (body !== undefined) await print(rows, shape, invocation);
  return page?.hasNext ? rows : undefined;
}

/** Yields the elements of all pages as the pages arrive, at most `total` elements. Requests one page ahead, if it needs one. */
async function* elementsOf(call: Call, total: number): AsyncGenerator<unknown> {
  let remaining = total;
  let pending: Promise<Page<unknown> | undefined> = call.page();
  for (let page = await pending; page; page = await pending) {
    const items = page.items.slice(0, remaining);
    remaining -= items.length;
    pending = remaining > 0 ? page.next() : Promise.resolve(undefined);
    // If the output fails, the next page is not awaited, so a rejection would be unhandled.
    pending.catch(() => {});
    yield* items;
  }
}

/** The time limit of the extra request that tests whether more elements exist. */
const TRUNCATION_TIMEOUT_MS = 2000;

/**
 * Writes a notice on stderr if a list is truncated. A full page may be the last page, so this function requests one more element
 * first.
 */
async function writeTruncationNotice(
  operation: Operation,
  rows: readonly unknown[],
  invocation: Invocation,
  requestPage: (page: Record<string, unknown>) => Promise<unknown>,
): Promise<void> {
  if (!wantsNotices(invocation) || invocation.io.stdout.isClosed()) return;
  const { fields, pagination } = operation;
  const { cursor, key, limit } = pagination ?? {};
  if (cursor === undefined || key === undefined || limit === undefined) return;
  const after = Object(rows.at(-1))[key];
  // An empty page does not say where it ends.
  if (after === undefined) return;
  const smallestPage = fields[limit]?.schema.minimum ?? 1;
  const more = await requestPage({ [cursor]: after, [limit]: smallestPage }).catch(() => []);
  invocation.io.interrupted.throwIfAborted();
  if (rowsOf(more).length === 0) return;
  const flag = invocation.node.flags?.find(({ field }) => field === cursor)?.name ?? cursor;
  await writeNotice(invocation, `More results exist. Use --all, or --${flag} ${after} for the next ones.`);
}
