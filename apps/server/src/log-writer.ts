import { fstatSync, write as writeAsync, writeSync } from 'node:fs';
import { LOG_EXIT_MS, LOG_FLUSH_BYTES, LOG_FLUSH_MS, LOG_RETRY_MS, MAX_LOG_BUFFER_BYTES } from './limits.ts';

/**
 * Writes lines to a file descriptor in the background. Writing never throws or blocks: if the disk is full or the reader is slow,
 * lines beyond the buffer are dropped and counted.
 */
export class LogWriter {
  /** The number of dropped lines since the start. */
  lost = 0;
  readonly #fd: number;
  readonly #isPipe: boolean;
  readonly #onRecovery: (lost: number) => void;
  /** The bytes for the next write. Each line is encoded while the processor's cache holds it. */
  #buffer = Buffer.allocUnsafeSlow(2 * LOG_FLUSH_BYTES);
  #used = 0;
  /** The text that did not fit into the buffer. */
  #overflow = '';
  /** The bytes that are being written, or that remain from a write that failed or was incomplete. */
  #unwritten: Buffer = EMPTY;
  /** The buffer of the running write. Each write swaps the two buffers. */
  #writingBuffer = Buffer.allocUnsafeSlow(2 * LOG_FLUSH_BYTES);
  #isWriting = false;
  #timer: NodeJS.Timeout | undefined;
  #reportedLost = 0;

  /** Calls `onRecovery` with the number of lost lines when writing works again. */
  constructor(fd: number, onRecovery: (lost: number) => void) {
    this.#fd = fd;
    const stats = fstatSync(fd);
    this.#isPipe = stats.isFIFO() || stats.isSocket();
    this.#onRecovery = onRecovery;
    process.on('exit', () => this.#flushNow());
  }

  /** Writes one or more lines. */
  write(lines: string): void {
    if (this.#overflow.length + lines.length > MAX_LOG_BUFFER_BYTES) return this.#countLost(lines);
    // A UTF-16 code unit takes up to three bytes in UTF-8, so this is the space that the lines need at most.
    const fits = this.#overflow === '' && this.#used + 3 * lines.length <= this.#buffer.length;
    if (fits) this.#used += this.#buffer.write(lines, this.#used);
    else this.#overflow += lines;
    if (!fits || this.#used > LOG_FLUSH_BYTES) this.#flush();
    else this.#flushIn(LOG_FLUSH_MS);
  }

  /** Waits for a limited time until everything is written. Returns false if a write is still running then. */
  async close(): Promise<boolean> {
    await this.#pollFor(LOG_EXIT_MS, () => {
      this.#flush();
      return this.#isEmpty;
    });
    // A write that is still running gets the same time again.
    await this.#pollFor(LOG_EXIT_MS, () => !this.#isWriting);
    return !this.#isWriting;
  }

  async #pollFor(ms: number, isDone: () => boolean): Promise<void> {
    const deadline = performance.now() + ms;
    while (!isDone() && performance.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 5));
  }

  get #isEmpty(): boolean {
    return this.#used === 0 && this.#overflow === '' && this.#unwritten.length === 0;
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#flush();
    }, ms).unref();
  }

  #flush(): void {
    if (this.#isWriting || this.#isEmpty) return;
    this.#takeLines();
    if (this.#isPipe) {
      // Node made the pipe non-blocking, so this write cannot block.
      this.#handleResult(...tryWrite(this.#fd, this.#unwritten));
      return;
    }
    // A disk may be slow, so another thread writes.
    this.#isWriting = true;
    writeAsync(this.#fd, this.#unwritten, 0, this.#unwritten.length, null, (error, bytes) => {
      this.#isWriting = false;
      this.#handleResult(error, bytes);
    });
  }

  /** Moves the next lines to `#unwritten`, unless it still has bytes. */
  #takeLines(): void {
    if (this.#unwritten.length > 0) return;
    if (this.#used > 0) {
      this.#unwritten = this.#buffer.subarray(0, this.#used);
      [this.#buffer, this.#writingBuffer, this.#used] = [this.#writingBuffer, this.#buffer, 0];
    } else {
      this.#unwritten = Buffer.from(this.#overflow);
      this.#overflow = '';
    }
  }

  #handleResult(error: NodeJS.ErrnoException | null, bytes = 0): void {
    this.#unwritten = this.#unwritten.length === bytes ? EMPTY : this.#unwritten.subarray(bytes);
    if (error?.code === 'EPIPE') return this.#drop();
    if (error) return this.#flushIn(LOG_RETRY_MS);
    const unreported = this.lost - this.#reportedLost;
    if (unreported > 0 && this.#overflow.length < MAX_LOG_BUFFER_BYTES / 2) {
      this.#reportedLost = this.lost;
      this.#onRecovery(unreported);
    }
    if (!this.#isEmpty) this.#flushIn(this.#unwritten.length > 0 ? 0 : LOG_FLUSH_MS);
  }

  /** Drops everything, because the reader is gone. Later lines are still written, because a named pipe may get a new reader. */
  #drop(): void {
    this.#countLost(this.#unwritten.toString() + this.#buffer.toString('utf8', 0, this.#used) + this.#overflow);
    this.#unwritten = EMPTY;
    this.#used = 0;
    this.#overflow = '';
  }

  #countLost(lines: string): void {
    this.lost += lines.split('\n').length - 1;
  }

  /** Writes the last lines synchronously, because the process is exiting. */
  #flushNow(): void {
    // Node waits for the thread of a running write, so its bytes are not written again.
    if (this.#isWriting) this.#unwritten = EMPTY;
    const deadline = performance.now() + LOG_EXIT_MS;
    while (!this.#isEmpty && performance.now() < deadline) {
      this.#takeLines();
      const [error, bytes] = tryWrite(this.#fd, this.#unwritten);
      this.#unwritten = this.#unwritten.subarray(bytes);
      if (error && error.code !== 'EAGAIN') return;
      if (error) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

const EMPTY = Buffer.alloc(0);

function tryWrite(fd: number, bytes: Buffer): [NodeJS.ErrnoException | null, number] {
  try {
    return [null, writeSync(fd, bytes)];
  } catch (error) {
    return [error as NodeJS.ErrnoException, 0];
  }
}
