import type { Page, PageCall } from '@petstore/client';
import type { Operation } from '@petstore/types';
import type { Printer } from './printer.ts';
import type { Session } from './session.ts';
import { isObject, kebab } from './text.ts';

/** Prints the pages of a list as they arrive, and says if the list is cut. `total` is undefined for one page. */
export async function printList(
  list: PageCall<unknown>,
  total: number | undefined,
  operation: Operation,
  out: Printer,
  session: Session,
): Promise<void> {
  let rows = 0;
  let last: Page<unknown> | undefined;
  for await (const page of pagesOf(list, total)) {
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
  total: number | undefined,
): AsyncGenerator<Page<unknown>> {
  if (total === undefined) yield await list.withResponse();
  else yield* list.pages({ max: total });
}

/** Says that a list is cut, and what to type for more. */
function cutNotice(rows: number, lastRow: unknown, { pagination }: Operation): string {
  const cursor = pagination && isObject(lastRow) ? lastRow[pagination.key] : undefined;
  const from =
    cursor === undefined || !pagination
      ? ''
      : `, or --${kebab(pagination.cursor)} ${cursor} for those that follow`;
  return `The list is cut after ${rows}, and there may be more. Use --all or --limit <number>${from}.`;
}
