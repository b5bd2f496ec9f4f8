import type { Operation } from '@petstore/types';
import { noticeLine } from '../errors/notice.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/output-options.ts';
import { operationFlags } from '../tree/field-flags.ts';
import { rowsOf } from './run-operation.ts';

/**
 * Says on stderr that a list goes on behind its limit. That a page is full does not mean that there is another, so one
 * element is asked for; if that fails, the list itself was still shown.
 */
export async function tellIfTruncated(
  operation: Operation,
  data: unknown,
  { settings, io }: Invocation,
  ask: (page: Record<string, unknown>) => Promise<unknown>,
): Promise<void> {
  const { fields, pagination } = operation;
  const { cursor, key, limit } = pagination ?? {};
  if (cursor === undefined || key === undefined || limit === undefined || io.stdout.gone()) return;
  const shown = rowsOf(data);
  const after = Object(shown.at(-1))[key];
  const one = fields[limit]?.schema.minimum ?? 1;
  const more = await ask({ [cursor]: after, [limit]: one }).catch(() => []);
  if (rowsOf(more).length === 0) return;
  const flag = operationFlags(operation).find(({ field }) => field === cursor)?.name ?? cursor;
  const message = `Only ${shown.length} are shown, and there are more: --all shows all, --${flag} ${after} what follows.`;
  await io.stderr.write(noticeLine(message, inJson(settings)));
}
