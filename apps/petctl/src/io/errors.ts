/** What was perhaps meant by a word; worked out only when it is told. */
export interface Meant {
  readonly word: string;
  readonly candidates: readonly string[];
  readonly otherwise: string;
}

/** The command line, a file or the configuration makes no sense. Nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly hint: string | Meant | undefined;

  constructor(message: string, hint?: string | Meant) {
    super(message);
    this.hint = hint;
  }
}

/** Some of a batch failed. */
export class PartialError extends Error {
  override readonly name = 'PartialError';
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/** Results could not be written. */
export class OutputError extends Error {
  override readonly name = 'OutputError';

  constructor(cause: Error, what = 'The results') {
    super(`${what} could not be written.`, { cause });
  }
}

/** The body of a success is of another kind than the interface says: it comes from something else than the service. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError';
}

/** The filter of --jq failed for results that came: what was asked for is done. */
export class FilterError extends Error {
  override readonly name = 'FilterError';
}

/** What ends a run from outside, and the exit code that shells expect for it. */
export const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The user pressed Ctrl-C, or the system asked the program to end. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  readonly exit: number;

  constructor(signal: keyof typeof signals = 'SIGINT') {
    super(signal === 'SIGINT' ? 'Interrupted.' : `Interrupted by ${signal}.`);
    this.exit = signals[signal];
  }
}

/** What to say of a word that is not known. */
export function suggestion(word: string, candidates: readonly string[], otherwise: string): Meant {
  return { word, candidates, otherwise };
}

const MAX_EDITS = 3;

/** The candidate that a misspelt word was meant to be, if one is close enough. */
function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    // Each letter that one of them has more is an edit; a word may be as long as a file.
    .filter(({ length }) => Math.abs(length - word.length) <= MAX_EDITS)
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits <= Math.max(candidate.length, word.length) / 2)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** A sentence that suggests what was meant, or says where to look. */
export function sentence({ word, candidates, otherwise }: Meant): string {
  const meant = closest(word, candidates);
  return meant === undefined ? otherwise : `Did you mean '${meant}'?`;
}

/** How many letters have to be added, removed, changed or swapped with the next (Damerau). */
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
