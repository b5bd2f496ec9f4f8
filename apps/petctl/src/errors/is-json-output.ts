import type { Io } from '../io.ts';
import { isJson } from '../out/output-options.ts';
import { resolve } from '../settings/resolve.ts';
import { settings } from '../settings/settings.ts';

/** Whether errors are to be JSON, also where the command line could not be read to its end: what it seems to ask for. */
export function isJsonOutput(argv: readonly string[], env: Io['env']): boolean {
  const { output, profile } = settings;
  const asked = given(argv, /^(?:--output|-o)$/, /^(?:--output=|-o=?)(.+)$/) ?? env[output.env];
  if (asked) return isJson(asked);
  const named = given(argv, /^--profile$/, /^--profile=(.+)$/);
  try {
    return isJson(resolve(new Map(named ? [[profile.flag.name, named]] : []), env).of(output).value);
  } catch {
    // A configuration that cannot be read is told of as text.
    return false;
  }
}

/** The value that a flag seems to have, in a word of its own or in the same. */
function given(argv: readonly string[], alone: RegExp, glued: RegExp): string | undefined {
  const values = argv.map((word, i) => glued.exec(word)?.[1] ?? (alone.test(word) ? argv[i + 1] : undefined));
  return values.find((value) => value !== undefined);
}
