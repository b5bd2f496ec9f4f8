import { petstore } from '@petstore/client';
import { addressOf, createCall, holderFor, serviceFor } from '../call/service.ts';
import { InterruptedError, UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import type { Io } from '../io/io.ts';
import {
  accountOf,
  allStored,
  type Credential,
  findCredential,
  type Holder,
  lockedKeyring,
  NoCredentialError,
  openKeyring,
  store,
  storedFor,
  validCredential,
} from '../keys/credentials.ts';
import { credentialName, type Scheme, schemes } from '../keys/schemes.ts';
import { selectedFields } from '../output/format.ts';
import { writeNotice } from '../output/options.ts';
import { print } from '../output/print.ts';
import type { Invocation } from '../parse/command.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { settings } from '../settings/settings.ts';

/** Stores a credential for the origin of the base URL, after the service has accepted it. */
export async function login(invocation: Invocation): Promise<void> {
  const { io, flags, settings: resolved } = invocation;
  const [holder, scheme] = [holderOf(invocation), schemeOf(invocation)];
  const { origin, profile } = holder;
  const input = await readCredential(invocation, origin, scheme);
  const value = validCredential(
    scheme.type === 'basic' ? input.replace(/\r?\n$/, '') : input.trim(),
    scheme,
    'The input',
  );
  if (!flags.has('no-check')) await tryCredential(invocation, { scheme, value, from: 'input' });
  const keyring = resolved.of(settings.keyring).value ? await openKeyring() : undefined;
  keyring?.set(accountOf(holder, scheme), value);
  store(holder, scheme, keyring ? { in: 'keyring' } : { in: 'file', value });
  const where = keyring ? "the system's keyring" : credentialsFile(io.env);
  await writeNotice(
    invocation,
    `Stored the ${credentialName(scheme)} of the profile '${profile}' for ${origin} in ${where}.`,
  );
  if (io.env[scheme.variable]) await writeNotice(invocation, `${scheme.variable} is set and overrides it.`);
}

async function readCredential({ io, flags }: Invocation, origin: string, scheme: Scheme): Promise<string> {
  if (flags.has('with-key')) return readText('-', io);
  if (!io.stdin().isTTY || !io.stderr.isTerminal)
    throw new UsageError(
      'There is no terminal to read the key from.',
      'Pass it on stdin: petctl auth login --with-key < FILE',
    );
  const form = scheme.type === 'basic' ? ' as user:password' : '';
  return askHidden(io, `${scheme.isKey ? 'API key' : `Credential '${scheme.name}'`} for ${origin}${form} (hidden): `);
}

/** Shows the credential in use, its origin, and whether the service accepts it. */
export async function status(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = selectedFields(flags.get('fields'), ['service', 'profile', 'key', 'from', 'accepted']);
  const found = await present(invocation);
  let failure: unknown;
  const accepted = await tryCredential(invocation, found).catch((error: unknown) => {
    failure = error;
    return false;
  });
  const { value, from, scheme } = found;
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
  const [holder, scheme] = [holderOf(invocation), schemeOf(invocation)];
  const stored = storedFor(holder, scheme);
  if (!stored) throw new NoCredentialError(holder.origin, [[scheme]]);
  if (stored.in === 'keyring') {
    const keyring = await openKeyring();
    if (!keyring) throw lockedKeyring(holder, scheme);
    keyring.delete(accountOf(holder, scheme));
  }
  store(holder, scheme, undefined);
  await writeNotice(
    invocation,
    `Removed the ${credentialName(scheme)} of the profile '${holder.profile}' for ${holder.origin}.`,
  );
}

/** Lists the stored credentials without their values. */
export async function list(invocation: Invocation): Promise<void> {
  const columns = selectedFields(invocation.flags.get('fields'), ['profile', 'origin', 'scheme', 'in']);
  await print(allStored(invocation.io.env), { list: true, columns }, invocation);
}

/** Prints the credential. */
export async function token(invocation: Invocation): Promise<void> {
  const { value } = await present(invocation);
  await invocation.io.stdout.write(`${value}\n`);
}

/** The credential of the selected scheme. Throws if there is none. */
async function present(invocation: Invocation): Promise<Credential> {
  const scheme = schemeOf(invocation);
  const holder = holderOf(invocation);
  const found = await findCredential(holder, scheme);
  if (!found) throw new NoCredentialError(holder.origin, [[scheme]]);
  return found;
}

/** The scheme of `--scheme`, else of the API key, else the first. */
function schemeOf({ flags }: Invocation): Scheme {
  const name = flags.get('scheme');
  const [first, ...others] = schemes();
  const scheme = name === undefined ? first : [first, ...others].find((one) => one?.name === name);
  if (!scheme) throw new UsageError('The service needs no credential.', 'Call it without one.');
  return scheme;
}

function holderOf(invocation: Invocation): Holder {
  return holderFor(invocation, invocation.settings.baseUrl.value);
}

/** Sends the smallest request that needs only this credential, and throws its error. Returns undefined if there is no such request. */
async function tryCredential(invocation: Invocation, credential: Credential): Promise<true | undefined> {
  const { operations, io } = invocation;
  const probe = operations.find(
    (one) =>
      one.method === 'GET' &&
      // Other servers must not receive it.
      addressOf(invocation, one) === invocation.settings.baseUrl.value &&
      one.security.some((names) => names.length === 1 && names[0] === credential.scheme.name) &&
      Object.values(one.fields).every(({ required }) => !required),
  );
  if (!probe) return undefined;
  const { pagination, fields } = probe;
  const limit = pagination?.limit;
  const least = limit !== undefined && { [limit]: fields[limit]?.schema.minimum ?? 1 };
  const { options } = await serviceFor(invocation, [credential]);
  await createCall(petstore(options), probe)(least || {}, { signal: io.interrupted });
  return true;
}

/** Reads a line from the terminal without echo. */
export async function askHidden({ stdin, stderr }: Io, question: string): Promise<string> {
  const input = stdin();
  // First, to hide early input as well.
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
