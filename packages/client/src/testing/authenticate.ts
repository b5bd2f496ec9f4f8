// Authenticates requests as the service does, by the security schemes of the spec.
import { type Operation, operations, type SecurityScheme, service } from '@petstore/types';
import type { UserAndPassword } from '../connection.ts';
import { HttpError } from './read-body.ts';

type Security = { securitySchemes: Readonly<Record<string, SecurityScheme>>; keyScheme?: string };
const { securitySchemes: schemes, keyScheme }: Security = service;

/** The alternatives for a request without an operation: each scheme of the service. */
const anyScheme = Object.values<Operation>(operations).flatMap(({ security }) => security.flat().map((name) => [name]));

/** The options of a client that uses this key for every security scheme. */
export function credentialsOf(apiKey: string) {
  const others = Object.entries(schemes).filter(([name]) => name !== keyScheme);
  const credentials = others.map(([name, { type }]): [string, string | UserAndPassword] => [
    name,
    type === 'basic' ? { username: 'user', password: apiKey } : apiKey,
  ]);
  return { apiKey, credentials: Object.fromEntries(credentials) };
}

/**
 * The key of the caller, empty if the operation needs none. Removes keys from the query. Throws an HttpError unless the keys of some
 * alternative are complete and accepted.
 */
export function callerOf(
  { headers }: Request,
  query: URLSearchParams,
  { security = anyScheme }: Partial<Operation>,
  accepted?: string,
): string {
  const used = security.flat().flatMap((name) => schemes[name] ?? []);
  const callers = security.map((names) => {
    const keys = names.map((name) => keyOf(schemes[name], headers, query));
    return keys.every((key) => key && (accepted === undefined || key === accepted)) ? (keys[0] ?? '') : undefined;
  });
  for (const scheme of used) if (scheme.type === 'apiKey' && scheme.in === 'query') query.delete(scheme.name);
  const caller = security.length === 0 ? '' : callers.find((key) => key !== undefined);
  if (caller !== undefined) return caller;
  const challenges = [...new Set(used.map(challengeOf))].join(', ');
  throw new HttpError(401, 'The API key is missing or invalid.', { 'www-authenticate': challenges });
}

/** The key that a request sends for a security scheme. Of several cookies, the first counts. */
function keyOf(scheme: SecurityScheme | undefined, headers: Headers, query: URLSearchParams): string | undefined {
  const authorization = headers.get('authorization') ?? '';
  if (scheme?.type === 'bearer') return /^Bearer +([!-~]+)$/i.exec(authorization)?.[1];
  if (scheme?.type === 'basic')
    return decodedIfValid(() => passwordIn(/^Basic +([\w+/]+={0,2})$/i.exec(authorization)?.[1] ?? ''));
  if (scheme?.type !== 'apiKey') return undefined;
  const { in: location, name } = scheme;
  if (location === 'header') return headers.get(name) ?? undefined;
  if (location === 'query') return query.getAll(name).length === 1 ? (query.get(name) ?? undefined) : undefined;
  const cookies = (headers.get('cookie') ?? '').split(';').map((cookie) => cookie.trim());
  const cookie = cookies.find((text) => text.startsWith(`${name}=`)) ?? '';
  return decodedIfValid(() => decodeURIComponent(cookie.slice(name.length + 1)));
}

/** The password of basic authentication, which is the key. The user name is free. */
function passwordIn(encoded: string): string {
  const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
  return new TextDecoder().decode(bytes).replace(/^[^:]*:?/, '');
}

/** The result of a decoder, `undefined` if the text is malformed. */
function decodedIfValid(decode: () => string): string | undefined {
  try {
    return decode();
  } catch {
    return undefined;
  }
}

/** The challenge of a scheme, as that of the service. */
function challengeOf(scheme: SecurityScheme): string {
  if (scheme.type === 'basic') return 'Basic realm="api", charset="UTF-8"';
  return scheme.type === 'apiKey' ? `ApiKey in="${scheme.in}", name="${scheme.name}"` : 'Bearer';
}
