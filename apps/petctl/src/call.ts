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

/** A success: the data, and the response for its headers. */
interface Success {
  readonly data: unknown;
  readonly response: Response;
}

/** Calls an operation. Throws a `CliError` that says what to do. */
export type Send = (input: Input, options?: { readonly idempotencyKey?: string }) => Promise<Success>;

/** A function that calls an operation with the settings and the key of a command. */
export async function senderFor(operation: Operation, command: Command): Promise<Send> {
  const target = targetOf(command);
  return senderTo(target, await keyFor(target), operation, command);
}

/** The same with a certain key, and with changed options of the client. */
export function senderTo(target: Target, key: Key, operation: Operation, command: Command, changed?: Options): Send {
  const settings = settingsOf(command);
  const { timeout, retries } = settings;
  const client = petstore({
    baseUrl: target.baseUrl,
    apiKey: key.value,
    headers: { 'user-agent': `petctl/${manifest.version}` },
    fetch: fetchOverHttp,
    on: hooks(operation, settings),
    ...(timeout !== undefined && { timeout }),
    ...(retries !== undefined && { retry: retries }),
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
type Method = (input: object, options?: Parameters<Send>[1]) => { withResponse(): Promise<Success> };

/** Prints the request of a call without sending it: as JSON, or with --curl as a command. */
export async function printRequest(
  operation: Operation,
  input: Input,
  command: Command,
  options: Parameters<Send>[1],
): Promise<void> {
  const target = targetOf(command);
  let request: ShownRequest | undefined;
  const send = senderTo(target, { value: keyVariable, from: '' }, operation, command, {
    retry: 0,
    fetch: async (url, { method = 'GET', headers, body } = {}) => {
      const text = typeof body === 'string' && { body };
      request = { method, url: String(url), headers: headers as Record<string, string>, ...text };
      throw new Error('it is shown only');
    },
  });
  await send(input, options).catch((error) => {
    if (!request) throw error;
  });
  if (!request) return;
  if (!command.getOptionValue('curl')) return write(`${escapeLines(asJson(request))}\n`);
  const isStored = !/^(PETCTL_API_KEY)?$/.test((await findKey(target))?.from ?? '');
  const key = isStored ? `$(petctl auth token --base-url ${quoted(target.baseUrl)})` : keyVariable;
  await write(`${asCurl(request, key)}\n`);
}

/** The command that replaces a deprecated one: `petctl pets list`. */
export function successorOf({ successor }: Operation): string | undefined {
  const found = Object.values<Operation>(operations).find(({ id }) => id === successor);
  return found && `petctl ${found.command.join(' ')}`;
}

/** What -v and deprecated commands write on stderr. */
function hooks(operation: Operation, settings: Settings): Hooks {
  const { verbose = 0 } = settings;
  const log = (line: string) => void process.stderr.write(`${escapeLine(line)}\n`);
  const logHeaders = (mark: string, headers: Iterable<[string, string]>) => {
    if (verbose > 1) for (const [name, value] of headers) log(`${mark} ${name}: ${value}`);
  };
  const deprecated: Hooks['deprecated'] = ({ sunset }) => {
    const successor = successorOf(operation);
    const day = sunset && !Number.isNaN(Date.parse(sunset)) && new Date(sunset).toISOString().slice(0, 10);
    const what = `'petctl ${operation.command.join(' ')}' is deprecated`;
    const use = successor ? ` Use '${successor}' instead.` : '';
    notice(`${what}${day ? ` and may be removed from ${day} on` : ''}.${use}`, settings);
  };
  if (verbose === 0) return { deprecated };
  return {
    deprecated,
    request({ method, url, headers }) {
      log(`> ${method} ${url}`);
      logHeaders('>', Object.entries(headers));
    },
    response({ status, headers, milliseconds }) {
      log(`< ${status} in ${Math.round(milliseconds)} ms, request ${headers.get('x-request-id')}`);
      logHeaders('<', headers);
    },
    retry: ({ error, attempt, delay }) => log(`! ${error.message}; attempt ${attempt + 1} in ${Math.round(delay)} ms`),
  };
}

/** Stands for the key, which is never shown. */
const keyVariable = '$PETCTL_API_KEY';

interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

function asJson({ body, ...head }: ShownRequest): string {
  return exactJson({ ...head, ...(body !== undefined && { body: parseExact(body) }) }, 2);
}

/** A command for a POSIX shell. The key is in double quotes, so that the shell inserts it. */
function asCurl({ method, url, headers, body }: ShownRequest, key: string): string {
  const lines = Object.entries(headers).map(([name, value]) =>
    value.includes(keyVariable)
      ? `-H "${name}: ${value.replace(keyVariable, () => key)}"`
      : `-H ${quoted(`${name}: ${value}`)}`,
  );
  const data = body === undefined ? [] : [`--data-raw ${quoted(escapeLine(body))}`];
  return ['curl', ...(method === 'GET' ? [] : [`-X ${method}`]), ...lines, ...data, quoted(url)].join(' ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
