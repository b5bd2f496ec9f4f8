import {
  connect,
  observe,
  PetstoreError,
  request,
  requestPages,
  type TextAndResponse,
  TimeoutError,
} from '@petstore/client';
import { type Operation, type SecurityScheme, service, typeIn } from '@petstore/types';
import { clientOptionsFor, credentialsFor, deprecationText } from '../call/client.ts';
import { parseValue } from '../flags/parse-value.ts';
import { ResponseError, UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import { headerPairs } from '../io/http.ts';
import { escapeControls, jsonValueIfValid } from '../io/text.ts';
import { columnsOf, rowsOf } from '../output/format.ts';
import { checkFilter } from '../output/jq.ts';
import { print } from '../output/print.ts';
import { wantsNotices, writeNotice } from '../output/report.ts';
import { writeBody } from '../output/write-body.ts';
import { type Invocation, isDryRun } from '../parse/command.ts';

/** Sends a request that the command line describes, and writes the response. */
export async function api(invocation: Invocation): Promise<void> {
  const { flags, io } = invocation;
  const [method = '', path = ''] = invocation.args.map(String);
  const raw = await requestOf(method.toUpperCase(), path, invocation);
  await checkFilter(invocation);
  if (isDryRun(invocation)) {
    const { preview } = await import('../call/preview.ts');
    return preview(invocation, service, (options) => request(observe(connect(options), options), raw));
  }
  const { options } = await clientOptionsFor(invocation, await credentialsFor(invocation, service));
  const responses = requestPages(observe(connect(options), options), raw, { signal: io.interrupted });
  const { value: first } = await responses.next().catch(async (error: unknown) => {
    // As for the error message, the last response explains more than the timeout.
    const failure = error instanceof TimeoutError ? error.cause : error;
    if (flags.has('include') && failure instanceof PetstoreError) await io.stdout.write(headOf(failure.response));
    throw error;
  });
  const { text, response } = first;
  if (response.headers.get('deprecation') !== null && wantsNotices(invocation)) {
    const sunset = response.headers.get('sunset') ?? undefined;
    await writeNotice(invocation, deprecationText(`${raw.method} ${raw.path}`, sunset));
  }
  if (flags.has('include')) await io.stdout.write(headOf(response));
  const data = dataOf(first);
  if (data === undefined) return writeBody(text, invocation);
  const columns = columnsOf(rowsOf(data), flags.get('fields'));
  const rows = flags.has('paginate') ? rowsOfPages(data, responses) : rowsOf(data);
  await print(rows, { list: Array.isArray(data), columns, defaultFormat: 'json' }, invocation);
}

/** Yields the elements of the first page, and of all following pages. */
async function* rowsOfPages(first: unknown, following: AsyncIterable<TextAndResponse>): AsyncGenerator<unknown> {
  yield* rowsOf(first);
  for await (const page of following) {
    const data = dataOf(page);
    if (data === undefined) throw new ResponseError('A later page is not JSON.');
    yield* rowsOf(data);
  }
}

function dataOf({ text, response }: TextAndResponse): unknown {
  const isJson = /[/+]json\b/i.test(response.headers.get('content-type') ?? '');
  return isJson ? jsonValueIfValid(text) : undefined;
}

/** The status and the headers of a response as HTTP text. */
function headOf(response: TextAndResponse['response']): string {
  const lines = [...headerPairs(response)].map(([name, value]) => `${name}: ${value}`);
  return `${[`HTTP ${response.status}`, ...lines].map(escapeControls).join('\n')}\n\n`;
}

async function requestOf(method: string, path: string, { flags, io, operations }: Invocation) {
  // The response to CONNECT is a tunnel, for which the call would wait until it times out.
  if (!/^[A-Z]+$/.test(method) || method === 'CONNECT')
    throw new UsageError(`'${method}' is not a method that petctl can send.`, 'Use GET or POST, for example.');
  if (!/^\/(?!\/)[^\s#]*$/.test(path))
    throw new UsageError(
      `'${path}' is not a path.`,
      `Begin it with one slash, as in ${operations[0]?.path}; --base-url sets the address before it.`,
    );
  const wordsOf = (flag: string) => [flags.get(flag) ?? []].flat().map(String);
  const headers = parseHeaders(wordsOf('header'));
  const operation = operations.find((one) => one.method === method && one.path === path.replace(/\?.*/, ''));
  const fields = parseFields(wordsOf('field'), operation);
  const input = flags.get('input');
  if (typeof input !== 'string' && fields.length === 0) return { method, path, headers };
  if (/^(GET|HEAD|DELETE)$/.test(method)) {
    if (typeof input === 'string')
      throw new UsageError(`${method} has no body.`, 'Use --field for a query, or another method.');
    return { method, path: `${path}${path.includes('?') ? '&' : '?'}${queryOf(fields)}`, headers };
  }
  if (typeof input === 'string' && fields.length > 0)
    throw new UsageError('--field and --input both set the body.', 'Use either --field or --input.');
  const body = typeof input === 'string' ? await readText(input, io) : bodyOf(fields);
  return { method, path, headers: { 'content-type': 'application/json', ...headers }, body };
}

function queryOf(fields: ReturnType<typeof parseFields>): string {
  const parts = fields.map(({ name, text }) => {
    if (text.isWellFormed()) return `${encodeURIComponent(name)}=${encodeURIComponent(text)}`;
    throw new UsageError(`--field ${name} contains half of a surrogate pair.`, 'A query cannot contain it.');
  });
  return parts.join('&');
}

function bodyOf(fields: ReturnType<typeof parseFields>): string {
  const twice = fields.find(({ name }, i) => fields.slice(0, i).some((other) => other.name === name));
  if (twice) throw new UsageError(`--field ${twice.name} appears twice.`, `Write a list as ${twice.name}:=["a","b"].`);
  return `{${fields.map(({ name, json }) => `${JSON.stringify(name)}:${json}`).join()}}`;
}

/** The headers that contain credentials. */
const credentialHeaders = Object.values<SecurityScheme>(service.securitySchemes).flatMap((scheme) => {
  if (scheme.type !== 'apiKey') return ['authorization'];
  return scheme.in === 'header' ? [scheme.name.toLowerCase()] : [];
});

/** Parses `Name: value`, as in curl. The values of a repeated header are one list (RFC 9110, section 5.3). */
function parseHeaders(words: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const word of words) {
    const [, title = '', value = ''] = /^([!#$%&'*+.^`|~\w-]+):\s*(\P{Cc}*)$/u.exec(word) ?? [];
    if (title === '') throw new UsageError(`--header '${word}' is not a header.`, "Write 'Name: value'.");
    const name = title.toLowerCase();
    if (credentialHeaders.includes(name))
      throw new UsageError(`petctl sets the header ${title} itself.`, "Store the key with 'petctl auth login'.");
    const before = headers.get(name);
    headers.set(name, before === undefined ? value.trim() : `${before}, ${value.trim()}`);
  }
  return Object.fromEntries(headers);
}

/**
 * Parses `name=value` as text or by the type of the field in the spec, and `name:=json` as JSON, which is sent as it is written.
 * A JSON body has the `json` of a field, a query its `text`.
 */
function parseFields(words: readonly string[], operation: Operation | undefined) {
  const schemas = new Map(Object.entries(operation?.fields ?? {}).map(([name, { schema }]) => [name, schema]));
  return words.map((word) => {
    const [, name = '', kind, text = ''] = /^([^:=]+)(:?=)(.*)$/s.exec(word) ?? [];
    if (!kind) throw new UsageError(`--field '${word}' has no value.`, 'Write key=value.');
    if (kind === ':=') {
      const value = jsonValueIfValid(text);
      if (value === undefined)
        throw new UsageError(`--field ${name}: '${text}' is not JSON.`, `Write ${name}=${text} for text.`);
      return { name, json: text, text: typeof value === 'string' ? value : text.trim() };
    }
    const schema = schemas.get(name);
    const type = schema && typeIn(schema);
    // The format allows integers of 2^53 or more. It has no effect on the other types.
    const parsed = type ? parseValue(text, { type, format: 'int64' }) : { value: text };
    const value = 'value' in parsed ? parsed.value : text;
    return { name, json: typeof value === 'bigint' ? text : JSON.stringify(value), text };
  });
}
