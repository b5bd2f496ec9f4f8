import { AbortedError, ConnectionError, PetstoreError, TimeoutError } from '@petstore/client';
import {
  FilterError,
  InterruptedError,
  OutputError,
  PartialError,
  ResponseError,
  sentence,
  UsageError,
} from '../io/errors.ts';
import { escapeControls } from '../io/text.ts';
import { NoCredentialError } from '../keys/credentials.ts';

/** What each exit code means: scripts rely on them, so they never change their meaning. */
export const exitCodes = {
  ok: { exit: 0, meaning: 'it worked' },
  bug: { exit: 1, meaning: 'petctl itself failed; please report it' },
  unwritten: { exit: 1, meaning: 'or its results could not be written, or filtered by --jq' },
  usage: { exit: 2, meaning: 'the command, a file or the configuration makes no sense; nothing was sent' },
  unreachable: { exit: 3, meaning: 'the service could not be reached, or took too long' },
  unauthorized: { exit: 4, meaning: 'there is no API key, or the service does not take it (401, 403)' },
  not_found: { exit: 5, meaning: 'there is no such thing (404)' },
  refused: {
    exit: 6,
    meaning: 'the service does not take the request as it is (any other 4xx), or redirects it (3xx)',
  },
  rate_limited: { exit: 7, meaning: 'too many requests, even after the retries (429)' },
  failed: { exit: 8, meaning: 'the service failed, even after the retries (5xx), or its answer made no sense' },
  partial: { exit: 9, meaning: 'some of a batch failed' },
  interrupted: { exit: 130, meaning: 'interrupted with Ctrl-C; 143 by SIGTERM, 129 by SIGHUP' },
} as const;

export type Ending = keyof typeof exitCodes;

/** How a run ends when the service answered with a status that is no success. */
export function endingOf(status: number): Ending {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 300 && status < 500 ? 'refused' : 'failed';
}

/** All that is said of an error, on one line or as JSON. */
export interface Described {
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly exit: number;
  readonly hint: string | null;
}

/** What there is to say of anything that was thrown. The only place that knows every error. */
export function described(error: unknown): Described {
  if (error instanceof PetstoreError) return answered(error);
  if (error instanceof UsageError)
    return plain('usage', error.message, typeof error.hint === 'object' ? sentence(error.hint) : error.hint);
  if (error instanceof NoCredentialError) return plain('unauthorized', error.message, loginHint(error));
  if (error instanceof PartialError) return plain('partial', error.message, error.hint);
  if (error instanceof AbortedError) return described(error.cause);
  if (error instanceof InterruptedError) return { ...plain('interrupted', error.message), exit: error.exit };
  // What the last attempt ended with says more than that no time was left for another.
  if (error instanceof TimeoutError && error.cause instanceof PetstoreError) return answered(error.cause);
  if (error instanceof TimeoutError)
    return { ...plain('unreachable', `${error.message}.`, 'Give it longer with --timeout.'), code: 'timeout' };
  if (error instanceof ConnectionError) {
    if (error.cause === undefined) return plain('failed', `${error.message}.`);
    const why = systemWord(error.cause);
    return plain(
      'unreachable',
      `${error.message}${why ? ` (${why})` : ''}.`,
      'Is it running there? --base-url and --deployment select another address.',
    );
  }
  if (error instanceof OutputError)
    return plain('unwritten', `${error.message.replace(/\.$/, '')} (${systemWord(error.cause)}).`, 'Is the disk full?');
  if (error instanceof ResponseError)
    return plain('failed', error.message, 'Is --base-url right? -v shows what was sent.');
  if (error instanceof FilterError) return plain('unwritten', error.message, 'The request itself was done.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return plain('bug', text, 'This is a bug in petctl: please report it.');
}

/** How to give the first combination of credentials. */
function loginHint({ needed: [schemes = []] }: NoCredentialError): string {
  const logins = schemes.map(({ isKey, name }) => `'petctl auth login${isKey ? '' : ` --scheme ${name}`}'`);
  return `Log in with ${logins.join(' and ')}, or set ${schemes.map(({ variable }) => variable).join(' and ')}.`;
}

function answered(error: PetstoreError): Described {
  const ending = endingOf(error.status);
  const target = error.status < 400 ? error.headers.get('location') : null;
  const redirect = target !== null && `The service is elsewhere: it redirects to ${target}.`;
  return {
    ...(redirect
      ? plain(ending, redirect, 'Give the address of the service that answers itself, with --base-url.')
      : plain(ending, error.message, error.status < 300 ? '-v shows the response.' : hints[ending])),
    code: error.code ?? ending,
    status: error.status,
    requestId: error.requestId ?? null,
  };
}

const hints: Partial<Record<Ending, string>> = {
  unauthorized: "'petctl auth status' shows which key was sent; 'petctl auth login' takes another.",
  not_found: 'Check the identifier; -v shows the request.',
  refused: 'Fix what the message names; -v shows what was sent.',
  rate_limited: 'Wait a moment and try again.',
  failed: 'Try again later; -v shows what was sent.',
};

function plain(ending: Ending, message: string, hint?: string): Described {
  return { code: ending, message, status: null, requestId: null, exit: exitCodes[ending].exit, hint: hint ?? null };
}

/** What the system called it, in the error or in what caused it. */
function systemWord(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error.cause === undefined ? error.message : systemWord(error.cause);
}

/** The line that tells of an error. */
export function errorLine(error: Described, json: boolean): string {
  if (json) return `${escapeControls(JSON.stringify({ error }))}\n`;
  const notes = [error.status && `HTTP ${error.status}`, error.requestId && `request ${error.requestId}`].filter(
    Boolean,
  );
  const parts = [error.message, notes.length > 0 && `(${notes.join(', ')})`, error.hint].filter(Boolean);
  return `petctl: ${escapeControls(parts.join(' '))}\n`;
}
