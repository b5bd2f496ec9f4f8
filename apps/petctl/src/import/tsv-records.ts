import { type Operation, typeIn } from '@petstore/types';
import { UsageError } from '../errors.ts';
import { unescapeTsvCell } from '../output/escapes.ts';
import { shapeOf } from '../output/printer.ts';
import {
  checkColumns,
  columnNames,
  type ImportRecord,
  inputOfCells,
  knownColumns,
  linesOf,
  type RecordFile,
} from './record.ts';

/**
 * The records of tab-separated lines as petctl prints them. If the first line does not name the columns, they are those that
 * a list has by default.
 */
export function tsvRecords(
  chunks: AsyncIterable<string>,
  firstLine: string,
  operation: Operation,
): RecordFile {
  const titles = firstLine.replace(/\r$/, '').split('\t');
  const known = knownColumns(operation);
  const named = columnNames(titles, known);
  if (named.every((name) => known.includes(name))) {
    checkColumns(named, known);
    const records = rows(chunks, named, operation, true);
    return { header: `${titles.join('\t')}\n`, records };
  }
  const { columns } = shapeOf(operation);
  if (titles.length !== columns.length)
    throw new UsageError(
      'This looks like tab-separated values without the names of the columns.',
      `Add a first line with names, such as ${columns.join('<Tab>')}, or use CSV.`,
    );
  return { header: '', records: rows(chunks, columns, operation, false) };
}

async function* rows(
  chunks: AsyncIterable<string>,
  names: readonly string[],
  operation: Operation,
  hasHeader: boolean,
): AsyncGenerator<ImportRecord> {
  let number = 0;
  let isHeader = hasHeader;
  for await (const line of linesOf(chunks)) {
    number++;
    if (line.trim() === '') continue;
    const isSkipped = isHeader;
    isHeader = false;
    if (isSkipped) continue;
    const place = `line ${number}`;
    const text = line.replace(/\r$/, '');
    yield {
      place,
      text,
      input: () => {
        const cells = text.split('\t').map((cell, i) => cellOf(cell, names[i] ?? '', operation));
        return inputOfCells(cells, names, operation, place, unescapeTsvCell);
      },
    };
  }
}

/** An empty cell is an empty string where the property is a required string, else a missing value. */
function cellOf(cell: string, name: string, { fields }: Operation): string | undefined {
  if (cell !== '') return cell;
  const field = fields[name];
  return field?.required && typeIn(field.schema) === 'string' ? '' : undefined;
}
