import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type Operation, operations } from '@petstore/types';
import type { Command } from 'commander';
import { senderTo } from './call.ts';
import {
  checkedKey,
  findKey,
  type Key,
  keyFor,
  removeKey,
  storedAddresses,
  storeKey,
  type Target,
  targetOf,
} from './credentials.ts';
import { CliError, notice, UsageError } from './errors.ts';
import { printer, write } from './output.ts';
import { settingsOf } from './settings.ts';

/** Adds the commands for API keys. */
export function addAuth(root: Command): void {
  const auth = root.command('auth').description('Store the API key, or show the one in use.');
  const add = (name: string, summary: string, details: string, run: (command: Command) => Promise<void>) => {
    const command = auth.command(name).summary(summary).description(`${summary}. ${details}`);
    command.action(() => run(command));
  };
  add(
    'login',
    'Store the API key for an address',
    "Asks for the key without echo, or reads it from stdin, and tries it. Keeps it in the system's keyring, or in a file that " +
      'only you can read. From then on, petctl uses the address of the last login if no other is given.',
    login,
  );
  add('status', 'Show the addresses, their keys and whether the one in use is accepted', '', status);
  add('token', 'Print the key, for other programs', 'Prints the key for the address in use.', token);
  add('logout', 'Remove the stored key for an address', 'Removes the key for the address in use.', logout);
}

async function login(command: Command): Promise<void> {
  const target = targetOf(command);
  const settings = settingsOf(command);
  const value = checkedKey((await readKey(target)).trim(), 'The input');
  const failure = await failureOf({ value, from: 'the input' }, target, command);
  if (failure !== undefined) {
    notice('The key was not stored.', settings);
    throw failure;
  }
  const place = await storeKey(target, value);
  notice(`Stored the key in ${place}. petctl now uses ${target.baseUrl}.`, settings);
  if (process.env.PETCTL_API_KEY !== undefined) notice('PETCTL_API_KEY is set and counts more than it.', settings);
}

async function status(command: Command): Promise<void> {
  const target = targetOf(command);
  const { current, origins } = storedAddresses();
  const key = await findKey(target);
  const failure = key && (await failureOf(key, target, command));
  const isRejected = failure instanceof CliError && failure.kind === 'unauthorized';
  const accepted = failure === undefined ? key !== undefined : isRejected ? false : 'unknown';
  const inUse = {
    address: target.baseUrl,
    inUse: true,
    key: key ? shown(key.value) : null,
    from: key?.from ?? null,
    accepted,
  };
  const others = origins.filter((origin) => origin !== target.origin);
  const rows = await Promise.all(
    others.map(async (origin) => {
      const address = current !== undefined && new URL(current).origin === origin ? current : origin;
      const stored = await findKey({ baseUrl: origin, origin, environmentOrigin: '' });
      return { address, inUse: false, key: shown(stored?.value ?? ''), from: stored?.from, accepted: null };
    }),
  );
  const out = await printer(['address', 'inUse', 'key', 'from', 'accepted'], true, command);
  await out.write([inUse, ...rows]);
  await out.end();
  if (failure !== undefined) throw failure;
  if (!key) await keyFor(target);
}

async function token(command: Command): Promise<void> {
  await write(`${(await keyFor(targetOf(command))).value}\n`);
}

async function logout(command: Command): Promise<void> {
  const target = targetOf(command);
  const isRemoved = await removeKey(target);
  const isSet = process.env.PETCTL_API_KEY !== undefined;
  const hint = isSet ? 'PETCTL_API_KEY is set and remains in use.' : undefined;
  if (!isRemoved) throw new CliError('unauthorized', `There is no stored key for ${target.origin}.`, { hint });
  notice([`Removed the key for ${target.origin}.`, hint].filter(Boolean).join(' '), settingsOf(command));
}

/** Tries a key with the smallest request. Returns the error; undefined if the service accepts the key. */
async function failureOf(key: Key, target: Target, command: Command): Promise<unknown> {
  const probe = Object.values<Operation>(operations).find(
    ({ method, fields }) => method === 'GET' && Object.values(fields).every(({ required }) => !required),
  );
  if (!probe) return undefined;
  const { pagination, fields } = probe;
  const input = pagination ? { [pagination.limit]: fields[pagination.limit]?.schema.minimum ?? 1 } : {};
  return senderTo(
    target,
    key,
    probe,
    command,
  )(input).then(
    () => undefined,
    (error: unknown) => error,
  );
}

function shown(key: string): string {
  return `${key.slice(0, 3)}…${key.length > 12 ? key.slice(-3) : ''}`;
}

/** The key from stdin, or from a terminal without echo. */
async function readKey({ origin }: Target): Promise<string> {
  if (!process.stdin.isTTY) return text(process.stdin);
  if (!process.stderr.isTTY)
    throw new UsageError('There is no terminal to ask for the key.', 'Pass it: petctl auth login < FILE');
  process.stderr.write(`Enter the API key for ${origin} (hidden): `);
  // Without an output, readline echoes nothing.
  const lines = createInterface({ input: process.stdin, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      const interrupt = () => reject(new CliError('interrupted', 'Interrupted.'));
      lines.once('line', resolve).once('SIGINT', interrupt).once('close', interrupt);
    });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
