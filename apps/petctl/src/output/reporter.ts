import { CliError, exitCodes } from '../errors.ts';
import type { CommonOptions } from '../settings.ts';
import { escapeLine } from './escapes.ts';
import type { OutputStream } from './output-stream.ts';

/** Goes back to the beginning of the line, and erases it. */
const eraseLine = '\r\u001b[K';

/**
 * Writes errors and notices on stderr, each on one line: as text, or as JSON where results are
 * JSON.
 */
export class Reporter {
  readonly #stderr: OutputStream;
  readonly #options: CommonOptions;
  /** Whether a progress line is shown, which the next line replaces. */
  #hasProgress = false;

  constructor(stderr: OutputStream, options: CommonOptions) {
    this.#stderr = stderr;
    this.#options = options;
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
    this.#writeMessage(data, parts.join(' '));
    return exit;
  }

  /** Writes a notice, unless `--quiet` is set. */
  notice(message: string): void {
    if (!this.#options.isQuiet) this.#writeMessage({ notice: { message } }, message);
  }

  /** Writes a line of `--verbose`. */
  trace(line: string): void {
    this.#writeLine(line);
  }

  /**
   * Shows a line on a terminal until the next line of any kind is written. A long line is cut,
   * because a line that wraps could not be erased.
   */
  progress(line: string): void {
    const shown = line.slice(0, this.#stderr.width - 1);
    this.#stderr.writeAndForget(eraseLine + shown);
    this.#hasProgress = true;
  }

  /** Writes text, or data where results are JSON. */
  #writeMessage(data: object, text: string): void {
    this.#writeLine(this.#options.isJson ? JSON.stringify(data) : `petctl: ${text}`);
  }

  #writeLine(line: string): void {
    const erase = this.#hasProgress ? eraseLine : '';
    this.#hasProgress = false;
    this.#stderr.writeAndForget(`${erase}${escapeLine(line)}\n`);
  }
}

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** Shows on a terminal how much of a file is done. */
export class ProgressBar {
  readonly #reporter: Reporter;
  /** The size of the file in bytes; 0 if it is not known. */
  readonly #size: number;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(reporter: Reporter, size: number) {
    this.#reporter = reporter;
    this.#size = size;
  }

  /** Counts more bytes as done. Draws the bar with a summary after it, but not too often. */
  advance(bytes: number, summary: string): void {
    this.#done += bytes;
    if (performance.now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = performance.now();
    this.#reporter.progress(this.#bar() + summary);
  }

  #bar(): string {
    if (this.#size === 0) return '';
    const share = Math.min(1, this.#done / this.#size);
    const filled = '#'.repeat(share * BAR_WIDTH).padEnd(BAR_WIDTH, '-');
    return `[${filled}] ${Math.floor(share * 100)} %  `;
  }
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof RangeError && error.message.includes('call stack'))
    return new CliError('failed', 'The data is nested too deeply.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('bug', text, 'This is a bug in petctl: please report it.');
}
