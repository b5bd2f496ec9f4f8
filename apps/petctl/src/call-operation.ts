import type { Page, PageCall } from '@petstore/client';
import type { Operation } from '@petstore/types';
import { explainError, methodFor } from './call.ts';
import { UsageError } from './errors.ts';
import { type Input, parseValue } from './input.ts';
import { checkOutput, type Printer, printerFor, shapeOf } from './output/printer.ts';
import { printAsCurl, printAsJson } from './preview.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { isObject, kebab } from './text.ts';

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
  const { operation, settings, flags, input } = call;
  const { credentials, reporter } = session;
  const wanted = wantedResults(flags);
  const idempotencyKey = idempotencyKeyOf(operation, flags);
  const shape = shapeOf(operation);
  await checkOutput(shape, settings);
  const target = session.targetOf(settings);
  if (flags.dryRun || flags.curl) {
    if (needsPages(operation, wanted)) reporter.notice('Only the first of the requests is shown.');
    const preview = { operation, input, idempotencyKey, wanted, settings, target };
    return flags.curl ? printAsCurl(preview, session) : printAsJson(preview, session);
  }
  const calling = { operation, settings, target, key: await credentials.keyFor(target) };
  const out = await printerFor(shape, settings, session);
  const method = methodFor(calling, session);
  try {
    if (operation.pagination) await printList(method(input), wanted, operation, out, session);
    else await printResult(await method(input, { idempotencyKey }), operation, out);
  } catch (error) {
    throw explainError(error, calling);
  }
}

async function printResult(data: unknown, { successes }: Operation, out: Printer): Promise<void> {
  // With several successes, the client says which one it is.
  const body = successes.length > 1 && isObject(data) ? data.data : data;
  if (body !== undefined) await out.write([body]);
  await out.end();
}

/**
 * Prints the pages of a list as they arrive, and says if the list is cut. `wanted` is undefined for
 * one page.
 */
async function printList(
  list: PageCall<unknown>,
  wanted: number | undefined,
  operation: Operation,
  out: Printer,
  session: Session,
): Promise<void> {
  let rows = 0;
  let last: Page<unknown> | undefined;
  for await (const page of pagesOf(list, wanted)) {
    // The client requests the next page: let it be sent before a slow reader blocks the output.
    if (page.hasMore) await new Promise(setImmediate);
    await out.write(page.data);
    if (session.stdout.isClosed) return;
    rows += page.data.length;
    last = page;
  }
  await out.end();
  if (last?.hasMore) session.reporter.notice(cutNotice(rows, last.data.at(-1), operation));
}

async function* pagesOf(
  list: PageCall<unknown>,
  wanted: number | undefined,
): AsyncGenerator<Page<unknown>> {
  if (wanted === undefined) yield await list.withResponse();
  else yield* list.pages({ max: wanted });
}

/** Says that a list is cut, and what to type for more. */
function cutNotice(rows: number, lastRow: unknown, { pagination }: Operation): string {
  const notice = `The list is cut after ${rows}, and there may be more. Use --all or --limit <number>`;
  const cursor = pagination && isObject(lastRow) ? lastRow[pagination.key] : undefined;
  if (!pagination || cursor === undefined) return `${notice}.`;
  return `${notice}, or --${kebab(pagination.cursor)} ${cursor} for those that follow.`;
}

/** How many results are wanted; undefined for one page. */
function wantedResults({ limit, all }: CallFlags): number | undefined {
  if (all) return Number.POSITIVE_INFINITY;
  if (limit === undefined) return undefined;
  return Number(parseValue({ text: limit, name: '--limit' }, { type: 'integer', minimum: 1 }));
}

function idempotencyKeyOf(
  { idempotencyKey: declared }: Operation,
  { idempotencyKey: text }: CallFlags,
): string | undefined {
  if (declared === undefined || text === undefined) return undefined;
  if (new RegExp(declared.schema.pattern ?? '').test(text)) return text;
  throw new UsageError(
    '--idempotency-key is not a valid key.',
    'Use visible ASCII characters without spaces, for example a UUID.',
  );
}

/** Whether so many results are more than one page can have. */
function needsPages({ pagination, fields }: Operation, wanted: number | undefined): boolean {
  if (!pagination || wanted === undefined) return false;
  const largest = fields[pagination.limit]?.schema.maximum;
  return largest !== undefined && wanted > largest;
}
