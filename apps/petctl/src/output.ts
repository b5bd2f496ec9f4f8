import { closest, exactJson, type Operation, propertiesOf, resolved, typeIn } from '@petstore/types';
import type { Command } from 'commander';
import { CliError, UsageError } from './errors.ts';
import { asRow, type Format, tableFormat, textFormats } from './formats.ts';
import { settingsOf } from './settings.ts';
import { codeOf, escapeLines } from './text.ts';

/** Prints results as they arrive. */
export interface Printer {
  write(rows: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

/** A printer for the format of a command. `columns` are the members of a row as far as they are known. */
export async function printer(columns: readonly string[], isList: boolean, command: Command): Promise<Printer> {
  const { output, fields, jq } = settingsOf(command);
  const shape = { columns: fields === undefined ? columns : namesIn(fields), isSelected: fields !== undefined };
  if (jq !== undefined) return filtered(jq, output === 'jsonl', isList, shape);
  const format = output ?? (process.stdout.isTTY ? 'table' : 'tsv');
  return formatted(format === 'table' ? await tableFormat() : textFormats(isList)[format], shape);
}

/** Throws for options that do not fit together, for an unknown name in --fields, and for an invalid filter. */
export async function checkOutput(
  operation: Operation,
  command: Command,
  columns = columnsOf(operation),
): Promise<void> {
  const { output = 'json', fields = '', jq } = settingsOf(command);
  const unknown = namesIn(fields).find((name) => fields && columns.length > 0 && !columns.includes(name));
  if (unknown !== undefined) {
    const similar = closest(unknown, columns);
    throw new UsageError(
      `--fields: there is no member '${unknown}'.`,
      similar ? `Did you mean '${similar}'?` : `Use ${columns.join(', ')}.`,
    );
  }
  if (jq === undefined) return;
  if (!output.startsWith('json') && command.getOptionValueSource('output') === 'cli')
    throw new UsageError(`--jq prints what the filter makes, not ${output}.`, 'Use it with -o json or -o jsonl.');
  const { stderr } = await runJq('null', jq);
  // The exit code of a syntax error is 3, but a filter can also end with any code.
  if (/^jq: \d+ compile errors?$/m.test(stderr))
    throw new UsageError(`--jq: ${firstLine(stderr)}.`, "Such as '.[].name'.");
}

/** The members of an operation's result, of a list those of its elements; none if the spec does not name them. */
export function columnsOf({ responses, successes }: Operation): string[] {
  const schema = resolved(responses[successes[0] ?? '']?.schema ?? {});
  return Object.keys(propertiesOf(typeIn(schema) === 'array' ? (schema.items ?? {}) : schema));
}

let failure: unknown;
process.stdout.on('error', (error) => {
  failure ??= error;
});

/** Whether the reader of stdout is gone, as `head` after its lines. */
export function isClosed(): boolean {
  return codeOf(failure) === 'EPIPE';
}

/** Writes to stdout, and resolves when all is written. A closed pipe is no error. */
export async function write(text: string): Promise<void> {
  if (!failure) failure = await new Promise((done) => process.stdout.write(text, done));
  if (!failure || isClosed()) return;
  throw new CliError('unwritten', `The results could not be written (${codeOf(failure)}).`, {
    hint: 'Check for a full disk.',
  });
}

interface Shape {
  readonly columns: readonly string[];
  /** Whether `--fields` selects the columns. */
  readonly isSelected: boolean;
}

function formatted(format: Format, shape: Shape): Printer {
  let { columns } = shape;
  let isEmpty = true;
  const textOf = (rows: readonly unknown[]) => {
    if (isEmpty && columns.length === 0) columns = Object.keys(asRow(rows[0] ?? {}));
    let text = isEmpty ? format.head(columns, rows) : '';
    for (const row of rows) {
      text += format.row(selected(row, shape), columns, isEmpty);
      isEmpty = false;
    }
    return text;
  };
  return {
    write: async (rows) => {
      if (rows.length > 0) await write(textOf(rows));
    },
    end: () => write((isEmpty ? textOf([]) : '') + format.tail(isEmpty)),
  };
}

function selected(row: unknown, { columns, isSelected }: Shape): unknown {
  if (!isSelected) return row;
  const values = asRow(row);
  return Object.fromEntries(columns.filter((name) => Object.hasOwn(values, name)).map((name) => [name, values[name]]));
}

function namesIn(fields: string): string[] {
  return [...new Set(fields.split(',').map((name) => name.trim()))];
}

/** Prints what a filter makes of each row as it arrives, or at the end of the whole result. */
function filtered(filter: string, isEach: boolean, isList: boolean, shape: Shape): Printer {
  const all: unknown[] = [];
  const filterText = async (text: string) => {
    const { stdout, stderr, exitCode } = await runJq(text, filter);
    await write(escapeLines(stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`));
    if (exitCode === 0) return;
    throw new CliError('unwritten', `--jq: ${firstLine(stderr)}.`, {
      hint: 'The request itself succeeded: fix the filter.',
    });
  };
  return {
    write: async (rows) => {
      const shown = rows.map((row) => selected(row, shape));
      if (isEach) await filterText(shown.map((row) => exactJson(row)).join('\n'));
      else all.push(...shown);
    },
    end: async () => {
      if (!isEach && (isList || all.length > 0)) await filterText(exactJson(isList ? all : all[0]));
    },
  };
}

async function runJq(text: string, filter: string) {
  // Loaded on demand: a megabyte of WebAssembly.
  const { raw } = await import('jq-wasm');
  // After `--`, jq does not take a filter such as `-length` for an option.
  return raw(text, filter, ['-r', '-c', '--']).catch((error: Error) => {
    // An endless filter aborts jq, or its result exceeds the longest text.
    if (!/^(Runtime|Range)Error$/.test(error.name)) throw error;
    throw new CliError('unwritten', '--jq: the filter needs too much memory.', {
      hint: 'Check it for endless recursion.',
    });
  });
}

function firstLine(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error(:| \(at [^)]*\):?) )?/, '').replace(/[.:]$/, '');
}
