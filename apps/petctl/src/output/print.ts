import type { Invocation } from '../parse/node.ts';
import { asRow, csv, type Format, json, jsonl, type Shape, tsv, yaml } from './format.ts';
import { colored, outputOf } from './options.ts';

/** Text is gathered up to this length, so that a long list is not written row by row. */
const enough = 16_384;

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
  const ahead = output === 'table' ? await take(shown, (await import('./table.ts')).sampleSize) : [];
  const format = await formatFor();
  let [text, count] = [format.head, 0];
  const write = (row: unknown) => {
    text += format.row(row, count++);
  };
  ahead.forEach(write);
  for await (const row of shown) {
    write(row);
    if (text.length < enough) continue;
    await stdout.write(text);
    text = '';
    if (stdout.gone()) return;
  }
  await stdout.write(text + format.tail(count));

  async function formatFor(): Promise<Format> {
    switch (output) {
      case 'table': {
        const { table } = await import('./table.ts');
        return table(
          shape,
          ahead,
          stdout.isTerminal ? stdout.columns || 80 : Number.POSITIVE_INFINITY,
          colored(settings, io),
        );
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

async function take(rows: AsyncGenerator<unknown, undefined>, count: number): Promise<unknown[]> {
  const taken: unknown[] = [];
  while (taken.length < count) {
    const { done, value } = await rows.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}
