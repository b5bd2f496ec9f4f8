import { AbortedError, ConnectionError, PetstoreError, TimeoutError } from '@petstore/client';
import { sentence } from './closest.ts';
import {
  InterruptedError,
  NoCredentialError,
  OutputError,
  PartialError,
  UnreadableError,
  UsageError,
} from './errors.ts';
import { type Ending, endingOf, exitCodes } from './exit-codes.ts';
import { refusal } from './unreadable.ts';

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
  if (error instanceof UnreadableError) return described(refusal(error));
  if (error instanceof UsageError)
    return plain('usage', error.message, typeof error.hint === 'object' ? sentence(error.hint) : error.hint);
  if (error instanceof NoCredentialError) return plain('unauthorized', error.message, loginHint(error));
  if (error instanceof PartialError) return plain('partial', error.message, error.hint);
  if (error instanceof InterruptedError || error instanceof AbortedError) return plain('interrupted', 'Interrupted.');
  if (error instanceof TimeoutError)
    return { ...plain('unreachable', `${error.message}.`, 'Give it longer with --timeout.'), code: 'timeout' };
  if (error instanceof ConnectionError) {
    const why = systemWord(error);
    return plain(
      'unreachable',
      `${error.message}${why ? ` (${why})` : ''}.`,
      'Is it running there? --base-url or --deployment leads elsewhere.',
    );
  }
  if (error instanceof OutputError)
    return plain('unwritten', `${error.message.replace(/\.$/, '')} (${systemWord(error.cause)}).`, 'Is the disk full?');
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
  return {
    ...plain(ending, error.message, hints[ending]),
    code: error.code ?? ending,
    status: error.status,
    requestId: error.requestId ?? null,
  };
}

const hints: Partial<Record<Ending, string>> = {
  unauthorized: "'petctl auth status' shows which key was sent; 'petctl auth login' takes another.",
  not_found: 'Look at what was asked for, which -v shows.',
  refused: 'Mend what the message names; -v shows what was sent.',
  rate_limited: 'Wait a moment, and try again.',
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
