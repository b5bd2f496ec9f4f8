import { parseExact } from '@petstore/types';
import { errorClassOf, UnexpectedResponseError } from './errors.ts';
import { basePath } from './gen/calls.gen.ts';
import type { Operation, PreparedRequest } from './request.ts';

/** The data of a success. Throws the error for any other response. */
export function dataOf(
  operation: Operation,
  request: PreparedRequest,
  response: Response,
  text: string,
): unknown {
  const { id, wire } = operation;
  const { status } = response;
  const { successes = [200] } = wire;
  // The caller asked whether the result has changed, and it has not.
  if (status === 304 && request.headers['if-none-match'] !== undefined) return undefined;
  if (status >= 400) {
    const ErrorClass = errorClassOf(status);
    throw new ErrorClass(response, text, undefined, addressHint(operation, status));
  }
  if (!successes.includes(status))
    throw new UnexpectedResponseError(response, text, `${id}: ${unexpected(response)}`);
  const data = wire.empty?.includes(status) ? undefined : parsed(id, response, text);
  if (wire.pagination && !Array.isArray(data))
    throw new UnexpectedResponseError(response, text, `${id}: no list`);
  return successes.length === 1 ? data : { status, data };
}

function parsed(id: string, response: Response, text: string): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    throw new UnexpectedResponseError(response, text, `${id}: ${error}`);
  }
}

/** A 404 of any path is often due to an address without the version segment. */
function addressHint({ settings }: Operation, status: number): string {
  const isComplete = settings.baseUrl.endsWith(basePath);
  return status === 404 && !isComplete ? ` (baseUrl does not end in ${basePath})` : '';
}

function unexpected({ status, headers }: Response): string {
  const location = headers.get('location');
  if (location !== null) return `the redirect to ${location} is not followed`;
  // A browser hides a redirect behind the status 0.
  return status === 0 ? 'the redirect to elsewhere is not followed' : `unexpected status ${status}`;
}
