import type { ServiceErrorCode } from '@petstore/types';

/** The root of all errors that a call can end with. */
export class PetstoreError extends Error {
  /** Makes `instanceof` of each class recognize the errors of another copy of this package, too. */
  static override readonly [Symbol.hasInstance] = recognizes;

  /** The number of attempts that sent a request. */
  attempts = 0;
}

/**
 * The response is not the success that the operation declares. It may also come from something in
 * front of the service, such as a proxy.
 */
export class ResponseError extends PetstoreError {
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

  /**
   * The message is the one that the service sent. If the service sent none, or if there is a
   * `problem` with the response, the message quotes the body.
   */
  constructor(response: Response, text: string, problem?: string, hint = '') {
    const body = parseIfJson(text);
    const { code, message } = asObject(body);
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
}

/** 404: what was requested does not exist. */
export class NotFoundError extends ResponseError {
  declare readonly name: 'NotFoundError';
}

/** 429: too many requests with this key, even after the retries. */
export class RateLimitedError extends ResponseError {
  declare readonly name: 'RateLimitedError';
}

/** Any other 4xx: the service does not accept the request as it is. */
export class InvalidRequestError extends ResponseError {
  declare readonly name: 'InvalidRequestError';
}

/** 5xx: the service failed, even after the retries. */
export class ServerError extends ResponseError {
  declare readonly name: 'ServerError';
}

/**
 * The operation does not declare this response: another status, a redirect that is not followed, a
 * body that cannot be read, or a link to a next page that cannot be followed.
 */
export class UnexpectedResponseError extends ResponseError {
  declare readonly name: 'UnexpectedResponseError';
}

/**
 * The service was not reached, or the connection broke before the whole response had arrived.
 * `cause` is the reason.
 */
export class ConnectionError extends PetstoreError {
  declare readonly name: 'ConnectionError';
}

/** The call took longer than `timeout`, or than an `AbortSignal.timeout()` of the caller allows. */
export class TimeoutError extends PetstoreError {
  declare readonly name: 'TimeoutError';
}

/** The caller's signal ended the call; `cause` is the signal's reason. */
export class AbortedError extends PetstoreError {
  declare readonly name: 'AbortedError';
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

/** The value as an object whose properties can be read; `{}` if the value is not an object. */
export function asObject(value: unknown): Readonly<Record<PropertyKey, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>) : {};
}

type ErrorClass = (abstract new (...args: never) => unknown) & { readonly prototype: Error };

/**
 * What `instanceof` narrows to: the union of all errors for the root, and the class itself for any
 * other.
 */
type Narrowed<Class extends ErrorClass> = typeof PetstoreError extends Class
  ? CallError
  : InstanceType<Class>;

/**
 * Whether a value is an error of a class, or of the class with the same name in another copy of
 * this package.
 */
function recognizes<Class extends ErrorClass>(
  this: Class,
  value: unknown,
): value is Narrowed<Class> {
  const mark = markOf(this.prototype.name);
  // A class of the caller that extends an exported class behaves like any other class.
  if (!Object.hasOwn(this.prototype, mark)) return Error[Symbol.hasInstance].call(this, value);
  return mark in asObject(value);
}

/**
 * The symbol that all errors of an exported class have. Another copy of this package, for example
 * its CommonJS modules beside its ES modules, has other classes but the same symbols.
 */
function markOf(name: string): symbol {
  return Symbol.for(`@petstore/client/${name}`);
}

/**
 * Gives each exported class its name and its mark. The name is on the prototype, because the stack
 * of a new error takes it from there. The name is a string, because minifiers rename classes.
 */
function nameClasses(classes: Readonly<Record<string, ErrorClass>>): void {
  for (const [name, { prototype }] of Object.entries(classes)) {
    Object.defineProperties(prototype, {
      [markOf(name)]: { value: true },
      // Like the name of a built-in error, the name is not enumerable, and can be changed.
      name: { value: name, writable: true, configurable: true },
    });
  }
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The body is not JSON, for example the HTML page of a proxy.
    return text;
  }
}

nameClasses({
  PetstoreError,
  ResponseError,
  UnauthorizedError,
  NotFoundError,
  RateLimitedError,
  InvalidRequestError,
  ServerError,
  UnexpectedResponseError,
  ConnectionError,
  TimeoutError,
  AbortedError,
});
