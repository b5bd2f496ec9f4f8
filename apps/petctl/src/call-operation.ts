import type { Operation } from '@petstore/types';
import { type Call, callerFor } from './call.ts';
import { type Input, parseValue } from './input.ts';
import { cutNotice, type Listing, pageSize, pagesOf } from './lists.ts';
import { printAsCurl, printAsJson } from './preview.ts';
import { checkOutput, type Printer, printerFor, shapeOf } from './printer.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { targetOf } from './target.ts';

/** The options of an operation's command, as they stand on the command line. */
export interface CallFlags {
  readonly data?: string;
  readonly limit?: string;
  readonly all?: true;
  readonly idempotencyKey?: string;
  readonly dryRun?: true;
  readonly curl?: true;
}

/** A command line that calls an operation. */
interface OperationCall {
  readonly operation: Operation;
  readonly input: Input;
  readonly flags: CallFlags;
  readonly settings: Settings;
}

/** Calls an operation and prints its result, or with --dry-run and --curl its request. */
export async function callOperation(call: OperationCall, session: Session): Promise<void> {
  const { operation, settings, flags } = call;
  const total = totalOf(flags);
  const idempotencyKey = idempotencyKeyOf(operation, flags);
  const shape = shapeOf(operation);
  await checkOutput(shape.columns, settings);
  const target = targetOf(settings, session.env, () => session.credentials.current());
  const input = { ...call.input, ...pageSize(operation, total) };
  if (flags.dryRun || flags.curl) {
    if (isPart(operation, input, total))
      session.reporter.notice('Only the first of the requests is shown.');
    const preview = { operation, input, idempotencyKey, settings, target };
    return flags.curl ? printAsCurl(preview, session) : printAsJson(preview, session);
  }
  const key = await session.credentials.require(target);
  const caller = callerFor({ operation, settings, target, key }, session);
  const out = await printerFor(shape, settings, session);
  if (operation.pagination)
    await printList({ call: caller, operation, input, total }, out, session);
  else await printResult(await caller(input, { idempotencyKey }), operation, out);
}

async function printResult(
  { data }: Awaited<ReturnType<Call>>,
  { successes }: Operation,
  out: Printer,
): Promise<void> {
  // With several successes, the client says which one it is.
  const body = successes.length > 1 ? (data as { data?: unknown }).data : data;
  if (body !== undefined) await out.write([body]);
  await out.end();
}

/** Prints pages as they arrive, and says if the list is cut. */
async function printList(listing: Listing, out: Printer, session: Session): Promise<void> {
  let rows = 0;
  let next: unknown;
  for await (const page of pagesOf(listing)) {
    await out.write(page.items);
    if (session.stdout.isClosed) return;
    rows += page.items.length;
    next = page.next;
  }
  await out.end();
  if (next !== undefined) session.reporter.notice(cutNotice(rows, listing.operation, next));
}

/** How many results are wanted; undefined for one page. */
function totalOf({ limit, all }: CallFlags): number | undefined {
  if (all) return Number.POSITIVE_INFINITY;
  if (limit === undefined) return undefined;
  return Number(parseValue({ text: limit, name: '--limit' }, { type: 'integer', minimum: 1 }));
}

function idempotencyKeyOf(
  { idempotencyKey: declared }: Operation,
  { idempotencyKey: text }: CallFlags,
): string | undefined {
  if (declared === undefined || text === undefined) return undefined;
  return String(parseValue({ text, name: '--idempotency-key' }, declared.schema));
}

/** Whether the results need more requests than the first one. */
function isPart({ pagination }: Operation, input: Input, total: number | undefined): boolean {
  return pagination !== undefined && total !== undefined && total > Number(input[pagination.limit]);
}
