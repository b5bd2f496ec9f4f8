import { type Operation, operations } from '@petstore/types';
import { isCondition } from './if-match.ts';
import type { Input, ParameterValues } from './request-context.ts';

/** What the validator's own checks are given, and change: defaults appear. */
export interface Checked extends ParameterValues {
  body: unknown;
}

/** The input of an operation from the parts of a request, which were checked; files are taken from the body as it came. */
export function inputOf(operation: Operation, checked: Checked, received: unknown): Input {
  const { body: described } = operation;
  const { body } = checked;
  const value =
    described?.kind === 'bytes'
      ? received
      : described?.kind === 'multipart'
        ? { ...Object(body), ...Object(received) }
        : body;
  // Nothing to join: the body as it was parsed.
  if (body !== undefined && onlyBody.has(operation)) return value;
  const input = parametersOf(operation, checked);
  if (body === undefined) return input;
  return described?.whole ? { ...input, body: value } : { ...input, ...value };
}

/** The operations whose every input is a property of the body. */
const onlyBody = new Set<Operation>(
  Object.values<Operation>(operations).filter(
    ({ body, fields }) => body && !body.whole && Object.values(fields).every((field) => field.in === 'body'),
  ),
);

function parametersOf(
  { method, fields }: Operation,
  { query, params, headers, cookies }: Checked,
): Record<string, unknown> {
  const input: Record<string, unknown> = { ...params, ...query, ...cookies };
  for (const name in fields) {
    // A condition is for the store, not for the handler.
    if (fields[name]?.in !== 'header' || isCondition(method, name)) continue;
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[name] = value;
  }
  return input;
}
