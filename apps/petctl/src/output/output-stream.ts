import type { Writable } from 'node:stream';
import { CliError } from '../errors.ts';
import { codeOf } from '../text.ts';

/** A stream to write to. A terminal may know its width. */
export type OutputTarget = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};

/** The codes of a pipe or a socket whose reader is gone. */
const closedCodes = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'];

/** stdout or stderr. If the reader is gone, later output is dropped, and that is not an error. */
export class OutputStream {
  readonly #target: OutputTarget;
  #failure: Error | undefined;
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(target: OutputTarget) {
    this.#target = target;
    target.on('error', (error) => this.#fail(error));
  }

  get isTerminal(): boolean {
    return this.#target.isTTY === true;
  }

  /** The number of characters in a line of the terminal; 80 if it is not known. */
  get width(): number {
    return (this.isTerminal && this.#target.columns) || 80;
  }

  /** Whether the reader is gone, as `head` is after its lines. */
  get isClosed(): boolean {
    if (this.#failure === undefined) return false;
    const code = codeOf(this.#failure);
    // For a terminal, EIO means that the terminal is gone. For a file, it means a broken disk.
    return closedCodes.includes(code) || (code === 'EIO' && this.isTerminal);
  }

  /**
   * Resolves when the text is written or dropped. Throws for any failure except that the reader is
   * gone.
   */
  async write(text: string): Promise<void> {
    if (this.#failure === undefined) {
      this.#lastWrite = this.#send(text);
      await this.#lastWrite;
    }
    if (this.#failure === undefined || this.isClosed) return;
    throw new CliError(
      'unwritten',
      `The results could not be written (${codeOf(this.#failure)}).`,
      'Check for a full disk.',
    );
  }

  /** Writes to stderr without waiting. A failure is dropped: there is no place to report it. */
  writeAndForget(text: string): void {
    this.write(text).catch(() => {});
  }

  /** Resolves when the last write has ended. */
  async flush(): Promise<void> {
    // The caller of `write` has got the error.
    await this.#lastWrite.catch(() => {});
  }

  #send(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#target.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
  }

  #fail(error: Error): void {
    this.#failure ??= error;
  }
}
