import { CliError, UsageError } from '../io/errors.ts';
import type { Sink } from '../io/process-io.ts';
import { escapeControlsInLines, jsonText } from '../io/text.ts';
import type { Shape } from './format.ts';

/** jq's exit code for a filter that it cannot parse. */
const SYNTAX_ERROR = 3;

/** Throws if jq cannot parse the filter. */
export async function rejectInvalidFilter(filter: string): Promise<void> {
  const { exitCode, stderr } = await runJq('null', filter);
  if (exitCode === SYNTAX_ERROR)
    throw new UsageError(`--jq: ${messageOf(stderr)}.`, "'petctl help formatting' has examples.");
}

/** The number of characters at which a batch of rows is filtered. Each run of jq costs as much as thousands of rows. */
const MAX_BATCH_LENGTH = 262_144;
/** The longest time that a batch waits for further rows. */
const MAX_WAIT_MS = 100;

/** Filters each row, or the whole list, and writes the results: strings as text, everything else as JSON. */
export async function printFiltered(
  rows: AsyncIterable<unknown>,
  { list }: Shape,
  filter: string,
  isPerRow: boolean,
  stdout: Sink,
): Promise<void> {
  const allRows: unknown[] = [];
  let batch = '';
  let batchStart = performance.now();
  const flush = async () => {
    const part = batch;
    batch = '';
    batchStart = performance.now();
    if (part !== '') await writeFiltered(part, filter, stdout);
  };
  try {
    for await (const row of rows) {
      if (!isPerRow) {
        allRows.push(row);
        continue;
      }
      batch += `${jsonText(row)}\n`;
      if (batch.length < MAX_BATCH_LENGTH && performance.now() - batchStart < MAX_WAIT_MS) continue;
      await flush();
      if (stdout.isClosed()) return;
    }
  } catch (error) {
    await flush();
    throw error;
  }
  if (!isPerRow) batch = jsonText(list ? allRows : allRows[0]);
  await flush();
}

/** Writes the filter's results for the JSON values of a text, until the first failure. */
async function writeFiltered(values: string, filter: string, out: Sink): Promise<void> {
  const { stdout, stderr, exitCode } = await runJq(values, filter);
  await out.write(escapeControlsInLines(stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`));
  if (exitCode !== 0)
    throw new CliError('unwritten', `--jq: ${messageOf(stderr)}.`, 'The request itself succeeded: fix the filter.');
}

async function runJq(text: string, filter: string) {
  // Loaded on demand: a megabyte of WebAssembly.
  const { raw } = await import('jq-wasm');
  return raw(text, filter, ['-r', '-c']);
}

function messageOf(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error: )?/, '').replace(/[.:]$/, '');
}
