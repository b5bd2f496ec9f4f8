import type { HttpResponse } from './connection.ts';
import type { ServiceErrorCode } from './old.ts';

/** The properties of a cause that the client reads. fetch wraps the system's error in another cause. */
export interface Cause {
  readonly cause?: Cause;
  readonly code?: string;
  readonly message?: string;
}

/** The base of a call's errors, except those of wrong arguments, `check` and credential functions. */
export class BaseError extends Error {
  /** The number of attempts that sent a request. */
  attempts = 0;

  constructor(name: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
  }

  /** The error for `JSON.stringify`, with its message and its cause, for example `connect ECONNREFUSED …`. */
  toJSON(): object {
    // fetch wraps the system's error in another cause, so the inner cause is the reason.
    const cause = (this as Cause).cause?.cause ?? (this as Cause).cause;
    return { ...this, message: this.message, cause: cause && String(cause.message || cause.code || cause) };
  }
}

/** An error with a name to switch on. */
type Named<Base extends BaseError, Name extends string> = Base & { readonly name: Name };

/** The class of one kind of error. `instanceof` also recognizes errors of another copy of this package. */
type ErrorClass<E extends BaseError> = new (message: string, options?: ErrorOptions) => E;

function errorClass<E extends BaseError>(
  name: string,
  isKind = (error: BaseError) => error.name === name,
): ErrorClass<E> {
  class Kind extends BaseError {
    static override [Symbol.hasInstance](error: unknown): boolean {
      return 'attempts' in Object(error) && isKind(error as BaseError);
    }

    constructor(message: string, options?: ErrorOptions) {
      super(name, message, options);
    }
  }
  Object.defineProperty(Kind, 'name', { value: name });
  return Kind as ErrorClass<BaseError> as ErrorClass<E>;
}

/** The response is not a success. Each kind has a `name` to switch on. */
export interface PetstoreError extends BaseError {
  /** The status of the response. */
  readonly status: number;
  /** The service's code for the error; `undefined` if the response is not from the service. */
  readonly code: ServiceErrorCode | undefined;
  /** Identifies the request in the logs of the server. */
  readonly requestId: string | undefined;
  /** The headers of the response. */
  readonly headers: HttpResponse['headers'];
  /** The body: parsed if it is JSON, else its text. */
  readonly body: unknown;
  /** The response. The response's `text()` can still be called. */
  readonly response: HttpResponse;
}
export const PetstoreError = /* @__PURE__ */ errorClass<PetstoreError>('PetstoreError', (error) => 'response' in error);

/** 401: the credential is missing, wrong or revoked. */
export type UnauthorizedError = Named<PetstoreError, 'UnauthorizedError'>;
export const UnauthorizedError = /* @__PURE__ */ errorClass<UnauthorizedError>('UnauthorizedError');

/** 404: the requested resource does not exist. */
export type NotFoundError = Named<PetstoreError, 'NotFoundError'>;
export const NotFoundError = /* @__PURE__ */ errorClass<NotFoundError>('NotFoundError');

/** 429: too many requests with this key, even after the retries. */
export type RateLimitedError = Named<PetstoreError, 'RateLimitedError'>;
export const RateLimitedError = /* @__PURE__ */ errorClass<RateLimitedError>('RateLimitedError');

/** Any other 4xx: the service does not accept the request as it is. */
export type InvalidRequestError = Named<PetstoreError, 'InvalidRequestError'>;
export const InvalidRequestError = /* @__PURE__ */ errorClass<InvalidRequestError>('InvalidRequestError');

/** 5xx: the service failed, even after the retries. */
export type ServerError = Named<PetstoreError, 'ServerError'>;
export const ServerError = /* @__PURE__ */ errorClass<ServerError>('ServerError');

/** The operation does not declare this response: another status, a redirect that is not followed, or a body that cannot be parsed. */
export type UnexpectedResponseError = Named<PetstoreError, 'UnexpectedResponseError'>;
export const UnexpectedResponseError = /* @__PURE__ */ errorClass<UnexpectedResponseError>('UnexpectedResponseError');

/** The service could not be reached, or the connection broke before the whole response had arrived. `cause` is the reason. */
export type ConnectionError = Named<BaseError, 'ConnectionError'>;
export const ConnectionError = /* @__PURE__ */ errorClass<ConnectionError>('ConnectionError');

/** The call, or its last attempt, exceeded its time limit. */
export type TimeoutError = Named<BaseError, 'TimeoutError'>;
export const TimeoutError = /* @__PURE__ */ errorClass<TimeoutError>('TimeoutError');

/** The caller's signal ended the call. `cause` is the signal's reason. */
export type AbortedError = Named<BaseError, 'AbortedError'>;
export const AbortedError = /* @__PURE__ */ errorClass<AbortedError>('AbortedError');

/** Every error of a call, except those of wrong arguments, `check` and credential functions. */
export type CallError =
  | UnauthorizedError
  | NotFoundError
  | RateLimitedError
  | InvalidRequestError
  | ServerError
  | UnexpectedResponseError
  | ConnectionError
  | TimeoutError
  | AbortedError;

/** The kinds of errors, by status or its first digit. */
const KINDS: Record<number, string> = {
  5: 'Server',
  401: 'Unauthorized',
  404: 'NotFound',
  429: 'RateLimited',
  4: 'InvalidRequest',
};

/**
 * The error for a response with this text. If the text is not from the service (but from a proxy, for example), the message quotes
 * the text. `body` has no bigints, because `JSON.stringify` cannot write bigints.
 */
export function errorFrom(response: HttpResponse, text: string, problem?: string, body = parseIfJson(text)): BaseError {
  const { status, headers } = response;
  const { code, message } = Object(body) as { code?: unknown; message?: unknown };
  const kind = !problem && (KINDS[status] ?? KINDS[(status / 100) | 0]);
  const isFromService = kind && typeof code === 'string' && typeof message === 'string';
  const error = new BaseError(
    `${kind || 'UnexpectedResponse'}Error`,
    // The status is 0 if a browser hides a redirect.
    isFromService ? message : `${problem || status || 'redirect'}: ${text.slice(0, 200) || 'no body'}`,
  );
  // The headers and the response are not enumerable, because they are noise when an error is printed.
  return Object.assign(Object.defineProperties(error, { headers: { value: headers }, response: { value: response } }), {
    status,
    code: isFromService ? code : undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    body,
  });
}

/** The value of a JSON text, or the text itself if it is not JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
