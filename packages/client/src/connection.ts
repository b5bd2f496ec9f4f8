import { deployments, type OperationId, type service, version } from '@petstore/types';
import type { Credential } from './authorize.ts';
import type { Notice } from './deprecation.ts';
import { firstDeployment, schemeOfKey } from './gen/schemes.gen.ts';
import type { Body } from './place.ts';
import { type Retry, retryOf } from './retry.ts';

export type Deployment = keyof typeof deployments;

/** What a transport is given: everything is settled, it only has to be sent. */
export interface WireRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly duplex?: 'half';
  readonly signal: AbortSignal;
}

/** What a transport answers. A `Response` of fetch is one. */
export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The body as it comes, where the transport has it. */
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** How requests reach the service; fetch, unless told otherwise. Rejects when no answer came. */
export type Transport = (request: WireRequest) => Promise<Answer>;

/** What can be watched. None of these changes what happens. */
export interface Hooks {
  request?(request: WireRequest, attempt: number): void;
  response?(response: Answer, request: WireRequest): void;
  /** Told before the waiting starts. */
  retry?(reason: Error, attempt: number, milliseconds: number): void;
  error?(error: Error): void;
  /** Told once per process and operation. Without it a line goes to `console.warn`; `false` silences it. */
  deprecated?: ((notice: Notice) => void) | false;
}

/** What can be said for all calls, and for one alone. */
export interface CallOptions {
  signal?: AbortSignal;
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call, retries and waiting included; 30,000 unless told otherwise. */
  timeout?: number;
  /** How often to try again what is safe to repeat; twice unless told otherwise. */
  retry?: number | Partial<Retry>;
}

export interface Options extends Pick<CallOptions, 'timeout' | 'retry' | 'headers'> {
  /** The key, or how to get it; `PETSTORE_API_KEY` where there is an environment and none is given. */
  apiKey?: string | (() => string | Promise<string>);
  /** Credentials by the security scheme that they are for, where the service has several. */
  credentials?: { readonly [Scheme in keyof (typeof service)['securitySchemes']]?: Credential };
  /** One of the deployments that the spec names. */
  deployment?: Deployment;
  /** The address of any other, ending in the version segment; `PETSTORE_BASE_URL` where there is an environment and none is given. */
  baseUrl?: string;
  transport?: Transport;
  on?: Hooks;
  /** Looks at the data of a success and throws if it is not what it should be; see `@petstore/client/check`. */
  check?: (operation: OperationId, data: unknown) => void;
}

/** Where and how to reach the service, as the functions of this package take it. */
export interface Connection {
  readonly credentials: Readonly<Record<string, Credential | undefined>>;
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly retry: Retry;
  readonly on: Hooks;
  readonly check: ((operation: OperationId, data: unknown) => void) | undefined;
}

interface Surroundings {
  process?: { env?: Record<string, string | undefined>; versions?: { node?: string } };
}
const { process } = globalThis as Surroundings;

/** Settles where and how to reach the service. Sends nothing yet. */
export function connect(options: Options = {}): Connection {
  const env = process?.env ?? {};
  const { deployment, apiKey = env.PETSTORE_API_KEY, timeout = 30_000, on = {}, check } = options;
  if (deployment && options.baseUrl) throw new TypeError('Give deployment or baseUrl, not both');
  const elsewhere = options.baseUrl ?? (deployment ? undefined : env.PETSTORE_BASE_URL);
  const baseUrl = elsewhere ?? deployments[deployment ?? firstDeployment];
  if (!/^https?:\/\/[^/?#]/.test(baseUrl)) throw new TypeError(`'${baseUrl}' is no http address`);
  return {
    credentials: { [schemeOfKey]: apiKey, ...options.credentials },
    baseUrl: baseUrl.replace(/\/+$/, ''),
    transport: options.transport ?? (({ url, ...init }) => fetch(url, init)),
    headers: { ...(process?.versions?.node && { 'user-agent': `petstore-client/${version}` }), ...options.headers },
    timeout,
    retry: retryOf(options.retry),
    on,
    check,
  };
}
