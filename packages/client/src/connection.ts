import type { deployments, OperationId, service } from './old.ts';

/** The name of a deployment in the spec. */
export type Deployment = keyof typeof deployments;

/** A complete request, as a transport sends it. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The client follows redirects. A transport must not. */
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
  /** The operation that is called. */
  readonly operation?: OperationId;
  /** The number of earlier attempts of this call that sent a request. */
  readonly attempt: number;
}

/** The response that a transport returns: a new object for each request, for example a `Response` of fetch. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  /** The body as a stream, if the transport has one. */
  readonly body?: ReadableStream<Uint8Array> | null;
  text(): Promise<string>;
}

/** Sends a request. Rejects if there is no response. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** The credential of a security scheme, or a function that returns the credential. */
export type Credential = string | (() => string | Promise<string>);

/** The limits of retries. */
export interface Retry {
  /** The number of attempts after the first attempt. */
  readonly limit: number;
  /** The first wait is at most this many milliseconds; this maximum doubles with each further wait. */
  readonly base: number;
  /** Each wait is at most this many milliseconds. If the service asks for a longer wait, the call fails. */
  readonly cap: number;
}

/** Options of all calls, or of a single call. */
export interface CallOptions {
  /** Ends the call when it aborts. */
  signal?: AbortSignal;
  /** Further headers. The client's credential overrides a header with the same name. */
  headers?: Readonly<Record<string, string>>;
  /** Milliseconds for the whole call with its retries, 30,000 by default; 0 or Infinity for no limit. */
  timeout?: number;
  /** Milliseconds for each attempt; no limit by default. */
  attemptTimeout?: number;
  /** The number of retries, 2 by default, or the limits of retries. Only a retry without a second effect is made. */
  retry?: number | Partial<Retry>;
  /** The idempotency key, if the operation has one; by default a new key for each call. */
  idempotencyKey?: string;
}

/** The address of the service, and the options of all calls. */
export interface ConnectOptions extends Omit<CallOptions, 'signal' | 'idempotencyKey'> {
  /** The address of the service, ending in the version segment. */
  baseUrl: string;
  /** The API key, or a function that returns the API key. */
  apiKey?: string | (() => string | Promise<string>);
  /** Credentials by security scheme, if the service has several. */
  credentials?: { readonly [Scheme in keyof (typeof service)['securitySchemes']]?: Credential };
  /** The function that sends requests, instead of the global `fetch`. */
  fetch?: (url: string, init: HttpRequest) => Promise<HttpResponse>;
  /** Sends requests by other means than fetch. */
  transport?: Transport;
  /** Throws if the data of a success does not match the spec. */
  check?: (operation: OperationId, data: unknown) => void;
}

/** The options of `connect`, with defaults from the environment and from the spec. */
export interface EnvironmentOptions extends Partial<ConnectOptions> {
  /** The address of the service, ending in the version segment; the variable `PETSTORE_BASE_URL` by default. */
  baseUrl?: string;
  /** The API key, or a function that returns the API key; the variable `PETSTORE_API_KEY` by default. */
  apiKey?: string | (() => string | Promise<string>);
  /** A deployment that the spec names, instead of `baseUrl`; the first deployment by default. */
  deployment?: Deployment;
}

/** A notice that an operation will be removed. */
export interface DeprecationNotice {
  readonly operation: OperationId;
  /** When the operation will be removed: the date in the spec or in the service's response, in the original format. */
  readonly sunset: string | undefined;
  readonly message: string;
}

/** The callbacks of a connection; see `observe`. */
export interface Observer {
  /** Before the wait for the next attempt. `attempt` is the number of the failed attempt, from 1. */
  retry?(reason: Error, attempt: number, milliseconds: number): void;
  /** When a call fails. */
  error?(error: Error): void;
  /** When a deprecated operation is called, once per process. By default the client logs a warning; `false` disables it. */
  deprecated?: ((notice: DeprecationNotice) => void) | false;
}

/** Checked limits of time and of retries. */
export interface Limits extends Retry {
  readonly timeout: number;
  readonly attemptTimeout: number;
}

/** The address of the service and the checked options of all calls; made by `connect`. */
export interface Connection extends Limits, Pick<ConnectOptions, 'apiKey' | 'headers' | 'baseUrl'> {
  readonly credentials?: Readonly<Record<string, Credential | undefined>>;
  readonly transport: Transport;
  readonly check?: ConnectOptions['check'] | undefined;
  readonly on: Observer;
}

/** Checks the options and completes them to a connection. Does not send a request. */
export function connect(options: ConnectOptions): Connection {
  return {
    ...options,
    ...limitsFrom(options),
    transport: options.transport ?? ((request) => (options.fetch ?? fetch)(request.url, request)),
    baseUrl: baseUrlFrom(options.baseUrl),
    on: {},
  };
}

/** The limits: the values in the options, or else the defaults. Throws for a limit that is not a number of at least 0. */
export function limitsFrom(
  { timeout, attemptTimeout, retry }: CallOptions,
  defaults: Limits = { timeout: 30_000, attemptTimeout: 0, limit: 2, base: 500, cap: 20_000 },
): Limits {
  const limits: Record<string, number> & Limits = { ...defaults };
  for (const [name, value = limits[name]] of Object.entries<unknown>({
    timeout,
    attemptTimeout,
    ...(Object(retry) === retry ? (retry as Partial<Retry>) : { limit: retry }),
  })) {
    // An operation may have a parameter with this name, so the message says that it is an option.
    if (Math.abs(value as number) !== value) throw new RangeError(`option ${name} must be a number >= 0`);
    limits[name] = value;
  }
  return limits;
}

/** The address that paths are appended to. In a browser the address in the options may be relative. */
function baseUrlFrom(address: string): string {
  try {
    const { href } = new URL(address, (globalThis as { location?: { href: string } }).location?.href);
    if (/^https?:..[^/@]+\/[^?#]*$/.test(href)) return href.replace(/\/+$/, '');
  } catch {
    // The message contains neither the address nor the cause, because both may contain a password.
  }
  throw new TypeError('baseUrl must be https://host/path');
}
