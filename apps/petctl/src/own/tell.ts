import { noticeLine } from '../errors/notice.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/asked.ts';

/** Says something on stderr that is neither a result nor an error. */
export async function tell({ around, flags, settings }: Invocation, message: string): Promise<void> {
  if (!flags.has('quiet')) await around.stderr.write(noticeLine(message, inJson(settings)));
}
