import type { ServiceErrorCode } from '@petstore/types';

/**
 * Under this symbol an error has the names of its exported classes. Another copy of this package, for
 * example its CommonJS modules beside its ES modules, has other classes but the same symbol.
 */
const exportedNames = Symbol.for('@petstore/client/errors');

/** The root of all errors that a call can end with. */
export class PetstoreError extends Error {
  static {
    nameClass(PetstoreError, 'PetstoreError');
  }

  /** Makes `instanceof` of each class recognize the errors of another copy of this package, too. */
  static override readonly [Symbol.hasInstance] = recognizes;

  /** The number of attempts that sent a request. */
  attempts = 0;
}

/** The service, or something in front of it, did not respond with success. */
export class ResponseError extends PetstoreError {
  static {
    nameClass(ResponseError, 'ResponseError');
  }

  /** The status of the response. */
  readonly status: number;
  /** The service's code for the error; `undefined` if the response is not from the service. */
  readonly code: ServiceErrorCode | undefined;
  /** Identifies the request in the log of the server. */
  readonly requestId: string | undefined;
  /** The body: parsed if it is JSON, else its text. */
  readonly body: unknown;
  // Private, because it is noise when an error is printed.
  readonly #response: Response;

  /** The message is the service's. Without one, or with a problem, it quotes the body. */
  constructor(response: Response, text: string, problem?: string, hint = '') {
    const body = parseIfJson(text);
    const { code, message } = recordOf(body);
    const isOfService = !problem && typeof code === 'string' && typeof message === 'string';
    const excerpt = text.slice(0, 200) || 'no body';
    super((isOfService ? message : `${problem ?? response.status}: ${excerpt}`) + hint);
    this.status = response.status;
    this.code = isOfService ? (code as ServiceErrorCode) : undefined;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.body = body;
    this.#response = response;
  }

  /** The response. Its body has been read. */
  get response(): Response {
    return this.#response;
  }

  /** The headers of the response. */
  get headers(): Headers {
    return this.#response.headers;
  }
}

/** 401: the API key is missing, wrong or revoked. */
export class UnauthorizedError extends ResponseError {
  declare readonly name: 'UnauthorizedError';
  static {
    nameClass(UnauthorizedError, 'UnauthorizedError');
  }
}

/** 404: what was requested does not exist. */
export class NotFoundError extends ResponseError {
  declare readonly name: 'NotFoundError';
  static {
    nameClass(NotFoundError, 'NotFoundError');
  }
}

/** 429: too many requests with this key, even after the retries. */
export class RateLimitedError extends ResponseError {
  declare readonly name: 'RateLimitedError';
  static {
    nameClass(RateLimitedError, 'RateLimitedError');
  }
}

/** Any other 4xx: the service does not accept the request as it is. */
export class InvalidRequestError extends ResponseError {
  declare readonly name: 'InvalidRequestError';
  static {
    nameClass(InvalidRequestError, 'InvalidRequestError');
  }
}

/** 5xx: the service failed, even after the retries. */
export class ServerError extends ResponseError {
  declare readonly name: 'ServerError';
  static {
    nameClass(ServerError, 'ServerError');
  }
}

/**
 * The operation does not declare this response: another status, a redirect that is not followed, a
 * body that cannot be read, or a link to a next page that cannot be followed.
 */
export class UnexpectedResponseError extends ResponseError {
  declare readonly name: 'UnexpectedResponseError';
  static {
    nameClass(UnexpectedResponseError, 'UnexpectedResponseError');
  }
}

/**
 * The service was not reached, or the connection broke before the whole response had arrived.
 * `cause` is the reason.
 */
export class ConnectionError extends PetstoreError {
  declare readonly name: 'ConnectionError';
  static {
    nameClass(ConnectionError, 'ConnectionError');
  }
}

/** The call took longer than `timeout`, or than an `AbortSignal.timeout()` of the caller allows. */
export class TimeoutError extends PetstoreError {
  declare readonly name: 'TimeoutError';
  static {
    nameClass(TimeoutError, 'TimeoutError');
  }
}

/** The caller's signal ended the call; `cause` is the signal's reason. */
export class AbortedError extends PetstoreError {
  declare readonly name: 'AbortedError';
  static {
    nameClass(AbortedError, 'AbortedError');
  }
}

/** Every error that a call can end with. `error instanceof PetstoreError` narrows to it. */
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

/** The class of the error for a status of 400 or more. */
export function errorClassOf(status: number): typeof ResponseError {
  if (status === 401) return UnauthorizedError;
  if (status === 404) return NotFoundError;
  if (status === 429) return RateLimitedError;
  return status >= 500 ? ServerError : InvalidRequestError;
}

/** The properties of a value that may be anything; none if it is no object. */
export function recordOf(value: unknown): Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>) : {};
}

type ErrorClass = (abstract new (...args: never) => unknown) & { readonly prototype: Error };

/** What `instanceof` narrows to: the union of all errors for the root, and the class itself for any other. */
type Narrowed<Class extends ErrorClass> = typeof PetstoreError extends Class
  ? CallError
  : InstanceType<Class>;

/** Whether a value is an error of a class, or of the class with this name in another copy of this package. */
function recognizes<Class extends ErrorClass>(
  this: Class,
  value: unknown,
): value is Narrowed<Class> {
  // A class of the caller, which extends one of the exported ones, is like any other class.
  if (!Object.hasOwn(this.prototype, exportedNames))
    return Error[Symbol.hasInstance].call(this, value);
  return exportedNamesOf(value).includes(this.prototype.name);
}

/**
 * Gives an exported class its name. The name is on the prototype, where the stack of a new error finds
 * it, and it is a string, because minifiers rename classes.
 */
function nameClass({ prototype }: ErrorClass, name: string): void {
  const names = [...exportedNamesOf(prototype), name];
  Object.defineProperty(prototype, exportedNames, { value: names });
  // Like the name of a built-in class: not enumerable, and an error may be given another one.
  Object.defineProperty(prototype, 'name', { value: name, writable: true, configurable: true });
}

/** The names of the exported classes that an error belongs to, the root first; none for any other value. */
function exportedNamesOf(value: unknown): readonly unknown[] {
  return (recordOf(value)[exportedNames] ?? []) as readonly unknown[];
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It is no JSON, for example the page of a proxy.
    return text;
  }
}
