import { CliError, exitCodes } from '../errors.ts';
import { escapeLine } from './escapes.ts';
import type { OutputStream } from './output-stream.ts';

/** Writes errors and notices on stderr, each on one line: as text, or as JSON where results are JSON. */
export class Reporter {
  readonly #stderr: OutputStream;
  #isJson = false;
  #isQuiet = false;

  constructor(stderr: OutputStream) {
    this.#stderr = stderr;
  }

  /** Is called with each value of `--output` as the command line is read, so that all errors have its format. */
  useFormatOf(output: string | undefined): void {
    this.#isJson = output === 'json' || output === 'jsonl';
  }

  hideNotices(): void {
    this.#isQuiet = true;
  }

  /** Writes an error, and returns its exit code. */
  error(thrown: unknown): number {
    const { kind, message, hint, details } = toCliError(thrown);
    const { code = kind, status = null, requestId = null } = details;
    const [exit] = exitCodes[kind];
    const data = { error: { code, message, status, requestId, exit, hint: hint ?? null } };
    const notes: string[] = [];
    if (status !== null) notes.push(`HTTP ${status}`);
    if (requestId !== null) notes.push(`request ${requestId}`);
    const parts = [message];
    if (notes.length > 0) parts.push(`(${notes.join(', ')})`);
    if (hint !== undefined) parts.push(hint);
    this.#writeLine(data, parts.join(' '));
    return exit;
  }

  /** Writes a notice, unless `--quiet` is set. */
  notice(message: string): void {
    if (!this.#isQuiet) this.#writeLine({ notice: { message } }, message);
  }

  /** Writes a line of `--verbose`. */
  trace(line: string): void {
    this.#stderr.writeAndForget(`${escapeLine(line)}\n`);
  }

  #writeLine(data: object, text: string): void {
    const line = this.#isJson ? JSON.stringify(data) : `petctl: ${text}`;
    this.#stderr.writeAndForget(`${escapeLine(line)}\n`);
  }
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof RangeError && error.message.includes('call stack'))
    return new CliError('failed', 'The data is nested too deeply.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('bug', text, 'This is a bug in petctl: please report it.');
}
