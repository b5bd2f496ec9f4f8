import { FilterError, UsageError } from '../io/errors.ts';
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

/** One run of jq takes about this much: a run costs as much as thousands of rows. */
const MAX_BATCH = 262_144;
/** No row waits longer than this for those behind it. */
const MAX_WAIT_MS = 100;

/** Writes what a filter makes of each row, or of the whole. Texts are written as they are, everything else as JSON. */
export async function printFiltered(
  rows: AsyncIterable<unknown>,
  { list }: Shape,
  filter: string,
  each: boolean,
  stdout: Sink,
): Promise<void> {
  const whole: unknown[] = [];
  let [batch, since] = ['', performance.now()];
  const flush = async () => {
    const part = batch;
    [batch, since] = ['', performance.now()];
    if (part !== '') await writeFiltered(part, filter, stdout);
  };
  try {
    for await (const row of rows) {
      if (!each) {
        whole.push(row);
        continue;
      }
      batch += `${jsonText(row) ?? 'null'}\n`;
      if (batch.length < MAX_BATCH && performance.now() - since < MAX_WAIT_MS) continue;
      await flush();
      if (stdout.gone()) return;
    }
  } catch (error) {
    await flush();
    throw error;
  }
  if (!each) batch = jsonText(list ? whole : whole[0]) ?? 'null';
  await flush();
}

/** Writes what the filter makes of each JSON value in a text, up to one that it fails for. */
async function writeFiltered(values: string, filter: string, out: Sink): Promise<void> {
  const { stdout, stderr, exitCode } = await run(values, filter);
  await out.write(escapeControlsInLines(stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`));
  if (exitCode !== 0) throw new FilterError(`--jq: ${said(stderr)}.`);
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
