import { type Hooks, type Options, petstore } from '@petstore/client';
import { exactJson, type Operation, operations, parseExact } from '@petstore/types';
import type { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { findKey, type Key, keyFor, type Target, targetOf } from './credentials.ts';
import { explained, notice } from './errors.ts';
import { fetchOverHttp } from './http.ts';
import type { Input } from './input.ts';
import { write } from './output.ts';
import { type Settings, settingsOf } from './settings.ts';
import { escapeLine, escapeLines } from './text.ts';

/** Calls an operation. Throws a `CliError` that says what to do. */
export type Send = (
  input: Input,
  options?: { idempotencyKey?: string | undefined },
) => Promise<{ data: unknown; response: Response }>;

/** A function that calls an operation with the settings and the key of a command. */
export async function senderFor(operation: Operation, command: Command): Promise<Send> {
  const target = targetOf(command);
  return senderTo(target, await keyFor(target), operation, command);
}

/** The same with a certain key, and with changed options of the client. */
export function senderTo(
  target: Target,
  key: Key,
  operation: Operation,
  command: Command,
  changed?: Options,
): Send {
  const settings = settingsOf(command);
  const client = petstore({
    baseUrl: target.baseUrl,
    apiKey: key.value,
    headers: { 'user-agent': `petctl/${manifest.version}` },
    fetch: fetchOverHttp,
    on: hooks(operation, settings),
    timeout: settings.timeout,
    // --timeout bounds the wait that the service asks for.
    retry: { limit: settings.retries, cap: Infinity },
    ...changed,
  });
  const call = client[operation.id as keyof typeof operations] as Method;
  return async (input, options) => {
    try {
      return await call(input, options).withResponse();
    } catch (error) {
      throw explained(error, target.baseUrl, key.from);
    }
  };
}

/** A method of the client, for an operation that is known at run time only. */
type Method = (
  input: object,
  options?: Parameters<Send>[1],
) => { withResponse(): ReturnType<Send> };

/** Prints the request of a call without sending it: as JSON, or with --curl as a command. */
export async function printRequest(
  operation: Operation,
  input: Input,
  command: Command,
  key?: string,
): Promise<void> {
  const target = targetOf(command);
  const request = await new Promise<ShownRequest>((resolve, reject) => {
    const fetch: Options['fetch'] = async (url, { method = 'GET', headers, body } = {}) => {
      const text = typeof body === 'string' && { body };
      resolve({ method, url: String(url), headers: headers as Record<string, string>, ...text });
      throw new Error('it is shown only');
    };
    const send = senderTo(target, { value: keyVariable, from: '' }, operation, command, {
      fetch,
      retry: 0,
    });
    send(input, { idempotencyKey: key }).catch(reject);
  });
  const { body, ...head } = request;
  const json = { ...head, ...(body !== undefined && { body: parseExact(body) }) };
  if (!command.getOptionValue('curl')) return write(`${escapeLines(exactJson(json, 2))}\n`);
  const from = (await findKey(target))?.from;
  // A key in the variable may be for another address.
  const isVariable =
    from === 'PETCTL_API_KEY' || (from === undefined && process.env.PETCTL_API_KEY === undefined);
  const self = process.env.npm_command === 'exec' ? 'npx petctl' : 'petctl';
  const shown = isVariable
    ? keyVariable
    : `$(${self} auth token --base-url ${quoted(target.baseUrl)})`;
  await write(`${asCurl(request, shown)}\n`);
}

/** What to say of a deprecated operation. */
export function deprecationOf(
  { command, successor }: Operation,
  sunset: string | undefined,
): string {
  const other = Object.values<Operation>(operations).find(({ id }) => id === successor);
  const removal = sunset === undefined ? '' : ` and may be removed from ${sunset} on`;
  const hint = other ? ` Use 'petctl ${other.command.join(' ')}' instead.` : '';
  return `'petctl ${command.join(' ')}' is deprecated${removal}.${hint}`;
}

/** What --verbose and deprecated commands write on stderr. */
function hooks(operation: Operation, settings: Settings): Hooks {
  const log = (line: string) => settings.verbose && process.stderr.write(`${escapeLine(line)}\n`);
  return {
    deprecated: ({ sunset }) => notice(deprecationOf(operation, sunset), settings),
    request: ({ method, url }) => log(`> ${method} ${url}`),
    response: ({ status, headers, milliseconds }) =>
      log(`< ${status} in ${Math.round(milliseconds)} ms, request ${headers.get('x-request-id')}`),
    retry: ({ error, attempt, delay }) =>
      log(`! ${error.name}; attempt ${attempt + 1} in ${Math.round(delay)} ms`),
  };
}

/** Stands for the key, which is never shown. */
const keyVariable = '$PETCTL_API_KEY';

type ShownRequest = Readonly<{
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
}>;

/** A command for a POSIX shell. The key is in double quotes, so that the shell inserts it. */
function asCurl({ method, url, headers, body }: ShownRequest, key: string): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    name === 'authorization' ? `-H "${name}: Bearer ${key}"` : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const data = body === undefined ? [] : [`--data-raw ${quoted(escapeLine(body))}`];
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...lines,
    ...data,
    quoted(url),
  ].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
