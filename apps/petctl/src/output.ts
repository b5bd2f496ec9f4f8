import { exactJson, type Operation, propertiesOf, resolved, typeIn } from '@petstore/types';
import type { Command } from 'commander';
import { CliError, UsageError } from './errors.ts';
import { asRow, type Format, tableFormat, textFormats } from './formats.ts';
import { checkNames } from './input.ts';
import { settingsOf } from './settings.ts';
import { codeOf, escapeLines } from './text.ts';

/** Prints results as they arrive. */
export interface Printer {
  write(rows: readonly unknown[]): Promise<void>;
  end(): Promise<void>;
}

/** A printer for the format of a command. `known` are the members of a row as far as the spec names them. */
export async function printer(
  known: readonly string[],
  isList: boolean,
  command: Command,
): Promise<Printer> {
  const { output = process.stdout.isTTY ? 'table' : 'tsv', fields, jq } = settingsOf(command);
  const names = fields === undefined ? undefined : namesIn(fields);
  const select = (row: unknown) => (names === undefined ? row : selected(asRow(row), names));
  const format = async () => (output === 'table' ? tableFormat() : textFormats(isList)[output]);
  const inner =
    jq === undefined
      ? formatted(await format(), names ?? known)
      : filtered(jq, output === 'jsonl', isList);
  return { write: (rows) => inner.write(rows.map(select)), end: inner.end };
}

/** Throws for an unknown name in --fields, and for a filter that is invalid or has a format that it does not print. */
export async function checkOutput(operation: Operation, command: Command): Promise<void> {
  const { output = 'json', fields, jq } = settingsOf(command);
  const columns = columnsOf(operation);
  if (fields !== undefined && columns.length > 0) checkNames(namesIn(fields), columns, '--fields');
  if (jq === undefined) return;
  if (!output.startsWith('json') && command.getOptionValueSource('output') === 'cli')
    throw new UsageError(
      `--jq prints what the filter makes, not ${output}.`,
      'Use it with -o json or -o jsonl.',
    );
  // Without an input, the filter is compiled and not run.
  const { stderr } = await runJq('', jq);
  // The exit code of a syntax error is 3, but a filter can also end with any code.
  if (/^jq: \d+ compile errors?$/m.test(stderr))
    throw new UsageError(`--jq: ${firstLine(stderr)}.`);
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
  throw new CliError(
    'unwritten',
    `The results could not be written (${codeOf(failure)}).`,
    'Check for a full disk.',
  );
}

function formatted(format: Format, known: readonly string[]): Printer {
  let columns = known;
  let isEmpty = true;
  const textOf = (rows: readonly unknown[]) => {
    if (isEmpty && columns.length === 0) columns = Object.keys(asRow(rows[0] ?? {}));
    let text = isEmpty ? format.head(columns, rows) : '';
    for (const row of rows) {
      text += format.row(row, columns, isEmpty);
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

function selected(row: Readonly<Record<string, unknown>>, names: readonly string[]): unknown {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(row, name)).map((name) => [name, row[name]]),
  );
}

function namesIn(fields: string): string[] {
  return [...new Set(fields.split(',').map((name) => name.trim()))];
}

/** Prints what a filter makes of each row as it arrives, or at the end of the whole result. */
function filtered(filter: string, isEach: boolean, isList: boolean): Printer {
  const all: unknown[] = [];
  const filterText = async (text: string) => {
    const { stdout, stderr, exitCode } = await runJq(text, filter);
    await write(escapeLines(stdout === '' || stdout.endsWith('\n') ? stdout : `${stdout}\n`));
    if (exitCode === 0) return;
    throw new CliError(
      'unwritten',
      `--jq: ${firstLine(stderr)}.`,
      'The request itself succeeded: fix the filter.',
    );
  };
  return {
    write: async (rows) => {
      if (isEach) await filterText(rows.map((row) => exactJson(row)).join('\n'));
      else all.push(...rows);
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
    throw new CliError(
      'unwritten',
      '--jq: the filter needs too much memory.',
      'Check it for endless recursion.',
    );
  });
}

function firstLine(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  return line.replace(/^jq: (error(:| \(at [^)]*\):?) )?/, '').replace(/[.:]$/, '');
}
