import type { Io, Sink } from '../io/process-io.ts';
import { jsonText } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import type { ResolvedSettings } from '../settings/resolve.ts';
import { type Output, settings } from '../settings/settings.ts';
import { asRow, type Format, formats, type Shape } from './format.ts';
import { writeFiltered } from './jq.ts';

type Rows = Iterable<unknown> | AsyncIterable<unknown>;

/** When a buffer is written: at a number of characters, or after a time. */
interface BufferLimits {
  readonly maxLength: number;
  readonly maxWaitMs: number;
}

const OUTPUT_BUFFER: BufferLimits = { maxLength: 16_384, maxWaitMs: 50 };
/** Each run of jq costs as much as thousands of rows. */
const FILTER_BUFFER: BufferLimits = { maxLength: 262_144, maxWaitMs: 100 };

/** Writes rows to stdout in the selected format, or filtered, as they arrive. */
export async function print(rows: Rows, shape: Shape, invocation: Invocation): Promise<void> {
  const { flags, userSettings, io } = invocation;
  const { stdout } = io;
  // With --fields, the columns are the properties that the flag names.
  const selected = selectProperties(rows, flags.has('fields') ? shape.columns : undefined);
  const filter = flags.get('jq');
  const output = outputFormat(userSettings, io);
  if (typeof filter === 'string') {
    const writeJson = (text: string) => writeFiltered(text, filter, io);
    if (output === 'jsonl')
      return writeBuffered(textsOf(selected, formats.jsonl(shape, false)), writeJson, stdout, FILTER_BUFFER);
    const all: unknown[] = [];
    for await (const row of selected) all.push(row);
    return writeJson(jsonText(shape.list ? all : all[0]));
  }

  const write = (all: AsyncIterable<unknown>, format: Format) =>
    writeBuffered(textsOf(all, format), stdout.write, stdout, OUTPUT_BUFFER);
  if (output !== 'table') return write(selected, formats[output](shape, stdout.isTerminal));
  const { table } = await import('./table.ts');
  // A table needs a sample of its rows to compute its widths. The other formats print the first row at once.
  const { sample, all } = await takeSample(selected);
  const width = stdout.isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
  await write(all, table(shape, sample, width, isColored(flags, io, userSettings)));
}

/** Yields the text of each row, the first with the head of the format. */
async function* textsOf(rows: AsyncIterable<unknown>, { head, row: textOf, tail }: Format): AsyncGenerator<string> {
  let count = 0;
  for await (const row of rows) yield (count === 0 ? head : '') + textOf(row, count++);
  yield (count === 0 ? head : '') + (tail?.(count) ?? '');
}

/** Joins texts into fewer writes. If `texts` throws, the texts before the error are written first. Returns early if stdout is closed. */
async function writeBuffered(
  texts: AsyncIterable<string>,
  write: (text: string) => Promise<void>,
  stdout: Sink,
  { maxLength, maxWaitMs }: BufferLimits,
): Promise<void> {
  let buffer = '';
  let timer: NodeJS.Timeout | undefined;
  let hasFailed = false;
  let written = Promise.resolve();
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    const text = buffer;
    buffer = '';
    // Each write waits for the one before, because jq is asynchronous. After an error, each `flush` rejects with it.
    if (text !== '') written = written.then(() => write(text));
    return written;
  };
  const flushOnTimer = () =>
    flush().catch(() => {
      hasFailed = true;
    });
  try {
    for await (const text of texts) {
      buffer += text;
      timer ??= setTimeout(flushOnTimer, maxWaitMs);
      if (buffer.length < maxLength && !hasFailed) continue;
      await flush();
      if (stdout.isClosed()) return;
    }
  } finally {
    await flush();
  }
}

/** The output format: the setting, else the default of the command, else a table on a terminal and tab-separated in a pipe. */
export function outputFormat(userSettings: ResolvedSettings, { stdout }: Io): Output {
  return userSettings.get(settings.output).value ?? (stdout.isTerminal ? 'table' : 'tsv');
}

/**
 * Whether to use colours on stdout. The first of these decides: the flag, NO_COLOR, FORCE_COLOR, the setting. Otherwise, a
 * terminal has colours, unless TERM is `dumb`.
 */
export function isColored(flags: Invocation['flags'], { env, stdout }: Io, userSettings?: ResolvedSettings): boolean {
  // The setting includes the flag, but of its sources only the flag overrides NO_COLOR and FORCE_COLOR.
  const flag = flags.get(settings.color.flag.name);
  if (typeof flag === 'boolean') return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return userSettings?.get(settings.color).value ?? (stdout.isTerminal && env.TERM !== 'dumb');
}

/** Reduces each row to the properties with these names, in this order. Without names, the rows are unchanged. */
async function* selectProperties(rows: Rows, names?: readonly string[]): AsyncGenerator<unknown, undefined> {
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

/** Takes a sample of the rows, which ends after SAMPLE_SIZE rows or MAX_SAMPLING_MS. `all` yields the sample, then the other rows. */
async function takeSample(rows: AsyncGenerator<unknown, undefined>) {
  const sample: unknown[] = [];
  let timeout: Promise<undefined> | undefined;
  // `all` reports the error of a read, perhaps much later. Until then, the error has to count as handled.
  const read = () => {
    const result = rows.next();
    result.catch(() => {});
    return result;
  };
  // The read in progress. If the sample ends before the read does, `all` continues with the read.
  let next = read();
  while (sample.length < SAMPLE_SIZE) {
    // If a read fails, the sample ends. `all` throws the error after the sample.
    const result = await Promise.race(timeout ? [next, timeout] : [next]).catch(() => undefined);
    if (!result || result.done) break;
    sample.push(result.value);
    timeout ??= new Promise((resolve) => setTimeout(resolve, MAX_SAMPLING_MS, undefined).unref());
    next = read();
  }
  async function* all() {
    yield* sample;
    for (let result = await next; !result.done; result = await rows.next()) yield result.value;
  }
  return { sample, all: all() };
}
