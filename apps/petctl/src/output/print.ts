import type { Io } from '../io/process-io.ts';
import type { Invocation } from '../parse/command.ts';
import type { ResolvedSettings } from '../settings/resolve.ts';
import { type Output, settings } from '../settings/settings.ts';
import { asRow, type Format, formats, type Shape } from './format.ts';

/** The number of buffered characters at which the buffer is written. */
const MAX_BUFFERED = 16_384;
/** The longest time that a row waits in the buffer. */
const MAX_WAIT_MS = 50;

/** Writes rows to stdout in the selected format, as they arrive. */
export async function print(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  shape: Shape,
  invocation: Invocation,
): Promise<void> {
  const { flags, settings: userSettings, io } = invocation;
  const { stdout } = io;
  // With --fields, the columns are the properties that the flag names.
  const selected = selectProperties(rows, flags.has('fields') ? shape.columns : undefined);
  const filter = flags.get('jq');
  const output = outputFormat(userSettings, io, shape.defaultFormat);
  if (typeof filter === 'string') {
    const { printFiltered } = await import('./jq.ts');
    return printFiltered(selected, shape, filter, output === 'jsonl', stdout);
  }

  // A table needs a sample of its rows to compute its widths. The other formats print the first row at once.
  const { sample, rest } = output === 'table' ? await takeSample(selected) : { sample: [], rest: selected };
  const format = await formatFor(output, shape, sample, invocation);
  let text = format.head;
  let count = 0;
  let timer: NodeJS.Timeout | undefined;
  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    const part = text;
    text = '';
    await stdout.write(part);
  };
  const write = (row: unknown) => {
    text += format.row(row, count++);
  };
  sample.forEach(write);
  try {
    for await (const row of rest) {
      write(row);
      // This error is ignored, because the next write, which is awaited, throws the error again.
      timer ??= setTimeout(() => void flush().catch(() => {}), MAX_WAIT_MS);
      if (text.length < MAX_BUFFERED) continue;
      await flush();
      if (stdout.isClosed()) return;
    }
  } catch (error) {
    // Prints the rows that arrived before the error.
    if (count > 0) await flush();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  text += format.tail?.(count) ?? '';
  await flush();
}

async function formatFor(
  output: Output,
  shape: Shape,
  sample: readonly unknown[],
  { flags, io, settings: userSettings }: Invocation,
): Promise<Format> {
  const { isTerminal, columns } = io.stdout;
  if (output !== 'table') return formats[output](shape, isTerminal);
  const { table } = await import('./table.ts');
  const width = isTerminal ? columns || 80 : Number.POSITIVE_INFINITY;
  return table(shape, sample, width, isColored(flags, io, userSettings));
}

/** The output format: the setting, else the default of the command, else a table on a terminal and tab-separated in a pipe. */
export function outputFormat(userSettings: ResolvedSettings, { stdout }: Io, defaultFormat?: Output): Output {
  return userSettings.get(settings.output).value ?? defaultFormat ?? (stdout.isTerminal ? 'table' : 'tsv');
}

/**
 * Whether to use colours on stdout. The first of these decides: the flag, NO_COLOR, FORCE_COLOR, the setting. Otherwise, a
 * terminal has colours, unless TERM is `dumb`.
 */
export function isColored(flags: Invocation['flags'], { env, stdout }: Io, userSettings?: ResolvedSettings): boolean {
  // The setting includes the flag, but NO_COLOR and FORCE_COLOR override only other sources of the setting.
  const flag = flags.get(settings.color.flag.name);
  if (typeof flag === 'boolean') return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return userSettings?.get(settings.color).value ?? (stdout.isTerminal && env.TERM !== 'dumb');
}

/** Rejects an invalid `--jq` filter, before anything is sent. */
export async function checkFilter(flags: Invocation['flags']): Promise<void> {
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('./jq.ts')).rejectInvalidFilter(filter);
}

/** Reduces each row to the properties with these names, in this order. Without names, the rows are unchanged. */
async function* selectProperties(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  names: readonly string[] | undefined,
): AsyncGenerator<unknown, undefined> {
  for await (const row of rows) {
    const values = asRow(row);
    yield names
      ? Object.fromEntries(names.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]))
      : row;
  }
}

/** The maximum number of rows that the widths of a table are computed from. */
const SAMPLE_SIZE = 100;
/** The longest time from the first row of the sample to the last. */
const MAX_SAMPLING_MS = 200;

/** Splits the rows into a sample, which ends after SAMPLE_SIZE rows or MAX_SAMPLING_MS, and the rest. */
async function takeSample(
  rows: AsyncGenerator<unknown, undefined>,
): Promise<{ sample: unknown[]; rest: AsyncIterable<unknown> }> {
  const sample: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  let timeout: Promise<undefined> | undefined;
  // The read in progress. If the sample ends before the read does, `rest` continues with the read.
  let next = rows.next();
  while (sample.length < SAMPLE_SIZE) {
    // If a read fails, the sample ends. `rest` throws the error after the sample is printed.
    const result = await Promise.race(timeout ? [next, timeout] : [next]).catch(() => undefined);
    if (!result || result.done) break;
    sample.push(result.value);
    timeout ??= new Promise((resolve) => {
      timer = setTimeout(resolve, MAX_SAMPLING_MS, undefined);
    });
    next = rows.next();
  }
  clearTimeout(timer);
  async function* rest() {
    for (let result = await next; !result.done; result = await rows.next()) yield result.value;
  }
  return { sample, rest: rest() };
}
