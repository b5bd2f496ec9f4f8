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
import { wantsNotices, writeNotice } from '../output/options.ts';
import { commandOf, type Invocation } from '../parse/command.ts';
import { settings } from '../settings/settings.ts';

/** The options for calls of the service. */
export interface Service {
  readonly options: Options & ConnectOptions;
  /** The URL of requests. */
  readonly baseUrl: string;
  /** Writes the deprecation notices of finished calls. */
  readonly writeDeprecations: () => Promise<void>;
}

/** The client's options, from settings and credentials. */
export async function serviceFor(invocation: Invocation, credentials: readonly Credential[]): Promise<Service> {
  const { settings: resolved, io, flags } = invocation;
  const baseUrl = resolved.baseUrl.value;
  // Reports an unusable proxy before anything is sent.
  await proxyOf(new URL(baseUrl), io.env);
  const notices: DeprecationNotice[] = [];
  let last: Error | undefined;
  const redacted = redactor(credentials);
  const verbosity = Number(flags.get('verbose') ?? 0);
  const trace = verbosity > 0 ? (await import('./trace.ts')).trace(io.stderr, credentials, verbosity) : undefined;
  const options: Options & ConnectOptions = {
    // Keeps the client from reading its own variable.
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
      // The error of the last attempt explains more than the timeout.
      error: (error) => {
        if (error instanceof TimeoutError) error.cause ??= last;
        for (const one of [error, error.cause]) if (one instanceof Error) one.message = redacted(one.message);
      },
    },
  };
  return { options, baseUrl, writeDeprecations: () => writeDeprecations(notices.splice(0), invocation) };
}

/** Rejects a response that is not the list or object of the spec. Newer services may differ in details. */
function checkKind(operation: Operation | undefined, data: unknown): void {
  const [status = '', ...others] = operation?.successes ?? [];
  const { kind, schema } = operation?.responses[status] ?? {};
  if (kind !== 'json' || !schema || others.length > 0) return;
  const { items } = resolved(schema);
  if (!isOfKind(data, schema) || (Array.isArray(data) && items && !data.every((one) => isOfKind(one, items))))
    throw new ResponseError(`The response to ${operation?.id} does not match the interface.`);
}

function isOfKind(value: unknown, schema: Schema): boolean {
  const type = typeIn(schema);
  if (value === null && typesOf(schema).includes('null')) return true;
  return type === 'array' ? Array.isArray(value) : type !== 'object' || isObject(value);
}

/** The credentials of the first complete combination. Throws if there is none. */
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
      await writeNotice(
        invocation,
        `Sending ${from} to ${holder.origin}, because --base-url names it. Set PETCTL_BASE_URL, too, to hide this notice.`,
      );
  return found;
}

/** The holder of the credentials for an address. */
export function holderFor({ io, settings: resolved }: Invocation, address: string): Holder {
  return { env: io.env, profile: resolved.profile, origin: new URL(address).origin };
}

/** Whether only the command line names this origin: it is no profile's, deployment's or local address. */
function isUnexpected({ origin }: Holder, { settings: resolved }: Invocation): boolean {
  if (resolved.baseUrl.origin !== '--base-url') return false;
  const expected = [...Object.values<string>(service.deployments), ...resolved.addresses];
  const isExpected = expected.some((url) => URL.canParse(url) && new URL(url).origin === origin);
  return !isExpected && !/^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(origin);
}

/** The part of an operation that decides its URL and credentials. */
export type Called = Pick<Operation, 'security' | 'server'>;

/** The URL of an operation: its own server, unless the base URL is none of the spec's. */
export function addressOf({ settings }: Invocation, { server }: Called): string {
  const { value: baseUrl } = settings.baseUrl;
  const bare = (url: string) => new URL(url, baseUrl).href.replace(/\/+$/, '');
  if (server === undefined) return baseUrl;
  const named = Object.values<string>(service.deployments).filter((url) => URL.canParse(url));
  const isNamed = named.length === 0 || named.some((url) => bare(url) === bare(baseUrl));
  return isNamed ? bare(server) : baseUrl;
}

/** A credential in the client's form. */
function clientValue({ scheme, value }: Credential): string | UserAndPassword {
  if (scheme.type !== 'basic') return value;
  const [, username = '', password = ''] = /^([^:]*):(.*)$/s.exec(value) ?? [];
  return { username, password };
}

/** A call of any operation. */
export interface AnyCall extends Promise<unknown>, Partial<AsyncIterable<object>> {
  withResponse(): Promise<DataAndResponse<unknown>>;
}

/** The client's function for an operation. */
export function createCall(store: Petstore, { id }: Operation): (input?: object, options?: CallOptions) => AnyCall {
  return store[id as OperationId] as (input?: object, options?: CallOptions) => AnyCall;
}

/** Writes notices of deprecated operations to stderr. */
async function writeDeprecations(notices: readonly DeprecationNotice[], invocation: Invocation): Promise<void> {
  const { operations, path } = invocation;
  if (!wantsNotices(invocation)) return;
  for (const { operation, sunset } of notices) {
    const found = operations.find(({ id }) => id === operation);
    const successor = commandOf(found?.successor, operations);
    const instead = successor ? ` Use '${successor}' instead.` : '';
    await writeNotice(invocation, `${deprecated(`'petctl ${path.join(' ')}'`, sunset)}${instead}`);
  }
}

/** The sentence for a deprecation. */
export function deprecated(what: string, sunset: string | undefined): string {
  return `${what} is deprecated${sunset ? ` and may be removed from ${day(sunset)} on` : ''}.`;
}

/** The date of a sunset. The header has a time, the spec a date. */
function day(sunset: string): string {
  const time = Date.parse(sunset);
  return Number.isNaN(time) ? sunset : new Date(time).toISOString().slice(0, 10);
}

/** The version of petctl, not of the interface. */
export const { version } = manifest;
