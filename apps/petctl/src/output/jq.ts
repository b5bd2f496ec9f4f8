import { exactJson } from '@petstore/types';
import { CliError, UsageError } from '../errors.ts';
import { escapeLines } from './escapes.ts';
import type { OutputStream } from './output-stream.ts';

interface JqOptions {
  readonly filter: string;
  /** Whether each row is filtered as it arrives. Otherwise the whole result is filtered at its end. */
  readonly isStreamed: boolean;
  readonly isList: boolean;
}

/** Prints results through a jq filter, as `jq -r` does. */
export class JqPrinter {
  readonly #options: JqOptions;
  readonly #stdout: OutputStream;
  readonly #rows: unknown[] = [];

  constructor(options: JqOptions, stdout: OutputStream) {
    this.#options = options;
    this.#stdout = stdout;
  }

  async write(rows: readonly unknown[]): Promise<void> {
    if (this.#options.isStreamed) await this.#print(rows.map((row) => exactJson(row)).join('\n'));
    else this.#rows.push(...rows);
  }

  async end(): Promise<void> {
    const { isStreamed, isList } = this.#options;
    if (isStreamed) return;
    if (isList) await this.#print(exactJson(this.#rows));
    else if (this.#rows.length > 0) await this.#print(exactJson(this.#rows[0]));
  }

  async #print(json: string): Promise<void> {
    const { stdout, stderr, exitCode } = await runJq(json, this.#options.filter);
    const text = rawLines(stdout);
    // In a pipe, each byte is as jq prints it.
    await this.#stdout.write(this.#stdout.isTerminal ? escapeLines(text) : text);
    if (exitCode === 0) return;
    throw new CliError(
      'unwritten',
      `--jq: ${reasonIn(stderr)}.`,
      'The request itself succeeded: fix the filter.',
    );
  }
}

/** Throws a UsageError for a filter that cannot be compiled. */
export async function checkFilter(filter: string): Promise<void> {
  // Without an input, the filter is compiled and not run.
  const { stderr } = await runJq('', filter);
  // The exit code is ambiguous: a syntax error has the code 3, but a filter can choose this code, too.
  if (/^jq: \d+ compile errors?$/m.test(stderr)) throw new UsageError(`--jq: ${reasonIn(stderr)}.`);
}

async function runJq(json: string, filter: string) {
  // Loaded on demand, because it is a megabyte of WebAssembly.
  const { raw } = await import('jq-wasm');
  // After `--`, jq does not take a filter such as `-length` for an option.
  return raw(json, filter, ['-c', '--']).catch((error: Error) => {
    // An endless filter aborts jq, or its result exceeds the longest string.
    if (!['RuntimeError', 'RangeError'].includes(error.name)) throw error;
    throw new CliError(
      'unwritten',
      '--jq: the filter needs too much memory.',
      'Check the filter for endless recursion.',
    );
  });
}

/**
 * Turns the output of `jq -c` into that of `jq -r`. `jq -r` itself cannot be used, because jq-wasm
 * trims the output, and white space at its ends may belong to a result.
 */
function rawLines(compact: string): string {
  if (compact === '') return '';
  const lines = compact.split('\n').map((line) => (line.startsWith('"') ? JSON.parse(line) : line));
  return `${lines.join('\n')}\n`;
}

/**
 * The reason in an error of jq: `reason` of `jq: error: reason`, and of `jq: error (at
 * /dev/stdin:0): reason`.
 */
function reasonIn(stderr: string): string {
  const [line = ''] = stderr.split('\n');
  const error = line.replace(/^jq: /, '').replace(/[.:]$/, '');
  if (!error.startsWith('error (at ')) return error.replace(/^error: /, '');
  const afterPlace = error.slice(error.indexOf(')') + 1);
  return afterPlace.replace(/^:? /, '');
}
