import type { Sink } from '../../io/io.ts';

/** What a progress bar shows. */
export interface Counts {
  done: number;
  failed: number;
}

export interface Progress {
  /** Draws it anew, not more often than an eye can follow. */
  draw(): void;
  /** Takes it away, for what is written in its place. */
  clear(): void;
}

const blank = '\r\u001b[K';

/** A progress bar on a terminal, and nothing elsewhere. */
export function progressBar(stderr: Sink, quiet: boolean, part: () => number | undefined, counts: Counts): Progress {
  if (!stderr.isTerminal || quiet) return { draw: () => {}, clear: () => {} };
  let [drawn, shown] = [0, false];
  return {
    draw: () => {
      const now = performance.now();
      if (shown && now - drawn < 100) return;
      [drawn, shown] = [now, true];
      const failed = counts.failed > 0 ? `, ${counts.failed} failed` : '';
      void stderr.write(`${blank}${bar(part())}${counts.done} done${failed}`);
    },
    clear: () => {
      if (shown) void stderr.write(blank);
      shown = false;
    },
  };
}

function bar(part: number | undefined): string {
  if (part === undefined) return '';
  const [width, full] = [24, Math.round(part * 24)];
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${String(Math.floor(part * 100)).padStart(3)} %  `;
}
