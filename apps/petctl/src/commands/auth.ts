import { type Operation, operations } from '@petstore/types';
import type { Command } from 'commander';
import { CliError } from '../errors.ts';
import { type InputValues, readWord } from '../input.ts';
import { printerFor } from '../output/printer.ts';
import { methodFor } from '../service/client.ts';
import { enteredKey, type Key, parseKey } from '../service/credentials.ts';
import { explainError } from '../service/explain-error.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';

type Run = (session: Session, settings: Settings) => Promise<void>;

/** Adds the commands for API keys. */
export function addAuth(root: Command, session: Session): void {
  const auth = root.command('auth').description('Commands for API keys.');
  const add = (name: string, summary: string, description: string, run: Run) => {
    auth
      .command(name)
      .summary(summary)
      .description(description)
      .action(() => run(session, session.settings()));
  };
  const loginDescription =
    'Asks for the API key of an address without echo, or reads it from stdin, and tries it. ' +
    "Stores it in the system's keyring, or in a file that only you can read. " +
    'From then on, petctl uses this address if no other is given.';
  const statusDescription =
    'Shows the addresses and their keys, and tries the key for the address in use.';
  const tokenDescription = 'Prints the key for the address in use, for other programs.';
  const logoutDescription = 'Removes the stored key for the address in use.';
  add('login', 'Store the API key for an address', loginDescription, login);
  add('status', 'Show the addresses and their keys', statusDescription, status);
  add('token', 'Print the key, for other programs', tokenDescription, token);
  add('logout', 'Remove the stored key for an address', logoutDescription, logout);
}

async function login(session: Session, settings: Settings): Promise<void> {
  const { reporter, credentials, env } = session;
  const { baseUrl } = settings.target;
  const entered = await readKey(baseUrl, session);
  const value = parseKey(entered.trim(), 'The input');
  const failure = await errorWith({ value, from: enteredKey }, session, settings);
  if (failure !== undefined) {
    reporter.notice('The key was not stored.');
    throw failure;
  }
  const place = await credentials.storeKey(baseUrl, value);
  reporter.notice(`Stored the key in ${place}. petctl now uses ${baseUrl}.`);
  if (env.PETCTL_API_KEY !== undefined)
    reporter.notice('PETCTL_API_KEY is set and takes precedence over the stored key.');
}

const statusColumns = ['address', 'inUse', 'key', 'from', 'accepted'];

async function status(session: Session, settings: Settings): Promise<void> {
  const { credentials } = session;
  const { target } = settings;
  const out = await printerFor({ columns: statusColumns, isList: true }, settings, session);
  const others = credentials.addresses().filter((address) => address !== target.baseUrl);
  const key = await credentials.findKey(target);
  const failure = key && (await errorWith(key, session, settings));
  const accepted = key ? acceptance(failure) : null;
  const rows = [statusRow(target.baseUrl, key, true, accepted)];
  for (const address of others) {
    const otherKey = await credentials.storedKey(address);
    rows.push(statusRow(address, otherKey, false, null));
  }
  await out.write(rows);
  await out.end();
  if (failure !== undefined) throw failure;
  // Throws if there is no key.
  await credentials.keyFor(target);
}

function statusRow(
  address: string,
  key: Key | undefined,
  inUse: boolean,
  accepted: boolean | 'unknown' | null,
) {
  return { address, inUse, key: key && shortened(key.value), from: key?.from, accepted };
}

/** The beginning and the end of a long key. Of a short key, this would show too much. */
function shortened(key: string): string {
  return key.length > 12 ? `${key.slice(0, 3)}…${key.slice(-3)}` : '…';
}

/** Whether the service accepts a key, by the error of a call with this key. */
function acceptance(failure: unknown): boolean | 'unknown' {
  if (failure === undefined) return true;
  const isRejected = failure instanceof CliError && failure.kind === 'unauthorized';
  return isRejected ? false : 'unknown';
}

async function token(session: Session, { target }: Settings): Promise<void> {
  const { value } = await session.credentials.keyFor(target);
  await session.stdout.write(`${value}\n`);
}

async function logout(session: Session, { target }: Settings): Promise<void> {
  const { reporter, credentials, env } = session;
  const hint =
    env.PETCTL_API_KEY === undefined ? undefined : 'PETCTL_API_KEY is set and remains in use.';
  if (!(await credentials.removeKey(target.baseUrl)))
    throw new CliError('unauthorized', `There is no stored key for ${target.baseUrl}.`, hint);
  reporter.notice(`Removed the key for ${target.baseUrl}.`);
  if (hint !== undefined) reporter.notice(hint);
}

/** Tries a key. Returns the error of the call; undefined if the service accepts the key. */
async function errorWith(key: Key, session: Session, settings: Settings): Promise<unknown> {
  const operation = Object.values<Operation>(operations).find(isHarmless);
  if (!operation) return undefined;
  const setup = { operation, settings, key };
  try {
    await methodFor(setup, session)(smallestInput(operation));
    return undefined;
  } catch (error) {
    return explainError(error, setup);
  }
}

/** Whether an operation only reads, and can be called without an input. */
function isHarmless({ method, fields }: Operation): boolean {
  const needsInput = Object.values(fields).some(({ required }) => required);
  return method === 'GET' && !needsInput;
}

/** The input for the smallest response. For a list, this is the smallest page. */
function smallestInput({ pagination, fields }: Operation): InputValues {
  if (!pagination) return {};
  return { [pagination.limit]: fields[pagination.limit]?.schema.minimum ?? 1 };
}

/** The key from stdin, or from a terminal without echo. */
async function readKey(address: string, { context, stderr }: Session): Promise<string> {
  const { stdin } = context;
  if (!stdin.isTTY) return readWord('-', stdin);
  // Loaded on demand, because only a login on a terminal needs it.
  const { createInterface } = await import('node:readline');
  // Without an output, readline echoes nothing.
  const lines = createInterface({ input: stdin, terminal: true });
  stderr.writeAndForget(`Enter the API key for ${address} (hidden): `);
  try {
    return await new Promise((resolve, reject) => {
      // Without this listener, Ctrl-Z would end the prompt.
      lines.on('SIGTSTP', () => {});
      const interrupt = () => reject(new CliError('interrupted', 'Interrupted.'));
      lines.once('line', resolve).once('SIGINT', interrupt).once('close', interrupt);
    });
  } finally {
    lines.close();
    stderr.writeAndForget('\n');
  }
}
