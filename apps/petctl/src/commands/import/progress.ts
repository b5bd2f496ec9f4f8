import type { Sink } from '../../io/io.ts';

/** How many records came to which end so far. */
export interface Counts {
  created: number;
  existing: number;
  valid: number;
  failed: number;
  unknown: number;
}

/** `3 created, 1 failed`: the ends that there were, and what every import is expected to tell of. */
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
  /** Draws it anew, not more often than an eye can follow. */
  draw(): void;
  /** Takes it away, for what is written in its place. */
  clear(): void;
}

const BLANK = '\r\u001b[K';

/** A progress bar on a terminal, and nothing elsewhere. */
export function progressBar(stderr: Sink, quiet: boolean, part: () => number | undefined, counts: Counts): Progress {
  if (!stderr.isTerminal || quiet) return { draw: () => {}, clear: () => {} };
  let [drawn, shown] = [0, false];
  return {
    draw: () => {
      const now = performance.now();
      if (shown && now - drawn < 100) return;
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
