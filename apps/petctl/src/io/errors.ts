import { closest } from '../old.ts';

/** The exit codes. Scripts rely on them: never change a meaning. */
export const exitCodes = {
  ok: { exit: 0, meaning: 'success' },
  bug: { exit: 1, meaning: 'a bug in petctl; please report it' },
  unwritten: { exit: 1, meaning: 'the results could not be written, or the --jq filter failed on them' },
  usage: { exit: 2, meaning: 'the command, a file or a setting is invalid; nothing was sent' },
  unreachable: { exit: 3, meaning: 'the service could not be reached in time' },
  unauthorized: { exit: 4, meaning: 'the API key is missing, or the service rejected it (401, 403)' },
  not_found: { exit: 5, meaning: 'not found (404)' },
  rejected: { exit: 6, meaning: 'the service rejected the request (any other 4xx), or redirected it (3xx)' },
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
  return status >= 300 && status < 500 ? 'rejected' : 'failed';
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

/** The command line, a file or a setting is invalid. Nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}

/** A response that the spec does not allow, so something other than the service sent it. */
export class ResponseError extends CliError {
  constructor(message: string) {
    super('failed', message, 'Check --base-url; -v shows the request.');
  }
}

/** The errors of calls whose input cannot be sent. */
export const unsendableInputErrors = new WeakSet<Error>();

/** The hints of errors whose usual hint does not fit the command. */
export const errorHints = new WeakMap<Error, string>();

/** A proxy of the environment: its address without credentials, and the scheme of the requests that it is for. */
interface Proxy {
  readonly origin: string;
  readonly scheme: string;
}

/** The errors of requests that failed at a proxy, with the proxy. */
export const proxyErrors = new WeakMap<Error, Proxy>();

/** The results could not be written. */
export class OutputError extends CliError {
  constructor(cause: unknown, what = 'The results') {
    super('unwritten', `${what} could not be written (${systemCode(cause)}).`, 'Check for a full disk.');
  }
}

/** The signals that end a run, with the exit codes that shells expect. */
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export type SignalName = keyof typeof signals;
export const signalNames: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The user pressed Ctrl-C, or the system ended the program. */
export class InterruptedError extends CliError {
  readonly signal: SignalName;

  constructor(signal: SignalName = 'SIGINT') {
    const message = signal === 'SIGINT' ? 'Interrupted.' : `Interrupted by ${signal}.`;
    super('interrupted', message, undefined, signals[signal]);
    this.signal = signal;
  }
}

/** The system's code of an error, else the message. */
export function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}

/** A hint that names the candidate closest to a misspelt word, or the fallback if none is close. */
export function suggestion(
  word: string,
  candidates: readonly string[],
  fallback = `Use one of ${candidates.join(', ')}.`,
): string {
  // The dashes of flags are equal in all candidates, so they are no similarity.
  const withoutDashes = (text: string) => text.replace(/^-+/, '');
  const best = closest(withoutDashes(word), candidates, withoutDashes);
  return best === undefined ? fallback : `Did you mean '${best}'?`;
}
