import { readAll } from '../call/body.ts';
import { NoKeyError, UsageError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { keep, keptFor } from '../keys/credentials.ts';
import { findKey, keyVariable, usable } from '../keys/find-key.ts';
import { openKeyring } from '../keys/keyring.ts';
import { askHidden } from '../keys/prompt.ts';
import { print } from '../out/print.ts';
import { chosen } from '../out/shape.ts';
import { credentialsFile } from '../settings/places.ts';
import { settings } from '../settings/settings.ts';
import { tell } from './tell.ts';
import { tryKey } from './try-key.ts';

/** Keeps a key for the origin that requests go to, once the service has taken it. */
export async function login(invocation: Invocation): Promise<void> {
  const { io, flags, settings: resolved } = invocation;
  const origin = originOf(invocation);
  const key = usable((await givenKey(invocation, origin)).trim(), 'What was given');
  if (!flags.has('no-check')) await tryKey(invocation, key);
  const keyring = resolved.of(settings.keyring).value ? await openKeyring() : undefined;
  keyring?.set(origin, key);
  keep(io.env, origin, keyring ? { in: 'keyring' } : { in: 'file', key });
  const where = keyring ? 'the keyring of the system' : credentialsFile(io.env);
  await tell(invocation, `The key for ${origin} is kept in ${where}.`);
  if (io.env[keyVariable]) await tell(invocation, `${keyVariable} is set, and goes before it.`);
}

async function givenKey({ io, flags }: Invocation, origin: string): Promise<string> {
  if (flags.has('with-key')) return readAll(io);
  if (!io.stdin().isTTY || !io.stderr.isTerminal)
    throw new UsageError(
      'There is no terminal to ask for the key on.',
      'Give it on stdin: petctl auth login --with-key < FILE',
    );
  return askHidden(io, `API key for ${origin} (it is not shown): `);
}

/** Shows which key is used, from where, and whether the service takes it. */
export async function status(invocation: Invocation): Promise<void> {
  const { io, settings: resolved, flags } = invocation;
  const baseUrl = resolved.baseUrl.value;
  const columns = chosen(flags.get('fields'), ['service', 'profile', 'key', 'from', 'accepted']);
  const found = await findKey(io, baseUrl);
  if (!found) throw new NoKeyError(originOf(invocation));
  let failure: unknown;
  const accepted = await tryKey(invocation, found.key).then(
    () => true,
    (error: unknown) => {
      failure = error;
      return false;
    },
  );
  const key = `${found.key.slice(0, 3)}…${found.key.length > 12 ? found.key.slice(-3) : ''}`;
  const row = { service: baseUrl, profile: resolved.profile, key, from: found.from, accepted };
  await print([row], { list: false, columns }, invocation);
  if (failure !== undefined) throw failure;
}

/** Forgets the key that is kept for the origin. */
export async function logout(invocation: Invocation): Promise<void> {
  const { env } = invocation.io;
  const origin = originOf(invocation);
  const kept = keptFor(env, origin);
  if (!kept) throw new NoKeyError(origin);
  if (kept.in === 'keyring') (await openKeyring())?.delete(origin);
  keep(env, origin, undefined);
  await tell(invocation, `The key for ${origin} is forgotten.`);
}

/** Prints the key. */
export async function token(invocation: Invocation): Promise<void> {
  const { io, settings: resolved } = invocation;
  const found = await findKey(io, resolved.baseUrl.value);
  if (!found) throw new NoKeyError(originOf(invocation));
  await io.stdout.write(`${found.key}\n`);
}

function originOf({ settings: resolved }: Invocation): string {
  return new URL(resolved.baseUrl.value).origin;
}
