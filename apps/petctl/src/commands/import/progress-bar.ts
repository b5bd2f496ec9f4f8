import { truncate } from '../../output/table.ts';
import type { Invocation } from '../../parse/command.ts';

const REDRAW_MS = 100;
const ERASE_LINE = '\r\u001b[K';

export type ProgressBar = ReturnType<typeof progressBar>;

/** A progress bar with a text behind it, drawn only if stderr is a terminal that can erase a line, and without --quiet and --verbose. */
export function progressBar({ io, flags }: Invocation, progress: () => number | undefined, text: () => string) {
  const { stderr, env } = io;
  const isHidden = !stderr.isTerminal || env.TERM === 'dumb' || flags.has('quiet') || flags.has('verbose');
  if (isHidden) return { draw: () => {}, clear: () => {} };
  let [drawnAt, isVisible] = [0, false];
  return {
    /** Draws the bar; redraws a visible one at most ten times a second. */
    draw: () => {
      const now = performance.now();
      if (isVisible && now - drawnAt < REDRAW_MS) return;
      [drawnAt, isVisible] = [now, true];
      // A bar that wraps could not be erased.
      void stderr.write(ERASE_LINE + truncate(barOf(progress()) + text(), (stderr.columns || 80) - 1));
    },
    /** Removes the bar before other output. */
    clear: () => {
      if (isVisible) void stderr.write(ERASE_LINE);
      isVisible = false;
    },
  };
}

/** `[####----]  50 %`; empty if the length of the file is unknown. */
function barOf(progress: number | undefined): string {
  if (progress === undefined) return '';
  const [width, full] = [24, Math.round(progress * 24)];
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${String(Math.floor(progress * 100)).padStart(3)} %  `;
}
