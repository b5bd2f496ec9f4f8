import { deployments, type OperationId } from '@petstore/types';
import type { CallError } from './errors.ts';

/** The name of a deployment in the spec. */
export type Deployment = keyof typeof deployments;

/** The number of attempts after the first one, or the limits of retries. */
export type Retry =
  | number
  | {
      /** The number of attempts after the first one; 2 by default. */
      limit?: number | undefined;
      /** The first wait is at most this many milliseconds, 500 by default. This maximum doubles with each further wait. */
      base?: number | undefined;
      /** Each wait is at most this many milliseconds, 20,000 by default. If the service asks for a longer one, the call fails. */
      cap?: number | undefined;
    };

/** A plain object of callbacks that observe calls and cannot change them. Their errors are logged with `console.error`. */
export interface Hooks {
  /** Before each request, also after a redirect. `***` replaces the API key. */
  request?(event: {
    operation: OperationId;
    attempt: number;
    method: string;
    url: string;
    headers: Record<string, string>;
  }): void;
  /** After the head of each response. */
  response?(event: {
    operation: OperationId;
    attempt: number;
    status: number;
    headers: Headers;
    milliseconds: number;
  }): void;
  /** Before the wait for the next attempt; `attempt` is the one that failed. */
  retry?(event: { operation: OperationId; attempt: number; error: CallError; delay: number }): void;
  /** When a deprecated operation is called, once for each client and operation. By default a warning is printed; `false` silences it. */
  deprecated?:
    | ((event: { operation: OperationId; message: string; sunset?: string }) => void)
    | false;
}

/** The options of a client. */
export interface Options {
  /** The address of the service, ending in the version segment; `PETSTORE_BASE_URL` by default, or else the first deployment. */
  baseUrl?: string | undefined;
  /** A deployment that the spec names, instead of `baseUrl`. */
  deployment?: Deployment | undefined;
  /** The API key, or a function that is called for it before each attempt; `PETSTORE_API_KEY` by default. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Sends the requests, instead of the global `fetch`. */
  fetch?: ((url: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** Milliseconds for a call with all its attempts, 30,000 by default; 0 for no limit. */
  timeout?: number | undefined;
  /** Only what is safe to repeat is retried. */
  retry?: Retry | undefined;
  /** Further headers of each request. */
  headers?: Record<string, string> | undefined;
  /** Callbacks that observe calls. */
  on?: Hooks | undefined;
}

/** The options of a single call. */
export interface CallOptions extends Pick<Options, 'timeout' | 'retry' | 'headers'> {
  /** Ends the call when it aborts. */
  signal?: AbortSignal | undefined;
  /** The idempotency key of a write, to repeat it after a restart of your program; by default a new one for each call. */
  idempotencyKey?: string | undefined;
}

/** How long a call may take, and how it is retried. */
export interface Limits {
  readonly timeout: number;
  readonly limit: number;
  readonly base: number;
  readonly cap: number;
}

/** The checked options of a client, with all defaults. */
export interface Settings extends Limits {
  readonly baseUrl: string;
  readonly headers: Record<string, string>;
  readonly on: Hooks;
  readonly apiKey: Options['apiKey'];
  readonly fetch?: Options['fetch'];
}

/** The settings of a new client. Only this function reads the environment. */
export function settingsFrom(options: Options): Settings {
  const [first = ''] = Object.values<string>(deployments);
  const defaults = {
    baseUrl:
      addressIn(options) ??
      checkedAddress(environment('PETSTORE_BASE_URL') ?? first, 'PETSTORE_BASE_URL'),
    apiKey: options.apiKey ?? environment('PETSTORE_API_KEY'),
    ...{ timeout: 30_000, limit: 2, base: 500, cap: 20_000 },
    headers: {},
    on: {},
  };
  return changedSettings(defaults, options);
}

/** The settings with those options that are given. */
export function changedSettings(settings: Settings, options: Options): Settings {
  const { apiKey = settings.apiKey, fetch = settings.fetch } = options;
  return {
    ...limitsFrom(settings, options),
    baseUrl: addressIn(options) ?? settings.baseUrl,
    apiKey,
    fetch,
    headers: mergedHeaders(settings.headers, options.headers),
    on: { ...settings.on, ...options.on },
  };
}

/** The limits with those that are given. Throws for one that is no number from 0 on. */
export function limitsFrom(settings: Limits, options: Pick<Options, 'timeout' | 'retry'>): Limits {
  const { timeout = settings.timeout, retry } = options;
  // Most calls have no limits of their own.
  if (timeout === settings.timeout && retry === undefined) return settings;
  const given =
    Object(retry) === retry ? (retry as Exclude<Retry, number>) : { limit: retry as number };
  const { limit = settings.limit, base = settings.base, cap = settings.cap } = given;
  const limits = { timeout, limit, base, cap };
  for (const [name, value] of Object.entries(limits)) checkCount(name, value);
  return limits;
}

/** Throws for a value that is no number from 0 on. */
export function checkCount(option: string, value: number): void {
  // This also finds NaN, and what is not a number at all.
  if (Math.abs(value) !== value) throw new RangeError(`option ${option} must be a number >= 0`);
}

/** Merges headers; the later of two with the same name replaces the earlier. Throws for one that cannot be sent. */
export function mergedHeaders(
  ...sources: (Readonly<Record<string, string | undefined>> | undefined)[]
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources)
    for (const name in source) {
      const value: unknown = source[name];
      if (value === undefined || value === null) continue;
      // fetch would throw a message with the value, which may be a secret.
      if (!/^[\w!#-'*+.^`|~-]+:[\t -~\x80-\xff]*$/.test(`${name}:${value}`))
        throw new TypeError(`invalid header ${name}`);
      headers[name.toLowerCase()] = `${value}`;
    }
  return headers;
}

function addressIn({ baseUrl, deployment }: Options): string | undefined {
  if (deployment === undefined)
    return baseUrl === undefined ? undefined : checkedAddress(baseUrl, 'baseUrl');
  if (baseUrl !== undefined || !Object.hasOwn(deployments, deployment))
    throw new TypeError(
      `deployment must be ${Object.keys(deployments).join(' or ')}, without baseUrl`,
    );
  return checkedAddress(deployments[deployment], 'deployment');
}

/** The address without trailing slashes. In a browser it may be relative to the page. */
function checkedAddress(address: string, name: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const href = resolved(address, location?.href);
  // The message does not contain the address, because that may contain a password.
  if (!/^https?:..[^/@]+\/[^?#]*$/.test(href))
    throw new TypeError(`${name} must be like https://host/v1, without user, query or fragment`);
  return href.replace(/(?<!\/)\/+$/, '');
}

/** The address that a reference leads to; an empty text if it leads nowhere. */
export function resolved(reference: string, base: string | undefined): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : '';
}

/** A variable of the environment; undefined where there is none, as in browsers. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string> } };
  return process?.env?.[name] || undefined;
}
