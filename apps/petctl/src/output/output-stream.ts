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

/** stdout or stderr. A reader that is gone is no error: what is written after that is dropped. */
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

  /** How many characters a line of the terminal has; 80 where that is not known. */
  get width(): number {
    return (this.isTerminal && this.#target.columns) || 80;
  }

  /** Whether the reader is gone, as `head` is after its lines. */
  get isClosed(): boolean {
    if (this.#failure === undefined) return false;
    const code = codeOf(this.#failure);
    // A terminal that is gone; for a file, it is a broken disk.
    return closedCodes.includes(code) || (code === 'EIO' && this.isTerminal);
  }

  /**
   * Resolves when the text is written, or dropped. Throws for any failure but a reader that is
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

  /** Writes what nobody waits for. There is no place to report a failure of stderr. */
  writeAndForget(text: string): void {
    this.write(text).catch(() => {});
  }

  /** Resolves when nothing is on its way any more. */
  async flush(): Promise<void> {
    // Whoever wrote has the error.
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
