/** What each exit code means: scripts rely on them, so they never change their meaning. */
export const exitCodes = {
  ok: { exit: 0, meaning: 'it worked' },
  bug: { exit: 1, meaning: 'petctl itself failed; please report it' },
  unwritten: { exit: 1, meaning: 'or its results could not be written' },
  usage: { exit: 2, meaning: 'the command, a file or the configuration makes no sense; nothing was sent' },
  unreachable: { exit: 3, meaning: 'the service could not be reached, or took too long' },
  unauthorized: { exit: 4, meaning: 'there is no API key, or the service does not take it (401, 403)' },
  not_found: { exit: 5, meaning: 'there is no such thing (404)' },
  refused: { exit: 6, meaning: 'the service does not take the request as it is (any other 4xx)' },
  rate_limited: { exit: 7, meaning: 'too many requests, even after the retries (429)' },
  failed: { exit: 8, meaning: 'the service failed, even after the retries (5xx), or its answer made no sense' },
  partial: { exit: 9, meaning: 'some of a batch failed' },
  interrupted: { exit: 130, meaning: 'interrupted with Ctrl-C' },
} as const;

export type Ending = keyof typeof exitCodes;

/** How a run ends when the service answered with a status that is no success. */
export function endingOf(status: number): Ending {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 400 && status < 500 ? 'refused' : 'failed';
}
