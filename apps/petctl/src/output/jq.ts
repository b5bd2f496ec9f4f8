import { CliError, UsageError } from '../io/errors.ts';
import type { Io } from '../io/process-io.ts';
import { escapeControlsInLines } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';

/** Rejects an invalid `--jq` filter, before anything is sent. */
export async function checkFilter({ flags, io }: Invocation): Promise<void> {
  const filter = flags.get('jq');
  if (typeof filter !== 'string') return;
  const { stderr } = await runJq('null', filter, io);
  // The exit code of a syntax error is 3, but a filter can also end with any code.
  if (/^jq: \d+ compile errors?$/m.test(stderr))
    throw new UsageError(`--jq: ${messageOf(stderr)}.`, "A filter is, for example, '.[].name'.");
}

/** Filters the JSON values of a text, until the first failure, and writes the results: strings as text, everything else as JSON. */
export async function writeFiltered(values: string, filter: string, io: Io): Promise<void> {
  const { stdout, stderr, exitCode } = await runJq(values, filter, io);
  await io.stdout.write(escapeControlsInLines(stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`));
  if (exitCode !== 0)
    throw new CliError('unwritten', `--jq: ${messageOf(stderr)}.`, 'The request itself succeeded: fix the filter.');
}

async function runJq(text: string, filter: string, { blocking }: Io) {
  // Loaded on demand: a megabyte of WebAssembly.
  const { raw } = await import('jq-wasm');
  // After `--`, jq does not take a filter such as `-length` for an option.
  return blocking(() => raw(text, filter, ['-r', '-c', '--'])).catch((error: Error) => {
    // An endless filter aborts jq (RuntimeError), or its result exceeds the maximum length of a string (RangeError).
    if (!/^(Runtime|Range)Error$/.test(error.name)) throw error;
    throw new CliError('unwritten', '--jq: the filter needs too much memory.', 'Check it for endless recursion.');
  });
}

function messageOf(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error(:| \(at [^)]*\):?) )?/, '').replace(/[.:]$/, '');
}
