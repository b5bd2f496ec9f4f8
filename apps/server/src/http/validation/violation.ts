import { type Operation, operations } from '../../old.ts';

/** A violation of the spec in a request. */
export interface Violation {
  /** The part of the request: `query`, `params`, `headers`, `cookies` or `body`; in an import, the line. */
  readonly location: string;
  /** The names that lead from there to the violation. */
  readonly names: readonly string[];
  /** The keyword of JSON Schema. */
  readonly keyword: string;
  readonly message: string;
}

/** An error of the JSON Schema validator ajv. */
export interface AjvError {
  /** The JSON pointer of a value in the request. */
  readonly instancePath: string;
  readonly keyword: string;
  readonly message?: string;
  readonly params: {
    readonly missingProperty?: string;
    readonly additionalProperty?: string;
    readonly unevaluatedProperty?: string;
    readonly allowedValues?: readonly unknown[];
  };
}

/** The violation that ajv reports. The first name in the pointer is the location. */
export function violationOf({ instancePath, keyword, message = '', params }: AjvError): Violation {
  const path = instancePath.split('/').map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const property = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
  const [, location = '', ...names] = property === undefined ? path : [...path, property];
  const allowed = params.allowedValues ? `: ${params.allowedValues.join(', ')}` : '';
  return { location, names, keyword, message: message + allowed };
}

/** The location and the field of a violation, and what is wrong. */
export function violationText({ location, names, keyword, message }: Violation): string {
  const name = names.join('.');
  const part = LOCATIONS[location] ?? location;
  const where = names.length > 0 ? `${part} '${name}'` : part;
  const isIdempotencyKey = location === 'headers' && idempotencyHeaders.has(name.toLowerCase());
  return `${where}: ${isIdempotencyKey ? IDEMPOTENCY_KEY_WORDING : (WORDING[keyword] ?? message)}`;
}

const WORDING: Readonly<Record<string, string>> = {
  additionalProperties: 'there is no such property',
  unevaluatedProperties: 'there is no such property',
  required: 'it is missing',
};

/** Replaces ajv's message for an invalid idempotency key, because that message shows a regular expression. */
const IDEMPOTENCY_KEY_WORDING = 'it is not a valid key: send a UUID, or another text that the spec allows';
const idempotencyHeaders = new Set(
  Object.values<Operation>(operations).map(({ idempotencyKey }) => idempotencyKey?.header.toLowerCase()),
);

/** The locations that have another name for callers. */
const LOCATIONS: Readonly<Record<string, string>> = { params: 'path', headers: 'header', cookies: 'cookie' };
