import type { Sink } from '../../io/io.ts';

/** The number of records by outcome. */
export interface Counts {
  created: number;
  existing: number;
  valid: number;
  failed: number;
  unknown: number;
}

/** `3 created, 1 failed`: the outcomes that occurred. */
export function summary({ created, existing, valid, failed, unknown }: Counts): string {
  const parts = [
    [valid, 'valid'],
    [created, 'created'],
    [existing, 'already there'],
    [failed, 'failed'],
    [unknown, 'unknown'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return shown.length > 0 ? shown.join(', ') : 'nothing to import';
}

export interface Progress {
  /** Redraws it, at most ten times a second. */
  draw(): void;
  /** Removes it before other output. */
  clear(): void;
}

const REDRAW_MS = 100;
const BLANK = '\r\u001b[K';

/** A progress bar on a terminal, and nothing elsewhere. */
export function progressBar(stderr: Sink, quiet: boolean, part: () => number | undefined, counts: Counts): Progress {
  if (!stderr.isTerminal || quiet) return { draw: () => {}, clear: () => {} };
  let [drawn, shown] = [0, false];
  return {
    draw: () => {
      const now = performance.now();
      if (shown && now - drawn < REDRAW_MS) return;
      [drawn, shown] = [now, true];
      void stderr.write(`${BLANK}${bar(part())}${summary(counts)}`);
    },
    clear: () => {
      if (shown) void stderr.write(BLANK);
      shown = false;
    },
  };
}

function bar(part: number | undefined): string {
  if (part === undefined) return '';
  const [width, full] = [24, Math.round(part * 24)];
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${String(Math.floor(part * 100)).padStart(3)} %  `;
}
