import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { ConnectionError } from '@petstore/client';
import { InterruptedError, OutputError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import { escapeControlsInLines } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import { asRow, csv, type Format, json, jsonl, type Shape, tsv, yaml } from './format.ts';
import { colored, outputOf } from './options.ts';

/** The length of text to buffer before a write. */
const MAX_BUFFERED = 16_384;
/** The longest wait of a row for later ones. */
const MAX_WAIT_MS = 50;

/** Writes rows to stdout in the selected format, as they arrive. */
export async function print(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  shape: Shape,
  invocation: Invocation,
): Promise<void> {
  const { flags, settings, io } = invocation;
  const { stdout } = io;
  const shown = picked(rows, shape, flags.has('fields'));
  const filter = flags.get('jq');
  const output = outputOf(settings, io, shape.defaultFormat);
  if (typeof filter === 'string') {
    const { printFiltered } = await import('./jq.ts');
    return printFiltered(shown, shape, filter, output === 'jsonl', stdout);
  }

  // Only a table needs rows to compute its widths.
  const { taken, rest } = output === 'table' ? await take(shown, SAMPLE_SIZE) : { taken: [], rest: shown };
  const format = await formatFor();
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
  taken.forEach(write);
  try {
    for await (const row of rest) {
      write(row);
      // A failed write fails again with the next part.
      timer ??= setTimeout(() => void flush().catch(() => {}), MAX_WAIT_MS);
      if (text.length < MAX_BUFFERED) continue;
      await flush();
      if (stdout.gone()) return;
    }
  } catch (error) {
    // Writes the rows before the error.
    if (count > 0) await flush();
    throw error;
  } finally {
    clearTimeout(timer);
  }
  text += format.tail(count);
  await flush();

  async function formatFor(): Promise<Format> {
    switch (output) {
      case 'table': {
        const { table } = await import('./table.ts');
        const columns = stdout.isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY;
        return table(shape, taken, columns, colored(flags, io, settings));
      }
      case 'csv':
        return csv(shape);
      case 'yaml':
        return yaml(shape);
      case 'json':
        return json(shape, stdout.isTerminal);
      case 'jsonl':
        return jsonl();
      case 'tsv':
        return tsv(shape);
    }
  }
}

/** The rows with only the selected members. */
async function* picked(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  { columns }: Shape,
  some: boolean,
): AsyncGenerator<unknown, undefined> {
  for await (const row of rows) {
    const values = asRow(row);
    yield some ? Object.fromEntries(columns.filter((name) => name in values).map((name) => [name, values[name]])) : row;
  }
}

/** The number of rows that decide the widths of a table, and how long the first one waits. */
const SAMPLE_SIZE = 100;
const MAX_SAMPLING_MS = 200;

/** The first rows that arrive in time, and the rest. */
async function take(
  rows: AsyncGenerator<unknown, undefined>,
  count: number,
): Promise<{ taken: unknown[]; rest: AsyncIterable<unknown> }> {
  const taken: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isLate: Promise<undefined> | undefined;
  let next = rows.next();
  while (taken.length < count) {
    // After a failure, `rest` throws, behind the earlier rows.
    const result = await Promise.race(isLate ? [next, isLate] : [next]).catch(() => undefined);
    if (!result || result.done) break;
    taken.push(result.value);
    isLate ??= new Promise((resolve) => {
      timer = setTimeout(resolve, MAX_SAMPLING_MS, undefined);
    });
    next = rows.next();
  }
  clearTimeout(timer);
  async function* rest() {
    for (let result = await next; !result.done; result = await rows.next()) yield result.value;
  }
  return { taken, rest: rest() };
}

/** Writes text and bytes unchanged. On a terminal, text cannot inject escape sequences. */
export async function writeBody(body: unknown, { io, flags }: Invocation): Promise<void> {
  const { stdout } = io;
  const file = flags.get('output-file');
  const parts = body instanceof ReadableStream ? received(body, io) : [String(body)];
  if (typeof file === 'string') return writeFile(file, parts);
  for await (const part of parts) {
    const isText = typeof part === 'string' && stdout.isTerminal;
    await stdout.write(isText ? escapeControlsInLines(part) : part);
    // Returning cancels the response.
    if (stdout.gone()) return;
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

/** Replaces a file atomically. Writes anything else, for example a pipe, directly. */
async function writeFile(file: string, parts: AsyncIterable<Uint8Array> | Iterable<string>): Promise<void> {
  const isPlain = !existsSync(file) || statSync(file).isFile();
  const scratch = isPlain ? `${file}.${process.pid}.tmp` : file;
  // Loaded here, because most calls write no file.
  const { pipeline } = await import('node:stream/promises');
  const out = createWriteStream(scratch);
  try {
    await pipeline(parts, out);
    if (isPlain) renameSync(scratch, file);
  } catch (error) {
    // The file may still be being opened, and would appear after it was removed.
    if (!out.closed) await new Promise((resolve) => out.once('close', resolve));
    if (isPlain) rmSync(scratch, { force: true });
    const isOurs = error instanceof ConnectionError || error instanceof InterruptedError;
    throw isOurs || !(error instanceof Error) ? error : new OutputError(error);
  }
}
