import type { Invocation } from '../parse/node.ts';
import { asRow, csv, type Format, json, jsonl, type Shape, tsv, yaml } from './format.ts';
import { colored, outputOf } from './options.ts';

/** Text is gathered up to this length, so that a long list is not written row by row. */
const MAX_GATHERED = 16_384;
/** No row waits longer than this for those behind it. */
const MAX_WAIT_MS = 50;

/** Writes rows to stdout in the format that was asked for, as they come. */
export async function print(
  rows: Iterable<unknown> | AsyncIterable<unknown>,
  shape: Shape,
  invocation: Invocation,
): Promise<void> {
  const { flags, settings, io } = invocation;
  const { stdout } = io;
  const shown = picked(rows, shape, flags.has('fields'));
  const filter = flags.get('jq');
  const output = outputOf(settings, io, shape.usually);
  if (typeof filter === 'string') {
    const { printFiltered } = await import('./jq.ts');
    return printFiltered(shown, shape, filter, output === 'jsonl', stdout);
  }

  // Only a table has to see rows before it can write the first.
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
      // What goes wrong here goes wrong with the next part too.
      timer ??= setTimeout(() => void flush().catch(() => {}), MAX_WAIT_MS);
      if (text.length < MAX_GATHERED) continue;
      await flush();
      if (stdout.gone()) return;
    }
  } catch (error) {
    // Rows that came are shown, whatever happens behind them.
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

/** The rows with nothing but the members that were asked for. */
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

/** How many rows settle the widths of a table's columns, and how long the first waits for the others. */
const SAMPLE_SIZE = 100;
const MAX_SAMPLING_MS = 200;

/** The first rows, those that come soon after the very first, and all behind them. */
async function take(
  rows: AsyncGenerator<unknown, undefined>,
  count: number,
): Promise<{ taken: unknown[]; rest: AsyncIterable<unknown> }> {
  const taken: unknown[] = [];
  let timer: NodeJS.Timeout | undefined;
  let isLate: Promise<undefined> | undefined;
  let next = rows.next();
  while (taken.length < count) {
    // Where it fails, the rows before it come first: `rest` throws.
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
