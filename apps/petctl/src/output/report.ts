import { AbortedError, ConnectionError, PetstoreError, TimeoutError } from '@petstore/client';
import {
  CliError,
  type ErrorKind,
  errorHints,
  errorKindOf,
  exitCodes,
  proxyErrors,
  systemCode,
  unsendableInputErrors,
} from '../io/errors.ts';
import { escapeControls } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';
import type { ResolvedSettings } from '../settings/resolve.ts';
import { settings } from '../settings/settings.ts';

/** An error as petctl writes it, on one line or as JSON. */
export interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly status: number | null;
  readonly requestId: string | null;
  readonly exit: number;
  readonly hint: string | null;
}

/** Turns anything that was thrown into a report. Only this function handles every kind of error. */
export function reportOf(error: unknown): ErrorReport {
  if (error instanceof CliError) return { ...report(error.kind, error.message, error.hint), exit: error.exit };
  if (error instanceof PetstoreError) return responseReport(error);
  if (error instanceof AbortedError) return reportOf(error.cause);
  if (error instanceof ConnectionError && error.cause instanceof CliError) return reportOf(error.cause);
  // The error of the last attempt explains more than the timeout.
  if (error instanceof TimeoutError && error.cause instanceof PetstoreError) return responseReport(error.cause);
  if (error instanceof TimeoutError)
    return {
      ...report('unreachable', 'The call took longer than --timeout.', 'Use a longer --timeout.'),
      code: 'timeout',
    };
  if (error instanceof ConnectionError) {
    const code = systemCode(error.cause);
    const proxy = proxyErrors.get(Object(error.cause));
    return report(
      'unreachable',
      `${error.message}${proxy ? ` through the proxy ${proxy.origin}` : ''}${code ? ` (${code})` : ''}.`,
      /SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)/.test(code)
        ? 'To trust its certificate, set NODE_EXTRA_CA_CERTS to a file with the certificate of its issuer.'
        : proxy
          ? `Check the proxy, or change ${proxy.scheme}_proxy or all_proxy.`
          : 'Check the service, or select another with --base-url or --deployment.',
    );
  }
  if (error instanceof Error && unsendableInputErrors.has(error))
    return report('usage', `The input cannot be sent: ${error.message}.`, 'Correct the input.');
  // Thousands of nested lists or objects exceed the call stack.
  if (error instanceof RangeError && /call stack/.test(error.message))
    return report('unwritten', 'The data is nested too deeply.', 'Use --curl to send the request with curl.');
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return report('bug', text, 'This is a bug in petctl: please report it.');
}

function responseReport(error: PetstoreError): ErrorReport {
  const kind = errorKindOf(error.status);
  const isRedirect = error.status >= 300 && error.status < 400;
  const target = isRedirect ? error.headers.get('location') : null;
  return {
    ...(target !== null
      ? report(kind, `The service redirects to ${target}.`, 'Change --base-url to match this address.')
      : report(kind, error.message, hintFor(error, kind))),
    code: error.code ?? kind,
    status: error.status,
    requestId: error.requestId ?? null,
  };
}

function hintFor(error: PetstoreError, kind: ErrorKind): string | undefined {
  const { status, code } = error;
  if (status < 300) return '-v shows the response.';
  // Without a code, the response has no body or is not from the service.
  if (kind === 'rejected' && code === undefined) return 'Check --base-url; -v shows the request.';
  return errorHints.get(error) ?? hintsByCode[code ?? ''] ?? hints[kind];
}

const hintsByCode: Readonly<Record<string, string>> = {
  method_not_allowed: 'Use another method; -v shows the request.',
  request_in_flight: 'Repeat the request with the same idempotency key.',
};

const hints: Partial<Record<ErrorKind, string>> = {
  unauthorized: "'petctl auth status' shows the key in use; 'petctl auth login' stores another.",
  not_found: 'Check the identifier and --base-url; -v shows the request.',
  rejected: 'Correct the input that the message names; -v shows the request.',
  rate_limited: 'Send fewer requests, or let petctl wait with a longer --timeout and more --retries.',
  failed: 'Retry later; -v shows the request.',
};

function report(kind: ErrorKind, message: string, hint?: string): ErrorReport {
  return { code: kind, message, status: null, requestId: null, exit: exitCodes[kind].exit, hint: hint ?? null };
}

/** Whether the service rejected the credentials of a request. */
export function isUnauthorized(error: unknown): boolean {
  return error instanceof PetstoreError && errorKindOf(error.status) === 'unauthorized';
}

/** The line for an error. */
export function errorLine(error: ErrorReport, isJson: boolean): string {
  const { message, status, requestId, hint } = error;
  const notes = [status && `HTTP ${status}`, requestId && `request ${requestId}`].filter(Boolean).join(', ');
  const parts = [message, notes && `(${notes})`, hint].filter(Boolean);
  return line({ error }, parts.join(' '), isJson);
}

/** Whether errors and notices are JSON. */
export function isJsonOutput(userSettings: ResolvedSettings): boolean {
  return isJsonFormat(userSettings.get(settings.output).value);
}

export function isJsonFormat(output: unknown): boolean {
  return output === 'json' || output === 'jsonl';
}

/** Whether to write notices that scripts do not need. */
export function wantsNotices({ io, flags }: Invocation): boolean {
  return !flags.has('quiet') && (io.stderr.isTerminal || flags.has('verbose'));
}

/** Writes a notice to stderr, unless --quiet is set. */
export async function writeNotice({ io, flags, userSettings }: Invocation, message: string): Promise<void> {
  if (!flags.has('quiet')) await io.stderr.write(line({ notice: { message } }, message, isJsonOutput(userSettings)));
}

/** A line on stderr: the data as JSON, or the text. */
function line(data: object, text: string, isJson: boolean): string {
  return `${escapeControls(isJson ? JSON.stringify(data) : `petctl: ${text}`)}\n`;
}
