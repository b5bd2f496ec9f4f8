/** An error that says what to do. */
class HintedError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** The command line, a file or the configuration is invalid. Nothing was sent. */
export class UsageError extends HintedError {
  override readonly name = 'UsageError';
}

/** Some records of an import failed. */
export class PartialError extends HintedError {
  override readonly name = 'PartialError';
}

/** The results could not be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(cause: Error, what = 'The results') {
    super(`${what} could not be written`, { cause });
  }
}

/** A successful response does not match the interface, so something other than the service sent it. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/** The --jq filter failed for a result. The request itself succeeded. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/** The signals that end a run, with the exit codes that shells expect. */
export const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The user pressed Ctrl-C, or the system ended the program. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exit: number;

  constructor(signal: keyof typeof signals = 'SIGINT') {
    super(signal === 'SIGINT' ? 'Interrupted.' : `Interrupted by ${signal}.`);
    this.exit = signals[signal];
  }
}

/** The system's code of an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

const MAX_EDITS = 3;

/** A hint that names the candidate closest to a misspelt word, or the fallback if none is close. */
export function suggestion(word: string, candidates: readonly string[], fallback: string): string {
  const [closest] = candidates
    // A difference in length is at least as many edits. Words can be as long as a file, so this comes first.
    .filter(({ length }) => Math.abs(length - word.length) <= MAX_EDITS)
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits <= Math.max(candidate.length, word.length) / 2)
    .sort((a, b) => a.edits - b.edits);
  return closest ? `Did you mean '${closest.candidate}'?` : fallback;
}

/** The Damerau distance: letters to add, remove, change or swap with the next. */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const [above = 0, diagonal = 0, left = 0] = [row[j + 1], row[j], next[j]];
      const swapped = from[i] === to[j - 1] && from[i - 1] === to[j] ? (before[j - 1] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(above + 1, left + 1, diagonal + (from[i] === to[j] ? 0 : 1), swapped));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
