// Authenticates requests as the service does, by the security schemes of the spec.
import { type Operation, operations, type SecurityScheme, service } from '../old.ts';
import { HttpError } from './read-body.ts';

const schemes: Readonly<Record<string, SecurityScheme>> = service.securitySchemes;

/** The alternatives for a request without an operation: each scheme of the service. */
const anyScheme = Object.values<Operation>(operations).flatMap(({ security }) => security.flat().map((name) => [name]));

/**
 * The key of the caller, empty if the operation needs none. Throws an HttpError unless the key is that of some alternative, and
 * accepted.
 */
export function callerOf(
  { headers }: Request,
  { security = anyScheme }: Partial<Operation>,
  accepted?: string,
): string {
  const key = /^Bearer +([!-~]+)$/i.exec(headers.get('authorization') ?? '')?.[1];
  const takesKey = security.flat().some((name) => schemes[name]?.type === 'bearer');
  if (takesKey && key !== undefined && (accepted === undefined || key === accepted)) return key;
  if (security.length === 0 || security.some((names) => names.length === 0)) return '';
  throw new HttpError(401, 'The API key is missing or invalid.', { 'www-authenticate': 'Bearer' });
}
