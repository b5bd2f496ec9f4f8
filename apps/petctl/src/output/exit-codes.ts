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
