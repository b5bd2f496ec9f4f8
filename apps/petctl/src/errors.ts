import {
  ConnectionError,
  NotFoundError,
  PetstoreError,
  RateLimitedError,
  ServerError,
  TimeoutError,
  UnauthorizedError,
} from '@petstore/client';
import { service } from '@petstore/types';
import { CommanderError } from 'commander';
import { codeOf, escapeLine } from './text.ts';

/** The exit codes and what they mean. Scripts rely on them. */
export const exitCodes = {
  bug: [1, 'a bug in petctl; please report it'],
  usage: [2, 'the command, a file or a setting is invalid; nothing was sent'],
  unreachable: [3, 'the service could not be reached in time'],
  unauthorized: [4, 'the API key is missing, or the service rejected it (401, 403)'],
  not_found: [5, 'not found (404)'],
  rejected: [6, 'the service rejected the request (any other 4xx), or redirected it (3xx)'],
  rate_limited: [7, 'too many requests, even after the retries (429)'],
  failed: [8, 'the service failed, even after the retries (5xx), or its response is invalid'],
  partial: [9, 'some records of an import failed'],
  unwritten: [10, 'the results could not be written, or the --jq filter failed on them'],
  interrupted: [130, 'interrupted with Ctrl-C'],
  terminated: [143, 'ended by SIGTERM'],
} as const;

export type ErrorKind = keyof typeof exitCodes;

interface Details {
  readonly hint?: string | undefined;
  readonly code?: string | undefined;
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}

/** An error that ends petctl with the exit code of its kind. The message says what happened, the hint what to do. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  readonly details: Details;

  constructor(kind: ErrorKind, message: string, details: Details = {}) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

/** The command line, a file or a setting is invalid. Nothing was sent. */
export class UsageError extends CliError {
  constructor(message: string, hint?: string) {
    super('usage', message, { hint });
  }
}

/** The error of a call with its exit code and what to do. Other errors stay as they are. */
export function explained(error: unknown, baseUrl: string, keySource: string): unknown {
  if (error instanceof PetstoreError) return explainedResponse(error, baseUrl, keySource);
  if (error instanceof TimeoutError)
    return new CliError('unreachable', 'The call took longer than --timeout.', {
      code: 'timeout',
      hint: 'Use a longer one.',
    });
  if (error instanceof ConnectionError) {
    if (error.cause instanceof CliError) return error.cause;
    const code = codeOf(error.cause);
    const hint = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code)
      ? 'To trust its certificate, set NODE_EXTRA_CA_CERTS to a file with that of its issuer.'
      : `Check the service, --base-url and the proxy, if there is one.`;
    return new CliError('unreachable', `The connection to ${new URL(baseUrl).origin} failed (${code}).`, { hint });
  }
  if (error instanceof TypeError) return new CliError('usage', `The input cannot be sent: ${error.message}.`);
  return error;
}

/** Writes an error on one line of stderr, with `-o json` as JSON. Returns the exit code. */
export function reportError(error: unknown): number {
  const { kind, message, details } = toCliError(error);
  const { hint = null, code = kind, status = null, requestId = null } = details;
  const [exit] = exitCodes[kind];
  const notes = [status && `HTTP ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  const text = [message, notes && `(${notes})`, hint].filter(Boolean).join(' ');
  writeLine({ error: { code, message, status, requestId, exit, hint } }, text);
  return exit;
}

/** Writes a notice on stderr, unless `--quiet` is set. */
export function notice(message: string, { quiet }: { readonly quiet?: boolean }): void {
  if (!quiet) writeLine({ notice: { message } }, message);
}

function writeLine(data: object, text: string): void {
  process.stderr.write(`${escapeLine(wantsJson() ? JSON.stringify(data) : `petctl: ${text}`)}\n`);
}

/** Whether the output is JSON. Reads the command line itself, because errors need the answer even if it is invalid. */
function wantsJson(): boolean {
  const [, format = process.env.PETCTL_OUTPUT] =
    /\0(?:-o|--output)[\0=]?(\w+)\0/.exec(`${process.argv.join('\0')}\0`) ?? [];
  return format === 'json' || format === 'jsonl';
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return usageErrorOf(error);
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new CliError('failed', 'The data is nested too deeply.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('bug', text, { hint: 'This is a bug in petctl: please report it.' });
}

/** The error for an invalid command line. commander quotes values, which may be keys, so some messages are cut. */
function usageErrorOf({ code, message }: CommanderError): UsageError {
  const [text = '', suggestion] = message.replace(/^error: /, '').split('\n(Did you mean ');
  const hint = suggestion ? `Did you mean ${suggestion.replace(/\)$/, '')}` : 'See --help.';
  if (code === 'commander.excessArguments') return new UsageError(`${text.split(':')[0]}.`, hint);
  if (code !== 'commander.unknownOption') return new UsageError(`${text.replace(/\.$/, '')}.`, hint);
  const [, flag = ''] = /'(--[^=\s']*|-.)/.exec(text) ?? [];
  if (/^--(api-?)?(key|token)$/.test(flag))
    return new UsageError(
      'There is no flag for keys.',
      "Store the key with 'petctl auth login', or set PETCTL_API_KEY.",
    );
  return new UsageError(`unknown option '${flag}'.`, hint);
}

function explainedResponse(error: PetstoreError, baseUrl: string, keySource: string): CliError {
  const { status, code, requestId, headers, message } = error;
  const kind = kindOf(error);
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  const isWrongAddress = !baseUrl.endsWith(service.basePath) && kind !== 'unauthorized';
  const hint = isWrongAddress
    ? `The base URL should end with ${service.basePath}.`
    : location !== null
      ? 'Change --base-url to match this address.'
      : kind === 'unauthorized'
        ? `The key is from ${keySource}; 'petctl auth login' stores another.`
        : code === undefined
          ? 'Check --base-url; -v shows the request.'
          : hints[kind];
  const text = location === null ? message : `The service redirects to ${location}.`;
  return new CliError(kind, text, { status, requestId, code, hint });
}

const hints: Partial<Record<ErrorKind, string>> = {
  not_found: 'Check the identifier and --base-url.',
  rate_limited: 'Send fewer requests, or wait with a longer --timeout and more --retries.',
  failed: 'Retry later; -v shows the request.',
};

function kindOf(error: PetstoreError): ErrorKind {
  const { status } = error;
  if (error instanceof UnauthorizedError || status === 403) return 'unauthorized';
  if (error instanceof NotFoundError) return 'not_found';
  if (error instanceof RateLimitedError) return 'rate_limited';
  if (error instanceof ServerError) return 'failed';
  return status >= 300 && status < 500 ? 'rejected' : 'failed';
}
