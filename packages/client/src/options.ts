import type { deployments, OperationId } from '@petstore/types';
import type { CallError } from './errors.ts';

/** The name of a deployment in the spec. */
export type Deployment = keyof typeof deployments;

/** The number of attempts after the first one, or the limits of retries. */
export type Retry =
  | number
  | {
      /** The number of attempts after the first one. Default: 2. */
      limit?: number | undefined;
      /**
       * The first wait is at most this many milliseconds; each further wait may be twice as long.
       * Default: 500.
       */
      base?: number | undefined;
      /**
       * A wait is at most this many milliseconds. If the service asks for a longer wait, the call
       * fails. Default: 20,000.
       */
      cap?: number | undefined;
    };

/** Functions that observe calls and cannot change them. Their errors go to `console.error`. */
export interface Hooks {
  /** Runs before each request, also after a redirect. `***` replaces the API key. */
  request?:
    | ((event: {
        operation: OperationId;
        attempt: number;
        method: string;
        url: string;
        headers: Record<string, string>;
      }) => void)
    | undefined;
  /** Runs when the head of a response has arrived. */
  response?:
    | ((event: {
        operation: OperationId;
        attempt: number;
        status: number;
        headers: Headers;
        milliseconds: number;
      }) => void)
    | undefined;
  /** Runs before the wait for the next attempt; `attempt` is the number of the failed attempt. */
  retry?:
    | ((event: {
        operation: OperationId;
        attempt: number;
        error: CallError;
        delay: number;
      }) => void)
    | undefined;
  /**
   * Runs when a deprecated operation is called, once for each client and operation. By default a
   * warning is printed; `false` silences it.
   */
  deprecated?:
    | ((event: { operation: OperationId; message: string; sunset?: string | undefined }) => void)
    | false
    | undefined;
}

/** Runs a hook, if there is one. The hook cannot change the call: an error that it throws is logged. */
export async function notify<Event>(
  hook: ((event: Event) => unknown) | undefined,
  event: Event,
): Promise<void> {
  try {
    await hook?.(event);
  } catch (error) {
    console.error(error);
  }
}

/** The options of a client. */
export interface Options {
  /**
   * The address of the service, ending in the version segment. Default: `PETSTORE_BASE_URL`, or
   * else the first deployment.
   */
  baseUrl?: string | undefined;
  /** A deployment that the spec names, instead of `baseUrl`. */
  deployment?: Deployment | undefined;
  /**
   * The API key, or a function that returns the key and is called before each attempt. Default:
   * `PETSTORE_API_KEY`.
   */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Sends the requests. Default: the global `fetch`, which is looked up at each request. */
  fetch?: ((url: string | URL | Request, init?: RequestInit) => Promise<Response>) | undefined;
  /** The milliseconds for a call with all its attempts; 0 means no limit. Default: 30,000. */
  timeout?: number | undefined;
  /** How often and how soon a failed call is retried, if it is safe to repeat. */
  retry?: Retry | undefined;
  /** Further headers of each request, as an object, a `Headers` or a list of pairs. */
  headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]> | undefined;
  /** Functions that observe calls. */
  on?: Hooks | undefined;
}

/** The options of a single call: all options of a client, and two that only a call can have. */
export interface CallOptions extends Options {
  /** Ends the call when it aborts. */
  signal?: AbortSignal | undefined;
  /**
   * The idempotency key of a write, to repeat the write after a restart of your program. Default:
   * a new one for each call.
   */
  idempotencyKey?: string | undefined;
}

/**
 * The options of a call that asks whether a result has changed. `if-none-match` is the `ETag` of an
 * earlier response. The data is `undefined` if nothing has changed.
 */
export interface ConditionalOptions extends CallOptions {
  headers: Record<string, string> & ({ 'if-none-match': string } | { 'If-None-Match': string });
}
