import { type Operation, propertiesOf, resolved, typeIn } from '@petstore/types';
import { checkNames } from '../input.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { asRow, type Format, textFormat } from './formats.ts';
import { checkFilter, JqPrinter } from './jq.ts';
import type { OutputStream } from './output-stream.ts';

/** Prints results as they arrive. */
export interface Printer {
  write(rows: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

/** What is known of results before they arrive. */
interface ResultShape {
  /** The properties of a row, as far as the spec names them. */
  readonly columns: readonly string[];
  readonly isList: boolean;
}

/**
 * A printer in the format that the settings select. Throws for an unknown name in --fields, and for
 * an invalid filter in --jq.
 */
export async function printerFor(
  shape: ResultShape,
  settings: Settings,
  session: Session,
): Promise<Printer> {
  const { stdout } = session;
  const { output, fields, jq } = settings;
  const names = fields === undefined ? undefined : namesIn(fields);
  if (names && shape.columns.length > 0) checkNames(names, shape.columns, '--fields');
  let printer: Printer;
  if (jq === undefined) {
    const format = await formatFor(shape, settings, session);
    printer = new RowPrinter(format, names ?? shape.columns, stdout);
  } else {
    await checkFilter(jq);
    const isStreamed = output === 'jsonl';
    printer = new JqPrinter({ filter: jq, isStreamed, isList: shape.isList }, stdout);
  }
  return names === undefined ? printer : withProperties(names, printer);
}

/** The shape of an operation's result. */
export function shapeOf({ responses, successes, pagination }: Operation): ResultShape {
  const schema = resolved(responses[successes[0] ?? '']?.schema ?? {});
  const row = typeIn(schema) === 'array' ? (schema.items ?? {}) : schema;
  return { columns: Object.keys(propertiesOf(row)), isList: pagination !== undefined };
}

async function formatFor(
  { isList }: ResultShape,
  settings: Settings,
  { stdout, env }: Session,
): Promise<Format> {
  const { output = stdout.isTerminal ? 'table' : 'tsv' } = settings;
  if (output !== 'table') return textFormat(output, isList);
  // Loaded on demand, because creating its segmenter of texts takes as long as a request.
  const { Table } = await import('./table.ts');
  const available = stdout.isTerminal ? stdout.width : undefined;
  const isBold = stdout.isTerminal && env.NO_COLOR === undefined && env.TERM !== 'dumb';
  return new Table(available, isBold);
}

/** Prints each row with a format. */
class RowPrinter implements Printer {
  readonly #format: Format;
  readonly #stdout: OutputStream;
  #columns: readonly string[];
  #isEmpty = true;

  constructor(format: Format, columns: readonly string[], stdout: OutputStream) {
    this.#format = format;
    this.#columns = columns;
    this.#stdout = stdout;
  }

  async write(rows: readonly unknown[]): Promise<void> {
    if (rows.length === 0) return;
    let text = this.#isEmpty ? this.#head(rows) : '';
    for (const row of rows) {
      text += this.#format.row(row, this.#columns, this.#isEmpty);
      this.#isEmpty = false;
    }
    await this.#stdout.write(text);
  }

  async end(): Promise<void> {
    const head = this.#isEmpty ? this.#head([]) : '';
    await this.#stdout.write(head + this.#format.tail(this.#isEmpty));
  }

  /**
   * The text before the rows. If the spec names no columns, the first row's properties become the
   * columns.
   */
  #head(rows: readonly unknown[]): string {
    if (this.#columns.length === 0) this.#columns = Object.keys(asRow(rows[0] ?? {}));
    return this.#format.head(this.#columns, rows);
  }
}

/** Prints rows with only these properties. */
function withProperties(names: readonly string[], printer: Printer): Printer {
  const selected = (row: unknown) => {
    const properties = asRow(row);
    const present = names.filter((name) => Object.hasOwn(properties, name));
    return Object.fromEntries(present.map((name) => [name, properties[name]]));
  };
  return {
    write: (rows) => printer.write(rows.map(selected)),
    end: () => printer.end(),
  };
}

function namesIn(fields: string): string[] {
  return [...new Set(fields.split(',').map((name) => name.trim()))];
}
