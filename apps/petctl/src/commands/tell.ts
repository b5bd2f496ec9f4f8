import { noticeLine } from '../errors/notice.ts';
import type { Invocation } from '../invocation.ts';
import { inJson } from '../out/output-options.ts';

/** Says something on stderr that is neither a result nor an error. */
export async function tell({ io, flags, settings }: Invocation, message: string): Promise<void> {
  if (!flags.has('quiet')) await io.stderr.write(noticeLine(message, inJson(settings)));
}
