/** The exit codes and what they mean. Scripts rely on them. */
export const exitCodes = {
  bug: [1, 'a bug in petctl; please report it'],
  usage: [2, 'the command, a file or a setting is invalid; nothing was sent'],
  unreachable: [3, 'the service could not be reached in time'],
  unauthorized: [4, 'the API key is missing, or the service rejected it (401, 403)'],
  not_found: [5, 'not found (404)'],
  rejected: [
    6,
    'the service rejected the request (any other 4xx), redirected it (3xx), or is not at this address',
  ],
  rate_limited: [7, 'too many requests, even after the retries (429)'],
  failed: [8, 'the service failed, even after the retries (5xx), or its response is invalid'],
  partial: [9, 'some records of an import failed'],
  // Scripts may use 10 for results of their own.
  unwritten: [11, 'the results could not be written, or the --jq filter failed on them'],
  interrupted: [130, 'interrupted with Ctrl-C'],
  terminated: [143, 'ended by SIGTERM'],
} as const;

export type ErrorKind = keyof typeof exitCodes;

/** What the service says of an error besides its message. */
interface ErrorDetails {
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

/**
 * An error that ends petctl with the exit code of its kind. The message says what happened. The hint
 * says what to do.
 */
export class CliError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, hint?: string, details: ErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.hint = hint;
    this.details = details;
  }
}

/** The command line, a file or a setting is invalid. Nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, hint);
  }
}
