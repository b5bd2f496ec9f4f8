import { createInterface } from 'node:readline';
import { type Operation, operations, service } from '@petstore/types';
import type { Command } from 'commander';
import * as credentials from './credentials.ts';
import { CliError, notice } from './errors.ts';
import { readWord } from './input.ts';
import { printer, write } from './output.ts';
import { senderTo } from './send.ts';
import { settingsOf } from './settings.ts';

/** Adds the commands for API keys. */
export function addAuth(root: Command): void {
  const auth = root.command('auth').description('Store the API key, or show the one in use.');
  const add = (
    name: string,
    summary: string,
    details: string,
    run: (command: Command) => Promise<void>,
  ) => {
    const command = auth.command(name).summary(summary).description(`${summary}. ${details}`);
    command.action(() => run(command));
  };
  const loginDetails = `Asks for the key without echo, or reads it from stdin, and tries it. Keeps it in the system's keyring, \
or in a file that only you can read. From then on, petctl uses this address if no other is given.`;
  add('login', 'Store the API key for an address', loginDetails, login);
  add(
    'status',
    'Show the addresses and their keys',
    'Tries the key for the address in use.',
    status,
  );
  add(
    'token',
    'Print the key, for other programs',
    'Prints the one for the address in use.',
    token,
  );
  add(
    'logout',
    'Remove the stored key for an address',
    'Removes the one for the address in use.',
    logout,
  );
}

async function login(command: Command): Promise<void> {
  const target = credentials.targetOf(command);
  const settings = settingsOf(command);
  const value = credentials.checkedKey((await readKey(target.origin)).trim(), 'The input');
  const failure = await failureOf({ value, from: 'the input' }, target, command);
  if (failure !== undefined) notice('The key was not stored.', settings);
  if (failure !== undefined) throw failure;
  const place = await credentials.storeKey(target, value);
  const hint =
    process.env.PETCTL_API_KEY === undefined
      ? ''
      : ' PETCTL_API_KEY is set and counts more than it.';
  notice(`Stored the key in ${place}. petctl now uses ${target.baseUrl}.${hint}`, settings);
}

async function status(command: Command): Promise<void> {
  const target = credentials.targetOf(command);
  const rows: object[] = [];
  let failure: unknown;
  for (const origin of new Set([target.origin, ...credentials.storedOrigins()])) {
    const inUse = origin === target.origin;
    const { value = '', from } =
      (await (inUse ? credentials.findKey(target) : credentials.storedKey(origin))) ?? {};
    if (inUse && from) failure = await failureOf({ value, from }, target, command);
    const isRejected = failure instanceof CliError && failure.kind === 'unauthorized';
    const accepted =
      inUse && from ? (failure === undefined ? true : isRejected ? false : 'unknown') : null;
    const key = from && (value.length > 12 ? `${value.slice(0, 3)}…${value.slice(-3)}` : '…');
    rows.push({
      address: inUse ? target.baseUrl : origin + service.basePath,
      inUse,
      key,
      from,
      accepted,
    });
  }
  const out = await printer(['address', 'inUse', 'key', 'from', 'accepted'], true, command);
  await out.write(rows);
  await out.end();
  if (failure !== undefined) throw failure;
  await credentials.keyFor(target);
}

async function token(command: Command): Promise<void> {
  await write(`${(await credentials.keyFor(credentials.targetOf(command))).value}\n`);
}

async function logout(command: Command): Promise<void> {
  const target = credentials.targetOf(command);
  const isRemoved = await credentials.removeKey(target);
  const hint =
    process.env.PETCTL_API_KEY === undefined
      ? undefined
      : 'PETCTL_API_KEY is set and remains in use.';
  if (!isRemoved)
    throw new CliError('unauthorized', `There is no stored key for ${target.origin}.`, hint);
  notice(
    [`Removed the key for ${target.origin}.`, hint].filter(Boolean).join(' '),
    settingsOf(command),
  );
}

/** Tries a key with the smallest request. Returns the error; undefined if the service accepts the key. */
async function failureOf(
  key: credentials.Key,
  target: credentials.Target,
  command: Command,
): Promise<unknown> {
  const probe = Object.values<Operation>(operations).find(
    ({ method, fields }) =>
      method === 'GET' && Object.values(fields).every(({ required }) => !required),
  );
  if (!probe) return undefined;
  const { pagination, fields } = probe;
  const input = pagination
    ? { [pagination.limit]: fields[pagination.limit]?.schema.minimum ?? 1 }
    : {};
  const send = senderTo(target, key, probe, command);
  return send(input).then(
    () => undefined,
    (error: unknown) => error,
  );
}

/** The key from stdin, or from a terminal without echo. */
async function readKey(origin: string): Promise<string> {
  if (!process.stdin.isTTY) return readWord('-');
  // Without an output, readline echoes nothing.
  const lines = createInterface({ input: process.stdin, terminal: true });
  process.stderr.write(`Enter the API key for ${origin} (hidden): `);
  try {
    return await new Promise((resolve, reject) => {
      // Ctrl-Z would end the prompt.
      lines.on('SIGTSTP', () => {});
      const interrupt = () => reject(new CliError('interrupted', 'Interrupted.'));
      lines.once('line', resolve).once('SIGINT', interrupt).once('close', interrupt);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
