import { isUtf8 } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import type { ConnectOptions, HttpRequest, Options } from '@petstore/client';
import { escapeControls, escapeControlsInLines, unicodeEscape } from '../io/text.ts';
import { type Credential, readStored, redactor, type Scheme, schemeNamed } from '../keys/credentials.ts';
import { outputFormat } from '../output/print.ts';
import { isJsonFormat } from '../output/report.ts';
import type { Invocation } from '../parse/command.ts';
import { baseUrlFor, type CallTarget, clientOptionsFor, credentialScope } from './client.ts';

/** A request with its body as bytes. */
interface Preview extends Pick<HttpRequest, 'method' | 'url' | 'headers'> {
  readonly body?: Buffer;
}

/** Writes the request of a call without sending it, with the variables of credentials instead of their values. */
export async function preview(
  invocation: Invocation,
  target: CallTarget,
  call: (options: Options & ConnectOptions) => Promise<unknown>,
): Promise<void> {
  let request: HttpRequest | undefined;
  const placeholders = combinationFor(invocation, target).map(placeholderOf);
  const { options } = await clientOptionsFor(invocation, placeholders);
  const transport = (built: HttpRequest) => {
    request = built;
    return Promise.reject(new Error('the preview sends nothing'));
  };
  const on = { ...options.on, deprecated: false } as const;
  await call({ ...options, transport, retry: 0, on }).catch(async (error: unknown) => {
    if (!request) throw error;
    const { body, ...head } = request;
    const bytes = body !== undefined && { body: Buffer.from(body) };
    await invocation.io.stdout.write(requestText({ ...head, ...bytes }, placeholders, invocation));
  });
}

/** The combination of schemes whose credentials are configured, else the first. */
function combinationFor(invocation: Invocation, target: CallTarget): Scheme[] {
  const scope = credentialScope(invocation, baseUrlFor(invocation, target));
  const all = target.security.map((names) => names.map(schemeNamed));
  const isConfigured = (scheme: Scheme) => Boolean(scope.env[scheme.variable]) || readStored({ ...scope, scheme });
  return all.find((schemes) => schemes.every(isConfigured)) ?? all[0] ?? [];
}

function placeholderOf(scheme: Scheme): Credential {
  // Unique in the request, and never escaped.
  return { scheme, value: randomUUID(), from: scheme.variable };
}

/** The variable that the preview shows instead of a placeholder. */
function variableOf({ scheme }: Credential): string {
  return `$${scheme.variable}`;
}

function requestText(
  request: Preview,
  placeholders: readonly Credential[],
  { flags, userSettings, io }: Invocation,
): string {
  if (flags.has('curl')) return `${curlLine(request, placeholders)}\n`;
  const redacted = redactor(placeholders, variableOf);
  const { method, body } = request;
  const url = redacted(request.url);
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, text]) => [name, redacted(text)]));
  if (isJsonFormat(outputFormat(userSettings, io))) {
    const content = body && (isUtf8(body) ? { body: body.toString() } : { bodyBase64: body.toString('base64') });
    return `${escapeControls(JSON.stringify({ method, url, headers, ...content }))}\n`;
  }
  const lines = [`${method} ${url}`, ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`)];
  const head = `${lines.map(escapeControls).join('\n')}\n`;
  if (!body) return head;
  const text = isUtf8(body) ? body.toString() : `(${body.length} bytes; use -o json to see them as base64)`;
  return `${head}\n${escapeControlsInLines(text.replaceAll('\r\n', '\n'))}\n`;
}

/** Linux allows 128 KiB. */
const MAX_ARGUMENT_BYTES = 100_000;

/** The request as a shell line with variables for the credentials. */
function curlLine({ method, url, headers, body }: Preview, placeholders: readonly Credential[]): string {
  const word = (text: string) => quote(text, placeholders);
  // curl sends an empty header only if a semicolon ends its name.
  const headerWords = Object.entries(headers).flatMap(([name, value]) => [
    '-H',
    word(value === '' ? `${name};` : `${name}: ${value}`),
  ]);
  // Arguments cannot contain NUL and have a maximum length, and terminals break anything but UTF-8.
  const isText = body && body.length < MAX_ARGUMENT_BYTES && isUtf8(body) && !body.includes(0);
  // curl expands brackets and braces in URLs; --data-raw does not read a file for a leading @.
  const data = body && (isText ? ['--data-raw', word(body.toString())] : ['--data-binary', '@-']);
  // With `-X HEAD`, curl would wait for a body.
  const methodWords = method === 'HEAD' ? ['--head'] : ['-X', method];
  const line = ['curl', '--globoff', ...methodWords, ...headerWords, ...(data ?? []), word(url)].join(' ');
  return body && !isText ? `echo ${body.toString('base64')} | base64 -d | ${line}` : line;
}

/** Quotes a word for a shell so that it expands only the variables of credentials. */
function quote(word: string, placeholders: readonly Credential[]): string {
  for (const one of placeholders) {
    const at = word.indexOf(one.value);
    if (at < 0) continue;
    const rest = word.slice(at + one.value.length);
    return `${quote(word.slice(0, at), [])}"${variableOf(one)}"${rest === '' ? '' : quote(rest, placeholders)}`;
  }
  // A word with control characters becomes `$'…'`, in which they are escaped.
  const hasControls = /\p{Cc}/u.test(word);
  const text = word.replaceAll(hasControls ? /[\\']/g : /'/g, hasControls ? '\\$&' : "'\\''");
  return hasControls ? `$'${text.replace(/\p{Cc}/gu, unicodeEscape)}'` : `'${text}'`;
}
