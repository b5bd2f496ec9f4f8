import type { Stats } from 'node:fs';
import type { Reporter } from '../output/reporter.ts';

const REDRAW_MS = 100;
const BAR_WIDTH = 24;

/** Shows on a terminal how much of a file is done. */
export class ProgressBar {
  readonly #reporter: Reporter;
  /** In bytes; 0 if it is not known. */
  readonly #size: number;
  #done = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(reporter: Reporter, stats: Stats | undefined) {
    this.#reporter = reporter;
    this.#size = stats?.size ?? 0;
  }

  /** So many bytes more are done. Draws the bar with a summary behind it, but not too often. */
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
