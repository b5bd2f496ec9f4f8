import { petstore } from '@petstore/client';
import { baseUrlFor, clientFor, createCall, credentialScope } from '../call/client.ts';
import { InterruptedError, UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import type { Io } from '../io/process-io.ts';
import {
  accountOf,
  type Credential,
  type CredentialScope,
  findCredential,
  keyringLocked,
  listStored,
  NoCredentialError,
  openKeyring,
  readStored,
  saveCredential,
  validCredential,
} from '../keys/credentials.ts';
import { credentialName, type Scheme, schemes } from '../keys/schemes.ts';
import { selectedFields } from '../output/format.ts';
import { print } from '../output/print.ts';
import { writeNotice } from '../output/report.ts';
import type { Invocation } from '../parse/command.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { settings } from '../settings/settings.ts';

/** Stores a credential for the origin of the base URL, after the service has accepted it. */
export async function login(invocation: Invocation): Promise<void> {
  const { io, flags, settings: resolved } = invocation;
  const [scope, scheme] = [scopeOf(invocation), schemeOf(invocation)];
  const { origin, profile } = scope;
  const input = await readCredential(invocation, origin, scheme);
  const text = scheme.type === 'basic' ? input.replace(/\r?\n$/, '') : input.trim();
  const value = validCredential(text, scheme, 'The input');
  if (!flags.has('no-check')) await checkCredential(invocation, { scheme, value, from: 'input' });
  const keyring = resolved.get(settings.keyring).value ? await openKeyring() : undefined;
  keyring?.set(accountOf(scope, scheme), value);
  saveCredential(scope, scheme, keyring ? { in: 'keyring' } : { in: 'file', value });
  const storage = keyring ? "the system's keyring" : credentialsFile(io.env);
  await writeNotice(
    invocation,
    `Stored the ${credentialName(scheme)} of the profile '${profile}' for ${origin} in ${storage}.`,
  );
  if (io.env[scheme.variable])
    await writeNotice(invocation, `${scheme.variable} is set and overrides the stored credential.`);
}

async function readCredential({ io, flags }: Invocation, origin: string, scheme: Scheme): Promise<string> {
  if (flags.has('with-key')) return readText('-', io);
  if (!io.stdin().isTTY || !io.stderr.isTerminal)
    throw new UsageError(
      'There is no terminal to read the key from.',
      'Pass it on stdin: petctl auth login --with-key < FILE',
    );
  const form = scheme.type === 'basic' ? ' as user:password' : '';
  return askHidden(
    io,
    `${scheme.isApiKey ? 'API key' : `Credential '${scheme.name}'`} for ${origin}${form} (hidden): `,
  );
}

/** Shows the credential in use, its origin, and whether the service accepts it. */
export async function status(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = selectedFields(flags.get('fields'), ['service', 'profile', 'key', 'from', 'accepted']);
  const credential = await requireCredential(invocation);
  let failure: unknown;
  const accepted = await checkCredential(invocation, credential).catch((error: unknown) => {
    failure = error;
    return false;
  });
  const { value, from, scheme } = credential;
  const end = value.length > 12 ? value.slice(-3) : '';
  const key = scheme.type === 'basic' ? `${value.split(':')[0]}:…` : `${value.slice(0, 3)}…${end}`;
  const row = {
    service: resolved.baseUrl.value,
    profile: resolved.profile,
    key,
    from,
    accepted: accepted ?? 'not tried',
  };
  await print([row], { list: false, columns }, invocation);
  if (failure !== undefined) throw failure;
}

/** Removes the stored credential. */
export async function logout(invocation: Invocation): Promise<void> {
  const [scope, scheme] = [scopeOf(invocation), schemeOf(invocation)];
  const stored = readStored(scope, scheme);
  if (!stored) throw new NoCredentialError(scope.origin, [[scheme]]);
  if (stored.in === 'keyring') {
    const keyring = await openKeyring();
    if (!keyring) throw keyringLocked(scope, scheme);
    keyring.delete(accountOf(scope, scheme));
  }
  saveCredential(scope, scheme, undefined);
  await writeNotice(
    invocation,
    `Removed the ${credentialName(scheme)} of the profile '${scope.profile}' for ${scope.origin}.`,
  );
}

/** Lists the stored credentials without their values. */
export async function list(invocation: Invocation): Promise<void> {
  const columns = selectedFields(invocation.flags.get('fields'), ['profile', 'origin', 'scheme', 'in']);
  await print(listStored(invocation.io.env), { list: true, columns }, invocation);
}

/** Prints the credential. */
export async function token(invocation: Invocation): Promise<void> {
  const { value } = await requireCredential(invocation);
  await invocation.io.stdout.write(`${value}\n`);
}

/** The credential of the selected scheme; throws if there is none. */
async function requireCredential(invocation: Invocation): Promise<Credential> {
  const [scope, scheme] = [scopeOf(invocation), schemeOf(invocation)];
  const credential = await findCredential(scope, scheme);
  if (!credential) throw new NoCredentialError(scope.origin, [[scheme]]);
  return credential;
}

/** The scheme that `--scheme` names, else the scheme of the API key, else the first scheme. */
function schemeOf({ flags }: Invocation): Scheme {
  const name = flags.get('scheme');
  const [first, ...others] = schemes();
  const scheme = name === undefined ? first : [first, ...others].find((one) => one?.name === name);
  if (!scheme) throw new UsageError('The service needs no credential.', 'Call the service without a credential.');
  return scheme;
}

function scopeOf(invocation: Invocation): CredentialScope {
  return credentialScope(invocation, invocation.settings.baseUrl.value);
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
      baseUrlFor(invocation, one) === invocation.settings.baseUrl.value &&
      one.security.some((names) => names.length === 1 && names[0] === credential.scheme.name) &&
      Object.values(one.fields).every(({ required }) => !required),
  );
  if (!probe) return undefined;
  const { pagination, fields } = probe;
  const limit = pagination?.limit;
  const input = limit === undefined ? {} : { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await clientFor(invocation, [credential]);
  await createCall(petstore(options), probe)(input, { signal: io.interrupted });
  return true;
}

/** Reads a line from the terminal without echo. */
async function askHidden({ stdin, stderr }: Io, question: string): Promise<string> {
  const input = stdin();
  // Echo is disabled before the prompt is written, so that early input is hidden, too.
  input.setRawMode(true);
  input.setEncoding('utf8');
  try {
    await stderr.write(question);
    return await new Promise((resolve, reject) => {
      let line = '';
      input.on('data', (typed: string) => {
        for (const character of typed.replaceAll('\u001b[200~', '').replaceAll('\u001b[201~', '')) {
          if (character === '\r' || character === '\n') return resolve(line);
          if (character === '\u0003' || (character === '\u0004' && line === '')) return reject(new InterruptedError());
          if (character === '\u007f' || character === '\b') line = [...line].slice(0, -1).join('');
          else if (character === '\u0015') line = '';
          else line += character;
        }
      });
      input.on('end', () => resolve(line));
      input.on('error', reject);
    });
  } finally {
    input.setRawMode(false);
    input.removeAllListeners('data');
    input.pause();
    await stderr.write('\n');
  }
}
