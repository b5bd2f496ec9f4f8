import { type Operation, operations } from '@petstore/types';

/** The parsed parameters of a request by location and name. */
export interface ParameterValues {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Record<string, unknown>;
}

/** The values that the validator's compiled checks check. The checks set defaults in them. */
export interface Checked extends ParameterValues {
  body: unknown;
}

/** The validated input of an operation: every field by its name. */
export type Input = Readonly<Record<string, unknown>>;

/** The input of an operation from checked values. Files come from the received body, because checks replace them. */
export function inputOf(operation: Operation, checked: Checked, received: unknown): Input {
  const { body: described } = operation;
  const { body } = checked;
  const value =
    described?.kind === 'bytes'
      ? received
      : described?.kind === 'multipart'
        ? { ...Object(body), ...Object(received) }
        : body;
  // The parsed body is the input, without a copy.
  if (body !== undefined && bodyOnly.has(operation)) return value;
  const input = parametersOf(operation, checked);
  if (body === undefined) return input;
  return described?.whole ? { ...input, body: value } : { ...input, ...value };
}

const WRITES = new Set(['PUT', 'PATCH', 'DELETE']);

/** Whether a header is a condition for the store instead of an input of the handler. */
export function isCondition(method: string, header: string): boolean {
  return WRITES.has(method) && header.toLowerCase() === 'if-match';
}

/** The operations whose every input is a property of the body. */
const bodyOnly = new Set<Operation>(
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
    if (fields[name]?.in !== 'header' || isCondition(method, name)) continue;
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[name] = value;
  }
  return input;
}
