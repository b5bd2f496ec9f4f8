import { isDeepStrictEqual } from 'node:util';
import { printJson } from './exact.ts';
import type { Report } from './report.ts';

/** Reports two values that should be equal. */
export function expectEqual(report: Report, cause: string, found: unknown, wanted: unknown): void {
  if (!isDeepStrictEqual(found, wanted)) report(cause, `${shown(found)}, not ${shown(wanted)}`);
}

/** The beginning of a value. */
export function shown(value: unknown): string {
  return printJson(value).slice(0, 120);
}
