import { type Api, deployments, type OperationId, version } from '@petstore/types';
import { type Call, type Outcome, outcome } from './call.ts';
import {
  type CallOptions,
  type Connection,
  type ConnectOptions,
  connect,
  type EnvironmentOptions,
} from './connection.ts';
import * as calls from './gen/calls.gen.ts';
import { type ObserveOptions, observe } from './observe.ts';
import { type Paged, type PagedId, pages } from './pages.ts';

/** The options of a client. */
export interface Options extends EnvironmentOptions, ObserveOptions {}

/** The whole service as an object with a method for each operation. */
export type Petstore = {
  // Over the functions themselves, so that editors show their documentation.
  [Id in keyof typeof calls]: (...args: [...Parameters<Api[Id]>, options?: CallOptions]) => (Id extends PagedId
    ? Paged<Id>
    : Call<Id>) & {
    /** How the call ended, as a value. Rejects only for a mistake in how the call was made, such as an input that cannot be sent. */
    outcome(): Promise<Outcome<Id>>;
  };
} & {
  /** The same service with other options; options that are not given stay unchanged. */
  withOptions(options: Options): Petstore;
};

type AnyCall = (connection: Connection, ...args: unknown[]) => Call<OperationId>;

/** Creates a client of the whole service. `connect` with single functions makes a smaller bundle. */
export function petstore(options: Options = {}): Petstore {
  const connection = observe(connect(withEnvironment(options)), options);
  const bind =
    (call: AnyCall) =>
    (...args: unknown[]) => {
      const started = pages(call(connection, ...args));
      return Object.assign(started, { outcome: () => outcome(started) });
    };
  const methods = Object.entries(calls).map(([id, call]) => [id, bind(call as AnyCall)]);
  const withOptions = (others: Options) => {
    const { deployment, baseUrl, ...same } = options;
    return petstore({
      ...(others.deployment || others.baseUrl ? same : options),
      ...others,
      headers: { ...options.headers, ...others.headers },
      on: { ...options.on, ...others.on },
    });
  };
  // An operation may have the name of the method that is inherited.
  return Object.assign(Object.create({ withOptions }), Object.fromEntries(methods));
}

interface Globals {
  process?: { env?: Record<string, string | undefined>; versions?: { node?: string } };
}

/**
 * The options, completed by the environment, where there is one, and by the spec: `PETSTORE_API_KEY`, `PETSTORE_BASE_URL`,
 * the address of the deployment, and a `User-Agent`.
 */
export function withEnvironment<Options extends EnvironmentOptions>(options: Options): Options & ConnectOptions {
  const { env = {}, versions } = (globalThis as Globals).process ?? {};
  const { deployment, apiKey = env.PETSTORE_API_KEY } = options;
  if (deployment && options.baseUrl) throw new TypeError('give deployment or baseUrl, not both');
  if (deployment && !Object.hasOwn(deployments, deployment)) throw new TypeError(`no deployment ${deployment}`);
  const [first = ''] = Object.values<string>(deployments);
  return {
    ...options,
    ...(apiKey !== undefined && { apiKey }),
    baseUrl: options.baseUrl ?? (deployment ? deployments[deployment] : (env.PETSTORE_BASE_URL ?? first)),
    // A browser sends its own.
    headers: { ...(versions?.node && { 'user-agent': `petstore-client/${version}` }), ...options.headers },
  };
}
