import type { Operation } from '@petstore/types';
import { methodFor } from './call.ts';
import { UsageError } from './errors.ts';
import { explained } from './explain.ts';
import { type Input, parseValue } from './input.ts';
import { printList } from './lists.ts';
import { printAsCurl, printAsJson } from './preview.ts';
import { checkOutput, type Printer, printerFor, shapeOf } from './printer.ts';
import type { Session } from './session.ts';
import type { Settings } from './settings.ts';
import { targetOf } from './target.ts';
import { isObject } from './text.ts';

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
  const total = totalOf(flags);
  const idempotencyKey = idempotencyKeyOf(operation, flags);
  const shape = shapeOf(operation);
  await checkOutput(shape.columns, settings);
  const target = targetOf(settings, session.env, () => credentials.current());
  if (flags.dryRun || flags.curl) {
    if (needsPages(operation, total)) reporter.notice('Only the first of the requests is shown.');
    const preview = { operation, input, idempotencyKey, total, settings, target };
    return flags.curl ? printAsCurl(preview, session) : printAsJson(preview, session);
  }
  const facts = { operation, target, key: await credentials.require(target) };
  const out = await printerFor(shape, settings, session);
  const method = methodFor({ ...facts, settings }, session);
  try {
    if (operation.pagination) await printList(method(input), total, operation, out, session);
    else await printResult(await method(input, { idempotencyKey }), operation, out);
  } catch (error) {
    throw explained(error, facts);
  }
}

async function printResult(data: unknown, { successes }: Operation, out: Printer): Promise<void> {
  // With several successes, the client says which one it is.
  const body = successes.length > 1 && isObject(data) ? data.data : data;
  if (body !== undefined) await out.write([body]);
  await out.end();
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
  if (new RegExp(declared.schema.pattern ?? '').test(text)) return text;
  throw new UsageError(
    '--idempotency-key is not a valid key.',
    'Use visible ASCII characters without spaces, for example a UUID.',
  );
}

/** Whether so many results are more than one page can have. */
function needsPages({ pagination, fields }: Operation, total: number | undefined): boolean {
  if (!pagination || total === undefined) return false;
  const largest = fields[pagination.limit]?.schema.maximum;
  return largest !== undefined && total > largest;
}
