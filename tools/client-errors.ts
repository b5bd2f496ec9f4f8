// The errors of the client. The table in its README is generated from this list, and the drift
// check compares the client with it.

export interface ErrorClass {
  readonly name: string;
  readonly base: 'PetstoreError' | 'ResponseError';
  /**
   * The statuses of responses that it is for. `4xx` and `5xx` are those that no other class has.
   */
  readonly statuses: readonly (number | '4xx' | '5xx')[];
  /** When it is thrown; for classes with statuses, what the table adds to them. */
  readonly when: string;
}

export const errorClasses: readonly ErrorClass[] = [
  ofStatus('UnauthorizedError', 401),
  ofStatus('NotFoundError', 404),
  ofStatus('RateLimitedError', 429, ', even after the retries'),
  ofStatus('InvalidRequestError', '4xx'),
  ofStatus('ServerError', '5xx', ', even after the retries'),
  {
    name: 'UnexpectedResponseError',
    base: 'ResponseError',
    statuses: [],
    when: 'The operation does not declare the response, or the body or the link to the next page cannot be read',
  },
  {
    name: 'ConnectionError',
    base: 'PetstoreError',
    statuses: [],
    when: 'The service was not reached, or the connection broke. `cause` says why',
  },
  {
    name: 'TimeoutError',
    base: 'PetstoreError',
    statuses: [],
    when: 'The call took longer than `timeout`, or than an `AbortSignal.timeout()`',
  },
  {
    name: 'AbortedError',
    base: 'PetstoreError',
    statuses: [],
    when: 'Your `signal` ended the call. `cause` is the reason of the signal',
  },
];

/** The class for the status of an error. */
export function errorClassFor(status: number): ErrorClass | undefined {
  const general = status < 500 ? '4xx' : '5xx';
  const own = errorClasses.find(({ statuses }) => statuses.includes(status));
  return own ?? errorClasses.find(({ statuses }) => statuses.includes(general));
}

function ofStatus(name: string, status: number | '4xx' | '5xx', when = ''): ErrorClass {
  return { name, base: 'ResponseError', statuses: [status], when };
}
