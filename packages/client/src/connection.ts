import { deployments, type OperationId, type service } from '@petstore/types';
import type { Credential } from './authorize.ts';
import type { Body } from './build-request.ts';
import { firstDeployment, schemeOfKey } from './gen/schemes.gen.ts';
import type { Observer } from './observe.ts';
import { type Retry, retryFrom } from './retry.ts';

export type Deployment = keyof typeof deployments;

/** A complete request, as a transport sends it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Body;
  readonly duplex?: 'half';
  /** The client follows redirects, the transport does not. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  /** How many requests of the same call went before. */
  readonly attempt: number;
}

/** What a transport returns: a new object for each request. A `Response` of fetch is one. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The body as it arrives, where the transport has it. */
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** Sends a request. Rejects when no response came. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** Options that hold for all calls, or for one. */
export interface CallOptions {
  /** Ends the call when it aborts. */
  signal?: AbortSignal;
  /** Further headers. The client's own credential overrides one of the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call with its retries, 30,000 by default; 0 or Infinity for no limit. */
  timeout?: number;
  /** Milliseconds for each attempt; no limit by default. */
  attemptTimeout?: number;
  /** How often to try again what is safe to repeat; twice by default. */
  retry?: number | Partial<Retry>;
  /** The key that makes the call safe to repeat, where the operation takes one; by default a new one for each call. */
  idempotencyKey?: string;
}

/** Where the service is, and how to call it. */
export interface ConnectOptions extends Omit<CallOptions, 'signal' | 'idempotencyKey'> {
  /** The key, or a function that returns it. `petstore` takes it from the variable `PETSTORE_API_KEY` by default. */
  apiKey?: string | (() => string | Promise<string>);
  /** Credentials by security scheme, where the service has several. */
  credentials?: { readonly [Scheme in keyof (typeof service)['securitySchemes']]?: Credential };
  /** One of the deployments that the spec names. */
  deployment?: Deployment;
  /** Another address, ending in the version segment. `petstore` takes it from the variable `PETSTORE_BASE_URL` by default. */
  baseUrl?: string;
  /** The function that sends requests, in place of the global `fetch`. */
  fetch?: (url: string, init: Omit<HttpRequest, 'url'>) => Promise<HttpResponse>;
  /** Sends requests in another way than fetch. */
  transport?: Transport;
  /** Throws if the data of a success is not what the spec says; see `@petstore/client/check`. */
  check?: (operation: OperationId, data: unknown) => void;
}

/** Where the service is and how to call it, as the functions of this package take it. */
export interface Connection {
  readonly credentials: Readonly<Record<string, Credential | undefined>>;
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeout: number;
  readonly attemptTimeout: number;
  readonly retry: Retry;
  /** Callbacks, and the log; see `observe`. */
  readonly on: Observer;
  readonly check: ((operation: OperationId, data: unknown) => void) | undefined;
}

/** Checks the options and completes them. Sends nothing. */
export function connect(options: ConnectOptions = {}): Connection {
  const { apiKey, deployment, baseUrl, timeout = 30_000, attemptTimeout = 0, headers = {}, check } = options;
  if (deployment && baseUrl) throw new TypeError('give deployment or baseUrl, not both');
  return {
    credentials: { [schemeOfKey]: apiKey, ...options.credentials },
    baseUrl: baseUrlFrom(baseUrl ?? deployments[deployment ?? firstDeployment]),
    transport: options.transport ?? (({ url, ...init }) => (options.fetch ?? fetch)(url, init)),
    headers,
    timeout,
    attemptTimeout,
    retry: retryFrom(options.retry),
    on: {},
    check,
  };
}

/** The address that paths are appended to. In a browser it may be relative. */
function baseUrlFrom(address: string): string {
  try {
    const { href, origin, pathname } = new URL(address, (globalThis as { location?: { href: string } }).location?.href);
    if (/^http/.test(href) && href === origin + pathname) return href.replace(/\/+$/, '');
  } catch {
    // Neither the address nor the cause is shown: both may have a password in them.
  }
  throw new TypeError('baseUrl must be an http address without user and query');
}
