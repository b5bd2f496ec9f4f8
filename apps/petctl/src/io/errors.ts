/** The exit codes. Scripts rely on them: never change a meaning. */
export const exitCodes = {
  ok: { exit: 0, meaning: 'success' },
  bug: { exit: 1, meaning: 'a bug in petctl; please report it' },
  unwritten: { exit: 1, meaning: 'or the results could not be written, or filtered by --jq' },
  usage: { exit: 2, meaning: 'the command, a file or the configuration is invalid; nothing was sent' },
  unreachable: { exit: 3, meaning: 'the service could not be reached in time' },
  unauthorized: { exit: 4, meaning: 'the API key is missing, or the service rejected it (401, 403)' },
  not_found: { exit: 5, meaning: 'not found (404)' },
  refused: {
    exit: 6,
    meaning: 'the service rejected the request (any other 4xx), or redirected it (3xx)',
  },
  rate_limited: { exit: 7, meaning: 'too many requests, even after the retries (429)' },
  failed: { exit: 8, meaning: 'the service failed, even after the retries (5xx), or its response is invalid' },
  partial: { exit: 9, meaning: 'some records of an import failed' },
  interrupted: { exit: 130, meaning: 'interrupted with Ctrl-C; 143 by SIGTERM, 129 by SIGHUP' },
} as const;

export type ErrorKind = keyof typeof exitCodes;

/** The kind of error for the status of an unsuccessful response. */
export function errorKindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 300 && status < 500 ? 'refused' : 'failed';
}

/** An error that ends petctl with the exit code of its kind. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  /** What to do. */
  readonly hint: string | undefined;
  readonly exit: number;

  constructor(kind: ErrorKind, message: string, hint?: string, exit: number = exitCodes[kind].exit) {
    super(message);
    this.kind = kind;
    this.hint = hint;
    this.exit = exit;
  }
}

/** The command line, a file or the configuration is invalid. Nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}

/** A successful response does not match the interface, so something other than the service sent it. */
export class ResponseError extends CliError {
  constructor(message: string) {
    super('failed', message, 'Check --base-url; -v shows the request.');
  }
}

/** The results could not be written. */
export class OutputError extends CliError {
  constructor(cause: unknown, what = 'The results') {
    super('unwritten', `${what} could not be written (${systemCode(cause)}).`, 'Check for a full disk.');
  }
}

/** The signals that end a run, with the exit codes that shells expect. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/** The user pressed Ctrl-C, or the system ended the program. */
export class InterruptedError extends CliError {
  constructor(signal: keyof typeof signals = 'SIGINT') {
    const message = signal === 'SIGINT' ? 'Interrupted.' : `Interrupted by ${signal}.`;
    super('interrupted', message, undefined, signals[signal]);
  }
}

/** The system's code of an error or its cause, else the message. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.message : systemCode(error.cause);
}

const MAX_EDITS = 3;

/** A hint that names the candidate closest to a misspelt word, or the fallback if none is close. */
export function suggestion(
  word: string,
  candidates: readonly string[],
  fallback = `Use one of ${candidates.join(', ')}.`,
): string {
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
