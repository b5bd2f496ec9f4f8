// The errors of the client: the table in its README is made of this, and the drift check compares the client with it.

export interface ErrorClass {
  readonly name: string;
  /** The statuses of responses that it is for; `4xx` and `5xx` stand for those that no other class has. */
  readonly statuses: readonly (number | '4xx' | '5xx')[];
  readonly when: string;
}

export const errorClasses: readonly ErrorClass[] = [
  { name: 'UnauthorizedError', statuses: [401], when: 'the API key is missing, wrong or revoked' },
  { name: 'NotFoundError', statuses: [404], when: 'what was requested does not exist' },
  {
    name: 'RateLimitedError',
    statuses: [429],
    when: 'there were too many requests with this key, even after the retries',
  },
  {
    name: 'InvalidRequestError',
    statuses: ['4xx'],
    when: 'the service does not accept the request as it is',
  },
  { name: 'ServerError', statuses: ['5xx'], when: 'the service failed, even after the retries' },
  {
    name: 'UnexpectedResponseError',
    statuses: [],
    when: 'the operation does not declare this response, or its body cannot be read',
  },
  {
    name: 'ConnectionError',
    statuses: [],
    when: 'the service was not reached, or the connection broke; `cause` says why',
  },
  { name: 'TimeoutError', statuses: [], when: 'the call took longer than `timeout`' },
  { name: 'AbortedError', statuses: [], when: 'the `signal` of the caller ended the call' },
];

/** The name of the class for the status of an error. */
export function errorClassFor(status: number): string | undefined {
  const general = status < 500 ? '4xx' : '5xx';
  const own = errorClasses.find(({ statuses }) => statuses.includes(status));
  return (own ?? errorClasses.find(({ statuses }) => statuses.includes(general)))?.name;
}
