import type { IncomingMessage } from 'node:http';
import { type Operation, operations, type SecurityScheme, service } from '@petstore/types';
import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys/check-keys.ts';
import { HttpError } from './http-error.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { cookiesOf } from './styles.ts';
import { decodedText } from './values.ts';

/** Rejects a request without the required key. It comes before every other check of a well-formed request. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const name = callerOf(request, context, nameOf);
    if (name === undefined) throw unauthorized(context);
    context.keyName = name === '' ? undefined : name;
    next();
  };
}

/** The error for a request without a valid key, with a challenge for each scheme of its operation. */
export function unauthorized({ operation }: RequestContext): HttpError {
  const challenges = new Set((operation?.security ?? anyScheme).flat().map((name) => challengeOf(schemes[name])));
  const headers = { 'WWW-Authenticate': [...challenges].join(', ') };
  return new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
}

/**
 * The name of the request's valid API key, by the security schemes of its operation. Without a valid key, it is empty if the operation
 * needs none, else undefined.
 */
export function callerOf(request: IncomingMessage, context: RequestContext, nameOf: KeyCheck): string | undefined {
  const { operation, target } = context;
  const alternatives = operation?.security ?? anyScheme;
  // A valid key counts even if another alternative needs none.
  for (const schemeNames of alternatives) {
    const names = schemeNames.map((scheme) => nameOf(credentialOf(schemes[scheme], request, target.query) ?? ''));
    if (!names.includes(undefined) && names.length > 0) return names[0];
  }
  const isPublic = alternatives.length === 0 || alternatives.some(({ length }) => length === 0);
  return isPublic ? '' : undefined;
}

/** The query parameters of an operation that contain keys. */
export function queryKeysOf({ security }: Operation): string[] {
  return security.flat().flatMap((name) => {
    const scheme = schemes[name];
    return scheme?.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : [];
  });
}

const schemes: Readonly<Record<string, SecurityScheme>> = service.securitySchemes;

/** The alternatives for a request without an operation: each scheme of the service. */
const anyScheme = [...new Set(Object.values<Operation>(operations).flatMap(({ security }) => security.flat()))].map(
  (name) => [name],
);

/**
 * The API key that the request sends in the way of a security scheme; undefined if it sends no key, or several in the query. Of
 * several cookies, the first counts.
 */
function credentialOf(
  scheme: SecurityScheme | undefined,
  { headers }: IncomingMessage,
  query: string,
): string | undefined {
  const { authorization = '' } = headers;
  switch (scheme?.type) {
    case 'bearer':
      return tokenOf(authorization);
    case 'basic':
      return passwordOf(/^Basic +([\w+/=-]+) *$/i.exec(authorization)?.[1]);
    case 'apiKey': {
      const { in: location, name } = scheme;
      if (location === 'header') return [headers[name.toLowerCase()]].flat()[0];
      if (location === 'cookie') return decodedText(cookiesOf(headers.cookie).get(name) ?? '');
      // Without the `&`, a question mark at the beginning of the first name would be dropped.
      const [key, ...others] = new URLSearchParams(`&${query}`).getAll(name);
      return others.length > 0 ? undefined : key;
    }
    default:
      return undefined;
  }
}

/** The bearer token. A header in the usual form needs no regular expression with groups, which is slower. */
function tokenOf(authorization: string): string | undefined {
  const token = authorization.slice(BEARER_PREFIX.length);
  const isPlain = authorization.startsWith(BEARER_PREFIX) && !/[^!-~]/.test(token);
  return isPlain ? token : /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1];
}

const BEARER_PREFIX = 'Bearer ';

/** The password of basic authentication, which is the key. The user name is free. */
function passwordOf(encoded: string | undefined): string | undefined {
  const text = Buffer.from(encoded ?? '', 'base64').toString();
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : undefined;
}

/**
 * The challenge of a scheme (RFC 9110 11.6.1). `ApiKey` is not a registered scheme: there is none for keys in headers,
 * queries or cookies.
 */
function challengeOf(scheme: SecurityScheme | undefined): string {
  if (scheme?.type === 'basic') return 'Basic realm="api", charset="UTF-8"';
  return scheme?.type === 'apiKey' ? `ApiKey in="${scheme.in}", name="${scheme.name}"` : 'Bearer';
}
