import {
  atServer,
  type CallOptions,
  type ConnectOptions,
  connect,
  type DataAndResponse,
  type DeprecationNotice,
  type Options,
  type Page,
  petstore,
  TimeoutError,
} from '@petstore/client';
import manifest from '../../package.json' with { type: 'json' };
import { ResponseError, unsendableInputErrors } from '../io/errors.ts';
import { proxyOf } from '../io/http.ts';
import { isObject } from '../io/text.ts';
import { type Credential, type CredentialScope, findCredentials, redactor } from '../keys/credentials.ts';
import { type Operation, type OperationId, resolved, type Schema, service, typeIn, typesOf } from '../old.ts';
import { wantsNotices, writeNotice } from '../output/report.ts';
import { type Invocation, successorHint } from '../parse/command.ts';
import { settings } from '../settings/settings.ts';

/** The client's options for a command. Throws if the proxy of the environment is invalid. */
export async function clientOptionsFor(invocation: Invocation, credentials: readonly Credential[]) {
  const { userSettings, io, flags, operations, node, path } = invocation;
  const baseUrl = userSettings.baseUrl.value;
  await proxyOf(new URL(baseUrl), io.env);
  let notice: DeprecationNotice | undefined;
  let lastFailure: Error | undefined;
  const redacted = redactor(credentials, () => '***');
  const verbosity = Number(flags.get('verbose') ?? 0);
  const trace = verbosity > 0 ? (await import('./trace.ts')).trace(io.stderr, redacted, verbosity) : undefined;
  const options: Options & ConnectOptions = {
    // An empty key prevents the client from reading its own variable.
    apiKey: '',
    credentials: Object.fromEntries(credentials.map((one) => [one.scheme.name, one.value])),
    baseUrl,
    transport: trace ? trace.transport(invocation.transport) : invocation.transport,
    timeout: userSettings.get(settings.timeout).value,
    retry: userSettings.get(settings.retries).value,
    headers: { 'user-agent': `petctl/${version}` },
    check: (id, data) => checkResponse(invocation, id, data),
    on: {
      deprecated: (received) => {
        notice = received;
      },
      request: (_, attempt) => {
        // The failure of an earlier request does not explain a timeout of this one.
        if (attempt === 0) lastFailure = undefined;
      },
      retry: (reason, attempt, milliseconds) => {
        lastFailure = reason;
        trace?.retry(reason, attempt, milliseconds);
      },
      error: (error) => {
        // The client throws these classes before it sends anything; its other errors have classes of their own.
        if (error instanceof TypeError || error instanceof RangeError) unsendableInputErrors.add(error);
        // The error of the last attempt explains more than the timeout.
        if (error instanceof TimeoutError) error.cause ??= lastFailure;
        for (const one of [error, error.cause]) if (one instanceof Error) one.message = redacted(one.message);
      },
    },
  };
  /** Writes a notice if the operation of the calls is deprecated. */
  const writeDeprecation = async () => {
    if (!notice || !wantsNotices(invocation)) return;
    const text = deprecationText(`'petctl ${path.join(' ')}'`, notice.sunset);
    await writeNotice(invocation, text + successorHint(node.operation?.successor, operations));
  };
  return { options, writeDeprecation };
}

/** Throws if a response is not the list or object of the spec; newer services may differ in other details. */
function checkResponse({ operations }: Invocation, id: OperationId, data: unknown): void {
  const operation = operations.find((one) => one.id === id);
  const [status = '', ...others] = operation?.successes ?? [];
  const { kind, schema } = operation?.responses[status] ?? {};
  if (kind !== 'json' || !schema || others.length > 0) return;
  const { items } = resolved(schema);
  if (!hasType(data, schema) || (Array.isArray(data) && items && !data.every((one) => hasType(one, items))))
    throw new ResponseError(`The response to ${id} does not match the spec.`);
}

function hasType(value: unknown, schema: Schema): boolean {
  const type = typeIn(schema);
  if (value === null && typesOf(schema).includes('null')) return true;
  return type === 'array' ? Array.isArray(value) : type !== 'object' || isObject(value);
}

/** Finds the credentials for a call. Writes a notice if an environment variable is sent to an unknown origin. */
export async function credentialsFor(invocation: Invocation, target: CallTarget): Promise<readonly Credential[]> {
  const scope = credentialScope(invocation, baseUrlFor(invocation, target));
  const credentials = await findCredentials(scope, target.security);
  for (const { from, scheme } of credentials)
    if (from === scheme.variable && isUnknownOrigin(scope, invocation))
      await writeNotice(
        invocation,
        `Sending ${from} to ${scope.origin}, because --base-url names it. Set PETCTL_BASE_URL, too, to hide this notice.`,
      );
  return credentials;
}

/** The origin of the credentials for a base URL. */
export function credentialScope({ io, flags }: Invocation, baseUrl: string): CredentialScope {
  const selecting = ['base-url', 'deployment'].filter((name) => flags.has(name)).map((name) => `--${name}`);
  return { env: io.env, origin: new URL(baseUrl).origin, flags: selecting };
}

/** Whether only `--base-url` names this origin: it is not local, and neither a deployment nor PETCTL_BASE_URL has it. */
function isUnknownOrigin({ origin, env }: CredentialScope, { userSettings }: Invocation): boolean {
  if (userSettings.baseUrl.source !== '--base-url') return false;
  const known = [...Object.values<string>(service.deployments), env[settings['base-url'].variable] ?? ''];
  const isKnown = known.some((url) => URL.canParse(url) && new URL(url).origin === origin);
  return !isKnown && !/^https?:\/\/(localhost|127\.[\d.]+|\[::1\])(:|$)/.test(origin);
}

/** The part of an operation that decides the URL and the credentials. */
export type CallTarget = Pick<Operation, 'security' | 'server'>;

/** The base URL of an operation: its own server, unless the user set a base URL that is not in the spec. */
export function baseUrlFor({ userSettings }: Invocation, { server }: CallTarget): string {
  const { value: baseUrl } = userSettings.baseUrl;
  return server === undefined ? baseUrl : atServer(connect({ baseUrl }), server).baseUrl;
}

/** A call of any operation. Only the call of an operation that has pages has a `page`. */
export interface Call extends Promise<unknown> {
  withResponse(): Promise<DataAndResponse<unknown>>;
  page(): Promise<Page<unknown>>;
}

/** The client's function for an operation. */
export function clientFunction(options: Options, { id }: Operation): (input: object, options?: CallOptions) => Call {
  return petstore(options)[id as OperationId] as (input: object, options?: CallOptions) => Call;
}

/** The sentence for a deprecated command. */
export function deprecationText(what: string, sunset: string | undefined): string {
  return `${what} is deprecated${sunset ? ` and may be removed from ${day(sunset)} on` : ''}.`;
}

/** The day of a sunset, which is a time in the header and a date in the spec. */
function day(sunset: string): string {
  const time = Date.parse(sunset);
  return Number.isNaN(time) ? sunset : new Date(time).toISOString().slice(0, 10);
}

/** The version of petctl, not of the spec. */
export const { version } = manifest;
