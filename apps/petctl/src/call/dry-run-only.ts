import type { Invocation } from '../invocation.ts';

/** Whether a request is only to be shown. */
export function dryRunOnly({ flags }: Invocation): boolean {
  return flags.has('dry-run') || flags.has('curl');
}
