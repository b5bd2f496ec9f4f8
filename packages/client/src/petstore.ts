import { type Call, type Outcome, outcome } from './call.ts';
import { calls } from './calls.ts';
import {
  type CallOptions,
  type Connection,
  type ConnectOptions,
  connect,
  type EnvironmentOptions,
  limitsFrom,
} from './connection.ts';
import { mergeHeaders } from './execute.ts';
import type { Methods } from './gen/calls.gen.ts';
import { mergeHooks, type ObserveOptions, observe } from './observe.ts';
import { type Api, deployments, type OperationId, version } from './old.ts';
import { type Paged, type PagedId, pages } from './pages.ts';

/** The options of a client. */
export interface Options extends EnvironmentOptions, ObserveOptions {}

/** The whole service as an object with a method for each operation. */
export type Petstore = {
  // The type is mapped over the methods, so that editors show their documentation.
  [Id in keyof Methods]: (...args: [...Parameters<Api[Id]>, options?: CallOptions]) => (Id extends PagedId
    ? Paged<Id>
    : Call<Id>) & {
    /** How the call ended, as a value. Rejects only for a wrong input or option, and for errors of `check` and of credential functions. */
    outcome(): Promise<Outcome<Id>>;
  };
} & {
  /** A client with these options. Options that are not passed stay as they are. */
  withOptions(options: Options): Petstore;
};

type AnyCall = (connection: Connection, ...args: unknown[]) => Call<OperationId>;

/** Creates a client of the whole service. For a smaller bundle, use `connect` and single functions. */
export function petstore(options: Options = {}): Petstore {
  const connection = observe(connect(withEnvironment(options)), options);
  const methods = Object.entries(calls).map(([id, call]) => {
    const method = (...args: unknown[]) => {
      const started = pages((call as AnyCall)(connection, ...args));
      return Object.assign(started, { outcome: () => outcome(started) });
    };
    return [id, method];
  });
  const withOptions = (changed: Options) => {
    const { deployment, baseUrl, ...withoutAddress } = options;
    const { transport, ...unchanged } = changed.deployment || changed.baseUrl ? withoutAddress : options;
    const { timeout, attemptTimeout, limit, base, cap } = limitsFrom(changed, connection);
    return petstore({
      ...unchanged,
      // A transport would take precedence over a new fetch.
      ...(transport && !changed.fetch && { transport }),
      ...Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined)),
      timeout,
      attemptTimeout,
      retry: { limit, base, cap },
      headers: mergeHeaders(options.headers, changed.headers),
      on: mergeHooks(options.on, changed.on),
    });
  };
  // `withOptions` is on the prototype, because an operation with the same name must take precedence.
  return Object.assign(Object.create({ withOptions }), Object.fromEntries(methods));
}

/**
 * Completes the options from the environment (`PETSTORE_API_KEY`, `PETSTORE_BASE_URL`) and from the spec (the address of the
 * deployment), and adds a `User-Agent`.
 */
export function withEnvironment<T extends EnvironmentOptions>(options: T): T & ConnectOptions {
  const { process } = globalThis as { process?: { env?: Record<string, string>; versions?: { node?: string } } };
  const { env = {}, versions } = process ?? {};
  const { deployment, apiKey = env.PETSTORE_API_KEY } = options;
  if (deployment && options.baseUrl) throw new TypeError('give deployment or baseUrl, not both');
  if (deployment && !Object.hasOwn(deployments, deployment)) throw new TypeError(`no deployment ${deployment}`);
  const [firstUrl = ''] = Object.values<string>(deployments);
  return {
    ...options,
    ...(apiKey !== undefined && { apiKey }),
    baseUrl: options.baseUrl ?? (deployment ? deployments[deployment] : env.PETSTORE_BASE_URL || firstUrl),
    // Browsers send their own user agent, so the header is set only in Node.
    headers: { ...(versions?.node && { 'user-agent': `petstore-client/${version}` }), ...options.headers },
  };
}
