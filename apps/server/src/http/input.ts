import type { Operation } from '../old.ts';

/** The parsed parameters of a request by location and name. */
export interface ParameterValues {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly cookies: Record<string, unknown>;
}

/** The values of a request, which the validator's compiled checks accept or reject. The checks set defaults in them. */
export interface RequestValues extends ParameterValues {
  body: unknown;
}

/** The validated input of an operation: every field by its name. */
export type Input = Readonly<Record<string, unknown>>;

/** The input of an operation from checked values. Bytes come from the received body, because the checked body is a string instead. */
export function inputOf(operation: Operation, checked: RequestValues, received: unknown): Input {
  const { method, body: described, fields } = operation;
  const { query, params, headers, cookies, body } = checked;
  const input: Record<string, unknown> = { ...params, ...query, ...cookies };
  for (const name in fields) {
    if (fields[name]?.in !== 'header' || isCondition(method, name)) continue;
    const value = headers[name.toLowerCase()];
    if (value !== undefined) input[name] = value;
  }
  if (body === undefined) return input;
  const value = described?.kind === 'bytes' ? received : body;
  if (described?.whole) return { ...input, body: value };
  if (!described?.additional) return { ...input, ...Object(value) };
  // An additional property is unchecked, so it must not become the parameter of the same name.
  const properties = Object.entries(Object(value)).filter(([name]) => (fields[name]?.in ?? 'body') === 'body');
  return { ...input, ...Object.fromEntries(properties) };
}

const WRITES = new Set(['PUT', 'PATCH', 'DELETE']);

/** Whether a header is a condition for the store instead of an input of the handler. */
export function isCondition(method: string, header: string): boolean {
  return WRITES.has(method) && header.toLowerCase() === 'if-match';
}
