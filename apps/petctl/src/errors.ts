import { ConnectionError, ResponseError, TimeoutError } from '@petstore/client';
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
  // Scripts may use 10 for results of their own.
  unwritten: [11, 'the results could not be written, or the --jq filter failed on them'],
  interrupted: [130, 'interrupted with Ctrl-C'],
  terminated: [143, 'ended by SIGTERM'],
} as const;

export type ErrorKind = keyof typeof exitCodes;

/** An error that ends petctl with the exit code of its kind. The message says what happened, the hint what to do. */
export class CliError extends Error {
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly details: {
    readonly code?: string;
    readonly status?: number;
    readonly requestId?: string;
  };

  constructor(kind: ErrorKind, message: string, hint?: string, details: CliError['details'] = {}) {
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

/** The error of a call with its exit code and what to do. Other errors stay as they are. */
export function explained(error: unknown, baseUrl: string, keySource: string): unknown {
  if (error instanceof ResponseError) return explainedResponse(error, baseUrl, keySource);
  if (error instanceof TimeoutError)
    return new CliError(
      'unreachable',
      'The call took longer than --timeout.',
      'Use a longer one.',
      {
        code: 'timeout',
      },
    );
  if (error instanceof TypeError || error instanceof RangeError)
    return new UsageError(`Not sent: ${error.message}.`);
  if (!(error instanceof ConnectionError)) return error;
  if (error.cause instanceof CliError) return error.cause;
  const code = codeOf(error.cause);
  const hint = /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code)
    ? 'To trust its certificate, set NODE_EXTRA_CA_CERTS to a file with that of its issuer.'
    : 'Check the service, --base-url and the proxy, if there is one.';
  return new CliError(
    'unreachable',
    `The connection to ${new URL(baseUrl).origin} failed (${code}).`,
    hint,
  );
}

function explainedResponse(error: ResponseError, baseUrl: string, keySource: string): CliError {
  const { status, code, requestId, headers, message } = error;
  const kind = kindOf(status);
  const details = { status, ...(code && { code }), ...(requestId && { requestId }) };
  const location = status >= 300 && status < 400 ? headers.get('location') : null;
  if (location !== null)
    return new CliError(
      kind,
      `The service redirects to ${location}.`,
      'Change --base-url to match this.',
      details,
    );
  let hint = code === undefined ? 'Check --base-url; -v shows the request.' : hints[kind];
  if (!baseUrl.endsWith(service.basePath))
    hint = `The base URL should end with ${service.basePath}.`;
  const fix = /^(PETCTL_API_KEY|the input)$/.test(keySource)
    ? ': correct it'
    : "; 'petctl auth login' stores another";
  if (kind === 'unauthorized') hint = `The key is from ${keySource}${fix}.`;
  // The client says in its words what the hint says.
  return new CliError(kind, message.replace(/ \(baseUrl .*\)$/, ''), hint, details);
}

const hints: Partial<Record<ErrorKind, string>> = {
  not_found: 'Check the identifier and --base-url.',
  rate_limited: 'Send fewer requests, or wait with a longer --timeout and more --retries.',
  failed: 'Retry later; -v shows the request.',
};

function kindOf(status: number): ErrorKind {
  if (status === 401 || status === 403) return 'unauthorized';
  if (status === 404) return 'not_found';
  if (status === 429) return 'rate_limited';
  return status >= 300 && status < 500 ? 'rejected' : 'failed';
}

/** Writes an error on one line of stderr, with `-o json` as JSON. Returns the exit code. */
export function reportError(thrown: unknown): number {
  const { kind, message, hint, details } = toCliError(thrown);
  const { code = kind, status = null, requestId = null } = details;
  const [exit] = exitCodes[kind];
  const notes = [status && `HTTP ${status}`, requestId && `request ${requestId}`]
    .filter(Boolean)
    .join(', ');
  const text = [message, notes && `(${notes})`, hint].filter(Boolean).join(' ');
  writeLine({ error: { code, message, status, requestId, exit, hint: hint ?? null } }, text);
  return exit;
}

/** Writes a notice on stderr, unless `--quiet` is set. */
export function notice(message: string, { quiet }: { readonly quiet?: boolean }): void {
  if (!quiet) writeLine({ notice: { message } }, message);
}

function writeLine(data: object, text: string): void {
  // Read from the command line itself, because errors need the answer even if it is invalid.
  const words = `${process.argv.join('\0')}\0`;
  const [, output = process.env.PETCTL_OUTPUT] =
    [...words.matchAll(/\0(?:-o|--output)[\0=]?(\w+)(?=\0)/g)].at(-1) ?? [];
  const isJson = output === 'json' || output === 'jsonl';
  process.stderr.write(`${escapeLine(isJson ? JSON.stringify(data) : `petctl: ${text}`)}\n`);
}

function toCliError(error: unknown): CliError {
  if (error instanceof CliError) return error;
  if (error instanceof CommanderError) return usageErrorOf(error);
  if (error instanceof RangeError && /call stack/.test(error.message))
    return new CliError('failed', 'The data is nested too deeply.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return new CliError('bug', text, 'This is a bug in petctl: please report it.');
}

/** The error for an invalid command line. commander quotes values, which may be keys, so some messages are cut. */
function usageErrorOf({ code, message }: CommanderError): UsageError {
  const [text = '', suggestion] = message.replace(/^error: /, '').split('\n(Did you mean ');
  const hint = suggestion ? `Did you mean ${suggestion.replace(/\)$/, '')}` : 'See --help.';
  if (code === 'commander.excessArguments') return new UsageError(`${text.split(':')[0]}.`, hint);
  if (code !== 'commander.unknownOption')
    return new UsageError(`${text.replace(/\.$/, '')}.`, hint);
  const [, flag = ''] = /'(--[^=\s']*|-.)/.exec(text) ?? [];
  const isKey = /^--(api-?)?(key|token)$/.test(flag);
  const keyHint = "Keys have none: use 'petctl auth login', or set PETCTL_API_KEY.";
  return new UsageError(`unknown option '${flag}'.`, isKey ? keyHint : hint);
}
