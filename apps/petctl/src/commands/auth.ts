import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { baseUrlFor, clientFunction, clientOptionsFor, credentialScope } from '../call/client.ts';
import { CliError, errorHints, InterruptedError, UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import type { Sink } from '../io/process-io.ts';
import {
  type Credential,
  type CredentialId,
  changeKeyring,
  credentialName,
  credentialsFile,
  findCredential,
  keyringEntry,
  noCredential,
  readStored,
  removeFromKeyring,
  saveCredential,
  schemes,
  validCredential,
} from '../keys/credentials.ts';
import { selectedFields } from '../output/format.ts';
import { print } from '../output/print.ts';
import { isUnauthorized, writeNotice } from '../output/report.ts';
import type { Invocation } from '../parse/command.ts';
import { settings } from '../settings/settings.ts';

/** Stores a credential for the origin of the base URL, after the service has accepted it. */
export async function login(invocation: Invocation): Promise<void> {
  const { io, flags, userSettings } = invocation;
  const id = selectedCredentialId(invocation);
  const { origin, scheme } = id;
  const value = validCredential((await readCredential(invocation, id)).trim(), scheme, 'The input');
  if (!flags.has('no-check'))
    await checkCredential(invocation, { scheme, value, from: 'input' }).catch(async (error: Error) => {
      if (isUnauthorized(error))
        errorHints.set(error, 'Check it and --base-url, or use --no-check to store it untried.');
      await writeNotice(invocation, `The ${credentialName(scheme)} was not stored.`);
      throw error;
    });
  const entry = userSettings.get(settings.keyring).value ? await keyringEntry(id) : undefined;
  changeKeyring(() => entry?.setPassword(value), 'Unlock it, or use --no-keyring.');
  const wasInKeyring = saveCredential(id, entry ? { keyring: true } : { key: value });
  if (wasInKeyring && !entry)
    await removeFromKeyring(id).catch((error: Error) =>
      writeNotice(invocation, `The older ${credentialName(scheme)} remains in the system's keyring. ${error.message}`),
    );
  const storage = entry ? "the system's keyring" : credentialsFile(io.env);
  await writeNotice(invocation, `Stored the ${credentialName(scheme)} for ${origin} in ${storage}.`);
  if (io.env[scheme.variable])
    await writeNotice(invocation, `${scheme.variable} is set and overrides the stored ${credentialName(scheme)}.`);
}

async function readCredential({ io, flags }: Invocation, { origin, scheme }: CredentialId): Promise<string> {
  if (flags.has('with-key')) return readText('-', io);
  const stdin = io.stdin();
  if (!stdin.isTTY || !io.stderr.isTerminal)
    throw new UsageError(
      'There is no terminal to read the key from.',
      'Pass it on stdin: petctl auth login --with-key < FILE',
    );
  return askHidden(stdin, io.stderr, `Enter the ${credentialName(scheme)} for ${origin} (hidden): `);
}

/** Shows the credential in use, where it is from, and whether the service accepts it. */
export async function status(invocation: Invocation): Promise<void> {
  const { userSettings, flags } = invocation;
  const columns = selectedFields(flags.get('fields'), ['service', 'key', 'from', 'accepted']);
  const credential = await requireCredential(invocation);
  let failure: unknown;
  const { value, from, scheme } = credential;
  const accepted = await checkCredential(invocation, credential).catch((error: Error) => {
    failure = error;
    if (!isUnauthorized(error)) return 'unknown';
    errorHints.set(
      error,
      from === scheme.variable ? `Set another key in ${from}.` : "Store another with 'petctl auth login'.",
    );
    return false;
  });
  const end = value.length > 12 ? value.slice(-3) : '';
  const row = {
    service: userSettings.baseUrl.value,
    key: `${value.slice(0, 3)}…${end}`,
    from,
    accepted: accepted ?? 'not tried',
  };
  await print([row], { list: false, columns }, invocation);
  if (failure !== undefined) throw failure;
}

/** Removes the stored credential. */
export async function logout(invocation: Invocation): Promise<void> {
  const id = selectedCredentialId(invocation);
  const { origin, scheme, env } = id;
  const isSet = Boolean(env[scheme.variable]);
  const stored = readStored(id);
  if (!stored)
    throw new CliError(
      'unauthorized',
      `There is no stored ${credentialName(scheme)} for ${origin}.`,
      isSet ? `To stop using ${scheme.variable}, unset it.` : 'Check --base-url.',
    );
  if ('keyring' in stored) await removeFromKeyring(id);
  saveCredential(id, undefined);
  await writeNotice(invocation, `Removed the ${credentialName(scheme)} for ${origin}.`);
  if (isSet) await writeNotice(invocation, `${scheme.variable} is set and remains in use.`);
}

/** Prints the credential. */
export async function token(invocation: Invocation): Promise<void> {
  const { value } = await requireCredential(invocation);
  await invocation.io.stdout.write(`${value}\n`);
}

/** The credential of the selected scheme; throws if there is none. */
async function requireCredential(invocation: Invocation): Promise<Credential> {
  const id = selectedCredentialId(invocation);
  const credential = await findCredential(id);
  if (!credential) throw noCredential(id, [[id.scheme]]);
  return credential;
}

/** The credential of the scheme that `--scheme` names, else of the API key, else of the first scheme. */
function selectedCredentialId(invocation: Invocation): CredentialId {
  const name = invocation.flags.get('scheme');
  const all = schemes();
  const scheme = name === undefined ? all[0] : all.find((one) => one.name === name);
  if (!scheme) throw new UsageError('The service needs no credential.', 'Call the service without a credential.');
  return { ...credentialScope(invocation, invocation.userSettings.baseUrl.value), scheme };
}

/**
 * Sends the smallest request that needs only this credential. Returns true if the service accepts the credential, undefined if the
 * spec has no such request, and throws otherwise.
 */
async function checkCredential(invocation: Invocation, credential: Credential): Promise<true | undefined> {
  const { operations, io } = invocation;
  const probe = operations.find(
    (one) =>
      one.method === 'GET' &&
      // An operation with a server of its own would send the credential there.
      baseUrlFor(invocation, one) === invocation.userSettings.baseUrl.value &&
      one.security.some((names) => names.length === 1 && names[0] === credential.scheme.name) &&
      Object.values(one.fields).every(({ required }) => !required),
  );
  if (!probe) return undefined;
  const { pagination, fields } = probe;
  const limit = pagination?.limit;
  const input = limit === undefined ? {} : { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await clientOptionsFor(invocation, [credential]);
  await clientFunction(options, probe)(input, { signal: io.interrupted });
  return true;
}

/** Reads a line from the terminal without echo. */
async function askHidden(stdin: NodeJS.ReadStream, stderr: Sink, prompt: string): Promise<string> {
  // readline disables the echo of the terminal before the prompt is written, and its own echo is discarded.
  const discarded = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: discarded, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      const ask = () => void stderr.write(prompt).catch(reject);
      lines.on('line', resolve);
      lines.on('error', reject);
      for (const end of ['SIGINT', 'close']) lines.on(end, () => reject(new InterruptedError()));
      lines.on('SIGCONT', () => {
        // readline ends the echo only after this listener, but the key may be typed as soon as the prompt is shown.
        stdin.setRawMode(true);
        // Deletes the typed text, and resumes stdin, which readline paused after Ctrl-Z.
        lines.write(null, { ctrl: true, name: 'u' });
        ask();
      });
      ask();
    });
  } finally {
    lines.close();
    await stderr.write('\n');
  }
}
