import type { ServiceErrorCode } from '@petstore/types';

/** Names an error's classes. Another copy of this package has other classes, but the same symbol. */
const classNames = Symbol.for('@petstore/client/errors');

/** The base of all errors of a call. */
export class BaseError extends Error {
  /** The number of attempts that sent a request. */
  attempts = 0;
}

/** The service, or something in front of it, did not respond with success. */
export class PetstoreError extends BaseError {
  /** The status of the response. */
  readonly status: number;
  /** The service's code for the error; `undefined` if the response is not from the service. */
  readonly code: ServiceErrorCode | undefined;
  /** Identifies the request in the log of the server. */
  readonly requestId: string | undefined;
  /** The body: parsed if it is JSON, else its text. */
  readonly body: unknown;
  /** The response. Its body has been read. */
  declare readonly response: Response;

  /** The message is the service's. Without one, or with a problem, it quotes the text. */
  constructor(response: Response, text: string, problem?: string, hint = '') {
    const body = parseIfJson(text);
    const { code, message }: { code?: ServiceErrorCode; message?: unknown } = Object(body);
    const isFromService = !problem && typeof code === 'string' && typeof message === 'string';
    super(
      (isFromService
        ? message
        : `${problem ?? response.status}: ${text.slice(0, 200) || 'no body'}`) + hint,
    );
    this.status = response.status;
    this.code = isFromService ? code : undefined;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.body = body;
    // Not enumerable, because it is noise when an error is printed.
    Object.defineProperty(this, 'response', { value: response });
  }

  /** The headers of the response. */
  get headers(): Headers {
    return this.response.headers;
  }
}

/** 401: the API key is missing, wrong or revoked. */
export class UnauthorizedError extends PetstoreError {
  declare readonly name: 'UnauthorizedError';
}

/** 404: what was requested does not exist. */
export class NotFoundError extends PetstoreError {
  declare readonly name: 'NotFoundError';
}

/** 429: too many requests with this key, even after the retries. */
export class RateLimitedError extends PetstoreError {
  declare readonly name: 'RateLimitedError';
}

/** Any other 4xx: the service does not accept the request as it is. */
export class InvalidRequestError extends PetstoreError {
  declare readonly name: 'InvalidRequestError';
}

/** 5xx: the service failed, even after the retries. */
export class ServerError extends PetstoreError {
  declare readonly name: 'ServerError';
}

/** The operation does not declare this response: another status, a redirect that is not followed, or a body that cannot be read. */
export class UnexpectedResponseError extends PetstoreError {
  declare readonly name: 'UnexpectedResponseError';
}

/** The service was not reached, or the connection broke before the whole response had arrived; `cause` is the reason. */
export class ConnectionError extends BaseError {
  declare readonly name: 'ConnectionError';
}

/** The call took longer than `timeout`. */
export class TimeoutError extends BaseError {
  declare readonly name: 'TimeoutError';
}

/** The caller's signal ended the call; `cause` is the signal's reason. */
export class AbortedError extends BaseError {
  declare readonly name: 'AbortedError';
}

/** Every error of a call, but those of wrong arguments and of the function that gets the key. */
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

const classes = {
  PetstoreError,
  UnauthorizedError,
  NotFoundError,
  RateLimitedError,
  InvalidRequestError,
  ServerError,
  UnexpectedResponseError,
  ConnectionError,
  TimeoutError,
  AbortedError,
};
type Prototype = Error & { [classNames]?: readonly string[] };

// The names are given here, because bundlers rename classes. Each class is preceded by its base, whose names it has, too.
for (const [name, Class] of Object.entries<{ readonly prototype: Prototype }>(classes)) {
  const names = [...(Class.prototype[classNames] ?? []), name];
  Object.defineProperties(Class.prototype, {
    name: { value: name },
    [classNames]: { value: names },
  });
  const hasInstance = (error: unknown) => Object(error)[classNames]?.includes(name) === true;
  Object.defineProperty(Class, Symbol.hasInstance, { value: hasInstance });
}

const classesOfStatus: Readonly<Record<number, typeof PetstoreError>> = {
  401: UnauthorizedError,
  404: NotFoundError,
  429: RateLimitedError,
  4: InvalidRequestError,
  5: ServerError,
};

/** The class of the error for a status, which may be given by its first digit. */
export function errorClassOf(status: number): typeof PetstoreError {
  return (
    classesOfStatus[status] ?? classesOfStatus[Math.floor(status / 100)] ?? UnexpectedResponseError
  );
}

function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
