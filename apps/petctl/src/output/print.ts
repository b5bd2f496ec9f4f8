import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { ConnectionError } from '@petstore/client';
import { CliError, OutputError } from '../io/errors.ts';
import type { Io } from '../io/process-io.ts';
import { escapeControlsInLines } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import type { ResolvedSettings } from '../settings/resolve.ts';
import { type Output, settings } from '../settings/settings.ts';
import { asRow, type Format, formats, type Shape } from './format.ts';

/** The length of the text to buffer before a write. */
const MAX_BUFFERED = 16_384;
/** The longest time that a row waits in the buffer. */
const MAX_WAIT_MS = 50;

/** Writes rows to stdout in the selected format, as they arrive. */
export async function print(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  shape: Shape,
  invocation: Invocation,
): Promise<void> {
  const { flags, settings: resolved, io } = invocation;
  const { stdout } = io;
  const selected = selectProperties(rows, flags.has('fields') ? shape.columns : undefined);
  const filter = flags.get('jq');
  const output = outputFormat(resolved, io, shape.defaultFormat);
  if (typeof filter === 'string') {
    const { printFiltered } = await import('./jq.ts');
    return printFiltered(selected, shape, filter, output === 'jsonl', stdout);
  }

  // Only a table needs rows to compute its widths.
  const { sample, rest } = output === 'table' ? await takeSample(selected) : { sample: [], rest: selected };
  const format = await formatFor(output, shape, sample, invocation);
  let [text, count] = [format.head, 0];
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
      // A failed write fails again with the next part.
      timer ??= setTimeout(() => void flush().catch(() => {}), MAX_WAIT_MS);
      if (text.length < MAX_BUFFERED) continue;
      await flush();
      if (stdout.isClosed()) return;
    }
  } catch (error) {
    // Writes the rows before the error.
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
  { flags, io, settings: resolved }: Invocation,
): Promise<Format> {
  const { isTerminal, columns } = io.stdout;
  if (output !== 'table') return formats[output](shape, isTerminal);
  const { table } = await import('./table.ts');
  const width = isTerminal ? columns || 80 : Number.POSITIVE_INFINITY;
  return table(shape, sample, width, isColored(flags, io, resolved));
}

/** The output format: the setting, else the default of the command, else a table on a terminal and tab-separated in a pipe. */
export function outputFormat(resolved: ResolvedSettings, { stdout }: Io, defaultFormat?: Output): Output {
  return resolved.get(settings.output).value ?? defaultFormat ?? (stdout.isTerminal ? 'table' : 'tsv');
}

/** Whether to use colours on stdout: by flag, NO_COLOR, FORCE_COLOR, setting, or terminal, in this order. */
export function isColored(flags: Invocation['flags'], { env, stdout }: Io, resolved?: ResolvedSettings): boolean {
  const flag = flags.get(settings.color.flag.name);
  if (typeof flag === 'boolean') return flag;
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return resolved?.get(settings.color).value ?? (stdout.isTerminal && env.TERM !== 'dumb');
}

/** Rejects an invalid `--jq` filter, before anything is sent. */
export async function checkFilter(flags: Invocation['flags']): Promise<void> {
  const filter = flags.get('jq');
  if (typeof filter === 'string') await (await import('./jq.ts')).rejectInvalidFilter(filter);
}

/** The rows with only these properties, or unchanged. */
async function* selectProperties(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  names: readonly string[] | undefined,
): AsyncGenerator<unknown, undefined> {
  for await (const row of rows) {
    const values = asRow(row);
    yield names ? Object.fromEntries(names.filter((name) => name in values).map((name) => [name, values[name]])) : row;
  }
}

/** The number of rows that decide the widths of a table, and the longest time that the first one waits for the others. */
const SAMPLE_SIZE = 100;
const MAX_SAMPLING_MS = 200;

/** The first rows that arrive in time, and the rest. */
async function takeSample(
  rows: AsyncGenerator<unknown, undefined>,
): Promise<{ sample: unknown[]; rest: AsyncIterable<unknown> }> {
  const sample: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isLate: Promise<undefined> | undefined;
  let next = rows.next();
  while (sample.length < SAMPLE_SIZE) {
    // After a failure, `rest` throws, behind the earlier rows.
    const result = await Promise.race(isLate ? [next, isLate] : [next]).catch(() => undefined);
    if (!result || result.done) break;
    sample.push(result.value);
    isLate ??= new Promise((resolve) => {
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

/** Writes text and bytes unchanged, except that text on a terminal has its control characters escaped. */
export async function writeBody(body: unknown, { io, flags }: Invocation): Promise<void> {
  const { stdout } = io;
  const file = flags.get('output-file');
  const parts = body instanceof ReadableStream ? received(body, io) : [String(body)];
  if (typeof file === 'string') return writeFile(file, parts);
  for await (const part of parts) {
    const isText = typeof part === 'string' && stdout.isTerminal;
    await stdout.write(isText ? escapeControlsInLines(part) : part);
    // Returning cancels the response.
    if (stdout.isClosed()) return;
  }
}

/** The bytes of a response as they arrive. */
async function* received(body: ReadableStream<Uint8Array>, { interrupted }: Io): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    interrupted.throwIfAborted();
    throw new ConnectionError('The connection broke within the response', { cause });
  }
}

/** Replaces a file atomically, or writes directly to anything else, for example a pipe. */
async function writeFile(file: string, parts: AsyncIterable<Uint8Array> | Iterable<string>): Promise<void> {
  const isPlain = !existsSync(file) || statSync(file).isFile();
  const scratch = isPlain ? `${file}.${process.pid}.tmp` : file;
  // Loaded here, because most calls do not write a file.
  const { pipeline } = await import('node:stream/promises');
  const out = createWriteStream(scratch);
  try {
    await pipeline(parts, out);
    if (isPlain) renameSync(scratch, file);
  } catch (error) {
    // The file may still be opening, and would appear after its removal.
    if (!out.closed) await new Promise((resolve) => out.once('close', resolve));
    if (isPlain) rmSync(scratch, { force: true });
    const isReported = error instanceof ConnectionError || error instanceof CliError;
    throw isReported ? error : new OutputError(error);
  }
}
