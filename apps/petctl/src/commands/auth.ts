import { petstore } from '@petstore/client';
import { addressOf, createCall, holderFor, serviceFor } from '../call/service.ts';
import { UsageError } from '../io/errors.ts';
import { readText } from '../io/files.ts';
import {
  allStored,
  type Credential,
  closedKeyring,
  findCredential,
  type Holder,
  NoCredentialError,
  store,
  storedFor,
  usable,
} from '../keys/credentials.ts';
import { accountOf, openKeyring } from '../keys/keyring.ts';
import { askHidden } from '../keys/prompt.ts';
import { credentialName, type Scheme, schemes } from '../keys/schemes.ts';
import { tell } from '../output/options.ts';
import { print } from '../output/print.ts';
import { chosen } from '../output/shape.ts';
import type { Invocation } from '../parse/node.ts';
import { credentialsFile } from '../settings/profiles.ts';
import { settings } from '../settings/settings.ts';

/** Stores a credential for the origin that requests go to, once the service has accepted it. */
export async function login(invocation: Invocation): Promise<void> {
  const { io, flags, settings: resolved } = invocation;
  const [holder, scheme] = [holderOf(invocation), schemeOf(invocation)];
  const { origin, profile } = holder;
  const input = await readCredential(invocation, origin, scheme);
  const value = usable(scheme.type === 'basic' ? input.replace(/\r?\n$/, '') : input.trim(), scheme, 'The input');
  if (!flags.has('no-check')) await tryCredential(invocation, { scheme, value, from: 'input' });
  const keyring = resolved.of(settings.keyring).value ? await openKeyring() : undefined;
  keyring?.set(accountOf(holder, scheme), value);
  store(holder, scheme, keyring ? { in: 'keyring' } : { in: 'file', value });
  const where = keyring ? 'the keyring of the system' : credentialsFile(io.env);
  await tell(
    invocation,
    `The ${credentialName(scheme)} of the profile '${profile}' for ${origin} is stored in ${where}.`,
  );
  if (io.env[scheme.variable]) await tell(invocation, `${scheme.variable} is set, and overrides it.`);
}

async function readCredential({ io, flags }: Invocation, origin: string, scheme: Scheme): Promise<string> {
  if (flags.has('with-key')) return readText('-', io);
  if (!io.stdin().isTTY || !io.stderr.isTerminal)
    throw new UsageError(
      'There is no terminal to ask for the key on.',
      'Give it on stdin: petctl auth login --with-key < FILE',
    );
  const form = scheme.type === 'basic' ? ' as user:password' : '';
  return askHidden(
    io,
    `${scheme.isKey ? 'API key' : `Credential '${scheme.name}'`} for ${origin}${form} (it is not shown): `,
  );
}

/** Shows which credential is used, from where, and whether the service accepts it. */
export async function status(invocation: Invocation): Promise<void> {
  const { settings: resolved, flags } = invocation;
  const columns = chosen(flags.get('fields'), ['service', 'profile', 'key', 'from', 'accepted']);
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
    if (!keyring) throw closedKeyring(holder, scheme);
    keyring.delete(accountOf(holder, scheme));
  }
  store(holder, scheme, undefined);
  await tell(
    invocation,
    `The ${credentialName(scheme)} of the profile '${holder.profile}' for ${holder.origin} is removed.`,
  );
}

/** Lists the stored credentials, without themselves. */
export async function list(invocation: Invocation): Promise<void> {
  const columns = chosen(invocation.flags.get('fields'), ['profile', 'origin', 'scheme', 'in']);
  await print(allStored(invocation.io.env), { list: true, columns }, invocation);
}

/** Prints the credential. */
export async function token(invocation: Invocation): Promise<void> {
  const { value } = await present(invocation);
  await invocation.io.stdout.write(`${value}\n`);
}

/** The credential of the chosen scheme. Throws where there is none. */
async function present(invocation: Invocation): Promise<Credential> {
  const scheme = schemeOf(invocation);
  const holder = holderOf(invocation);
  const found = await findCredential(holder, scheme);
  if (!found) throw new NoCredentialError(holder.origin, [[scheme]]);
  return found;
}

/** The scheme that `--scheme` names, else that of the API key, else the first. */
function schemeOf({ flags }: Invocation): Scheme {
  const name = flags.get('scheme');
  const [first, ...others] = schemes();
  const scheme = name === undefined ? first : [first, ...others].find((one) => one?.name === name);
  if (!scheme) throw new UsageError('The service takes no credential.', 'Call the service without one.');
  return scheme;
}

function holderOf(invocation: Invocation): Holder {
  return holderFor(invocation, invocation.settings.baseUrl.value);
}

/** Sends the smallest request that needs this credential alone, and throws the error of the service if it is refused. Nothing where there is no such request. */
async function tryCredential(invocation: Invocation, credential: Credential): Promise<true | undefined> {
  const { operations, io } = invocation;
  const probe = operations.find(
    (one) =>
      one.method === 'GET' &&
      // Another server is not to see it.
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
