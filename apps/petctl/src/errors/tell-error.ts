import type { Surroundings } from '../surroundings.ts';
import { described } from './described.ts';
import { errorLine } from './report.ts';
import { seemsJson } from './seems-json.ts';

/** Tells of an error, on one line, and gives the exit code that goes with it. */
export async function tellError(
  error: unknown,
  argv: readonly string[],
  { stderr, env }: Surroundings,
): Promise<number> {
  const what = described(error);
  await stderr.write(errorLine(what, seemsJson(argv, env)));
  return what.exit;
}
