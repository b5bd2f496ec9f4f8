import { UsageError } from '../io/errors.ts';
import type { Sink } from '../io/io.ts';
import { escapeControlsInLines, jsonText } from '../io/text.ts';
import type { Shape } from './format.ts';

/** What jq ends with when it cannot read a filter. */
const unreadable = 3;

/** Refuses a filter that jq cannot read, before anything is sent. */
export async function checkFilter(filter: string): Promise<void> {
  const { exitCode, stderr } = await run('null', filter);
  if (exitCode === unreadable) throw new UsageError(`--jq: ${said(stderr)}.`, "'petctl help formatting' has examples.");
}

/** Writes what a filter makes of each row, or of the whole. Texts are written as they are, everything else as JSON. */
export async function printFiltered(
  rows: AsyncIterable<unknown>,
  { list }: Shape,
  filter: string,
  each: boolean,
  stdout: Sink,
): Promise<void> {
  const whole: unknown[] = [];
  for await (const row of rows) {
    if (each) await stdout.write(await filtered(row, filter));
    else whole.push(row);
    if (stdout.gone()) return;
  }
  if (!each) await stdout.write(await filtered(list ? whole : whole[0], filter));
}

async function filtered(data: unknown, filter: string): Promise<string> {
  const { stdout, stderr, exitCode } = await run(jsonText(data) ?? 'null', filter);
  if (exitCode !== 0) throw new UsageError(`--jq: ${said(stderr)}.`);
  return stdout === '' || stdout.endsWith('\n') ? escapeControlsInLines(stdout) : `${escapeControlsInLines(stdout)}\n`;
}

async function run(text: string, filter: string) {
  // WebAssembly of a megabyte: loaded only when somebody asks for it.
  const { raw } = await import('jq-wasm');
  return raw(text, filter, ['-r', '-c']);
}

function said(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error: )?/, '').replace(/[.:]$/, '');
}
