import type { OutputStream } from '../output/output-stream.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** A line on a terminal that shows how much of a file is done. It is erased before anything else is written. */
export class ProgressBar {
  readonly #stderr: OutputStream;
  readonly #isShown: boolean;
  /** In bytes; 0 if it is not known. */
  readonly #size: number;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(stderr: OutputStream, isShown: boolean, size: number) {
    this.#stderr = stderr;
    this.#isShown = isShown;
    this.#size = size;
  }

  /** So many bytes more are done. Draws the bar with a summary behind it, but not too often. */
  advance(bytes: number, summary: string): void {
    this.#done += bytes;
    if (performance.now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = performance.now();
    // A line that wraps could not be erased.
    const width = (this.#stderr.columns ?? 80) - 1;
    this.#show((this.#bar() + summary).slice(0, width));
  }

  clear(): void {
    this.#show('');
  }

  #bar(): string {
    if (this.#size === 0) return '';
    const share = Math.min(1, this.#done / this.#size);
    const filled = '#'.repeat(share * BAR_WIDTH).padEnd(BAR_WIDTH, '-');
    return `[${filled}] ${Math.floor(share * 100)} %  `;
  }

  #show(line: string): void {
    if (this.#isShown) this.#stderr.writeAndForget(`\r\u001b[K${line}`);
  }
}
