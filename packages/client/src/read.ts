import type { ErrorCode } from '@petstore/types';
import type { Answer } from './connection.ts';
import { classOf, PetstoreError } from './errors.ts';

/** The data of a success. Throws what else came as an error, and never lets a number through that was rounded. */
export function read(response: Answer, text: string): unknown {
  const { status, headers } = response;
  const data = parsed(text);
  if (status < 200 || status > 299) throw refusal(response, text, data);
  if (status === 204) return undefined;
  const type = headers.get('content-type');
  const fault = !/^application\/json\b/i.test(`${type}`)
    ? `content type '${type}' instead of JSON`
    : data === undefined
      ? 'broken JSON'
      : // Only numbers this long can have been rounded.
        /\d{16}/.test(text) && !isExact(data) && 'a number that cannot be carried exactly';
  if (fault) throw new PetstoreError(response, `${status} with ${fault}${quoted(text)}`);
  return data;
}

/** The error for an answer that is no success. A body that is no Error, a proxy's page say, is quoted. */
export function refusal(response: Answer, text: string, data = parsed(text)): PetstoreError {
  const { code, message } = Object(data) as { code?: unknown; message?: unknown };
  const Class = classOf(response.status);
  return typeof code === 'string' && typeof message === 'string'
    ? new Class(response, message, code as ErrorCode)
    : new Class(response, response.status + quoted(text));
}

/** Whether JSON carries all numbers in it as they are: no larger one is, and none that was rounded is less. */
export function isExact(data: unknown): boolean {
  return typeof data === 'number'
    ? Math.abs(data) <= Number.MAX_SAFE_INTEGER
    : Object(data) !== data || Object.values(data as object).every(isExact);
}

/** What a text says as JSON, which can say anything but `undefined`. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function quoted(text: string): string {
  return text ? `: ${text.slice(0, 200)}` : ' without a body';
}
