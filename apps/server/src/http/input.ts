import type { Operation } from '@petstore/types';
import { isCondition } from './if-match.ts';
import type { Input, ParameterValues } from './request-context.ts';

/** What the validator's own checks are given, and change: defaults appear. */
export interface Checked extends ParameterValues {
  body: unknown;
}

/** The input of an operation from the parts of a request, which were checked; files are taken from the body as it came. */
export function inputOf(
  { method, fields, body: described }: Operation,
  { query, params, headers, cookies, body }: Checked,
  received: unknown,
): Input {
  const input: Record<string, unknown> = { ...params, ...query, ...cookies };
  for (const name in fields) {
    // A condition is for the store, not for the handler.
    if (fields[name]?.in !== 'header' || isCondition(method, name)) continue;
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[name] = value;
  }
  if (body === undefined) return input;
  const value =
    described?.kind === 'bytes'
      ? received
      : described?.kind === 'multipart'
        ? { ...Object(body), ...Object(received) }
        : body;
  return described?.whole ? { ...input, body: value } : { ...input, ...(value as object) };
}
