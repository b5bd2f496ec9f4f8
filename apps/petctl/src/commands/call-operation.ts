import type { Page, PageCall } from '@petstore/client';
import type { Operation } from '@petstore/types';
import type { InputValues } from '../input.ts';
import type { Printer } from '../output/printer.ts';
import { methodFor } from '../service/client.ts';
import { explainError } from '../service/explain-error.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { isObject, kebab } from '../text.ts';

/** A call of an operation, as the command line asks for it. */
export interface RequestedCall {
  readonly operation: Operation;
  readonly settings: Settings;
  readonly input: InputValues;
  /** The number of wanted results; undefined for one page. */
  readonly wanted: number | undefined;
  readonly idempotencyKey: string | undefined;
}

/** Calls an operation, and prints its result. */
export async function callOperation(
  call: RequestedCall,
  out: Printer,
  session: Session,
): Promise<void> {
  const { operation, settings, input, wanted, idempotencyKey } = call;
  const key = await session.credentials.keyFor(settings.target);
  const setup = { operation, settings, key };
  const method = methodFor(setup, session);
  try {
    if (operation.pagination) await printList(method(input), wanted, operation, out, session);
    else await printResult(await method(input, { idempotencyKey }), operation, out);
  } catch (error) {
    throw explainError(error, setup);
  }
}

async function printResult(data: unknown, { successes }: Operation, out: Printer): Promise<void> {
  // With several success statuses, the client returns the status beside the data.
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
    // The client is about to request the next page. Let it do so before a slow reader blocks stdout.
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
  return `${notice}, or --${kebab(pagination.cursor)} ${cursor} for the results that follow.`;
}
