import {
  type CallOptions,
  type ConnectOptions,
  type DataAndResponse,
  type DeprecationNotice,
  type Options,
  type Petstore,
  TimeoutError,
  type UserAndPassword,
} from '@petstore/client';
import { type Operation, type OperationId, resolved, type Schema, service, typeIn, typesOf } from '@petstore/types';
import manifest from '../../package.json' with { type: 'json' };
import { ResponseError } from '../io/errors.ts';
import { isObject } from '../io/files.ts';
import { proxyOf } from '../io/http.ts';
import { type Credential, findCredentials, type Holder, NoCredentialError, redactor } from '../keys/credentials.ts';
import { schemeNamed } from '../keys/schemes.ts';
import { tell, wantsNotices } from '../output/options.ts';
import { commandOf, type Invocation } from '../parse/node.ts';
import { settings } from '../settings/settings.ts';

/** What a command needs to know to call the service. */
export interface Service {
  readonly options: Options & ConnectOptions;
  /** Where requests go. */
  readonly baseUrl: string;
  /** Tells what was held back until it was clear how the call ended. */
  readonly tellDeprecation: () => Promise<void>;
}

/** Where and how to call, from the settings, with the credentials for that place. */
export async function serviceFor(invocation: Invocation, credentials: readonly Credential[]): Promise<Service> {
  const { settings: resolved, io, flags } = invocation;
  const baseUrl = resolved.baseUrl.value;
  // A proxy that cannot be used is found before anything is sent.
  await proxyOf(new URL(baseUrl), io.env);
  const notices: DeprecationNotice[] = [];
  let last: Error | undefined;
  const redacted = redactor(credentials);
  const verbosity = Number(flags.get('verbose') ?? 0);
  const trace = verbosity > 0 ? (await import('./trace.ts')).trace(io.stderr, credentials, verbosity) : undefined;
  const options: Options & ConnectOptions = {
    // The client would otherwise look for a key in its own variable.
    apiKey: '',
    credentials: Object.fromEntries(credentials.map((one) => [one.scheme.name, clientValue(one)])),
    baseUrl,
    transport: trace ? trace.transport(invocation.transport) : invocation.transport,
    timeout: resolved.of(settings.timeout).value,
    retry: resolved.of(settings.retries).value,
    headers: { 'user-agent': `petctl/${version}` },
    check: (id, data) =>
      checkKind(
        invocation.operations.find((one) => one.id === id),
        data,
      ),
    on: {
      deprecated: (notice) => void notices.push(notice),
      retry: (reason, attempt, milliseconds) => {
        last = reason;
        trace?.retry(reason, attempt, milliseconds);
      },
      // That time ran out is the smaller part of the story where an attempt had been answered.
      error: (error) => {
        if (error instanceof TimeoutError) error.cause ??= last;
        for (const one of [error, error.cause]) if (one instanceof Error) one.message = redacted(one.message);
      },
    },
  };
  return { options, baseUrl, tellDeprecation: () => tellDeprecation(notices.splice(0), invocation) };
}

/** Refuses data that are no list or no object where they have to be. A newer service may differ in anything less. */
function checkKind(operation: Operation | undefined, data: unknown): void {
  const [status = '', ...others] = operation?.successes ?? [];
  const { kind, schema } = operation?.responses[status] ?? {};
  if (kind !== 'json' || !schema || others.length > 0) return;
  const { items } = resolved(schema);
  if (!isOfKind(data, schema) || (Array.isArray(data) && items && !data.every((one) => isOfKind(one, items))))
    throw new ResponseError(`The response to ${operation?.id} has not the form that the interface describes.`);
}

function isOfKind(value: unknown, schema: Schema): boolean {
  const type = typeIn(schema);
  if (value === null && typesOf(schema).includes('null')) return true;
  return type === 'array' ? Array.isArray(value) : type !== 'object' || isObject(value);
}

/** The credentials of the first combination of which all are there. Throws where none is complete. */
export async function credentialsFor(invocation: Invocation, called: Called): Promise<readonly Credential[]> {
  const { security } = called;
  const holder = holderFor(invocation, addressOf(invocation, called));
  const found = await findCredentials(holder, security);
  if (!found)
    throw new NoCredentialError(
      holder.origin,
      security.map((names) => names.map(schemeNamed)),
    );
  for (const { from, scheme } of found)
    if (from === scheme.variable && isUnexpected(holder, invocation))
      await tell(
        invocation,
        `${from} is sent to ${holder.origin}, because --base-url names it. PETCTL_BASE_URL beside it says that this is meant.`,
      );
  return found;
}

/** Whose credentials a request to an address takes. */
export function holderFor({ io, settings: resolved }: Invocation, address: string): Holder {
  return { env: io.env, profile: resolved.profile, origin: new URL(address).origin };
}

/** Whether a credential of the environment goes where only the command line says: not to the profile's address, a deployment, or this machine. */
function isUnexpected({ origin }: Holder, { settings: resolved }: Invocation): boolean {
  if (resolved.baseUrl.origin !== '--base-url') return false;
  const expected = [...Object.values<string>(service.deployments), ...resolved.addresses];
  const isExpected = expected.some((url) => URL.canParse(url) && new URL(url).origin === origin);
  return !isExpected && !/^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(origin);
}

/** What of an operation decides where it is called, and with which credentials. */
export type Called = Pick<Operation, 'security' | 'server'>;

/** Where an operation is called: the client takes its own server, unless the base address is none that the spec names. */
export function addressOf({ settings }: Invocation, { server }: Called): string {
  const { value: baseUrl } = settings.baseUrl;
  const bare = (url: string) => new URL(url, baseUrl).href.replace(/\/+$/, '');
  if (server === undefined) return baseUrl;
  const named = Object.values<string>(service.deployments).filter((url) => URL.canParse(url));
  const isNamed = named.length === 0 || named.some((url) => bare(url) === bare(baseUrl));
  return isNamed ? bare(server) : baseUrl;
}

/** What the client takes. */
function clientValue({ scheme, value }: Credential): string | UserAndPassword {
  if (scheme.type !== 'basic') return value;
  const [, username = '', password = ''] = /^([^:]*):(.*)$/s.exec(value) ?? [];
  return { username, password };
}

/** A call under way of which nobody knows the operation. */
export interface AnyCall extends Promise<unknown>, Partial<AsyncIterable<object>> {
  withResponse(): Promise<DataAndResponse<unknown>>;
}

/** The client's function for an operation. */
export function createCall(store: Petstore, { id }: Operation): (input?: object, options?: CallOptions) => AnyCall {
  return store[id as OperationId] as (input?: object, options?: CallOptions) => AnyCall;
}

/** Tells of deprecated operations on stderr. */
async function tellDeprecation(notices: readonly DeprecationNotice[], invocation: Invocation): Promise<void> {
  const { operations, path } = invocation;
  if (!wantsNotices(invocation)) return;
  for (const { operation, sunset } of notices) {
    const found = operations.find(({ id }) => id === operation);
    const successor = commandOf(found?.successor, operations);
    const instead = successor ? ` Use '${successor}' instead.` : '';
    await tell(invocation, `${deprecated(`'petctl ${path.join(' ')}'`, sunset)}${instead}`);
  }
}

/** The sentence for whatever is deprecated. */
export function deprecated(what: string, sunset: string | undefined): string {
  return `${what} is deprecated${sunset ? ` and may be gone from ${day(sunset)} on` : ''}.`;
}

/** The service announces a moment, the spec a day. */
function day(sunset: string): string {
  const time = Date.parse(sunset);
  return Number.isNaN(time) ? sunset : new Date(time).toISOString().slice(0, 10);
}

/** The version of petctl, which is not that of the interface. */
export const { version } = manifest;
