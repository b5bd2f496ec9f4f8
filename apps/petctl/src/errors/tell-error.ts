import type { Io } from '../io.ts';
import { described } from './described.ts';
import { isJsonOutput } from './is-json-output.ts';
import { errorLine } from './report.ts';

/** Tells of an error, on one line, and gives the exit code that goes with it. */
export async function tellError(error: unknown, argv: readonly string[], { stderr, env }: Io): Promise<number> {
  const what = described(error);
  await stderr.write(errorLine(what, isJsonOutput(argv, env)));
  return what.exit;
}
