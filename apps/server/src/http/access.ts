import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Operation, operations, type SecurityScheme, service } from '@petstore/types';
import cors from 'cors';
import type { RequestHandler } from 'express';
import type { KeyCheck } from '../keys/check-keys.ts';
import { HttpError } from './http-error.ts';
import { cookiesOf } from './parameters.ts';
import type { Quotas } from './quotas.ts';
import { contextOf, type RequestContext } from './request-context.ts';
import { decodedText, splitPairs } from './styles.ts';

/** The name of the request's API key, by the security schemes of its operation; empty if it needs none, undefined if unknown. */
export function callerOf(
  request: IncomingMessage,
  { operation, query }: RequestContext,
  nameOf: KeyCheck,
): string | undefined {
  let name: string | undefined;
  for (const alternative of operation?.security ?? anyScheme) {
    name = undefined;
    for (const scheme of alternative) {
      const caller = nameOf(credentialOf(schemes[scheme], request, query) ?? '');
      if (caller === undefined) {
        name = undefined;
        break;
      }
      name ??= caller;
    }
    if (name !== undefined) return name;
  }
  return isPublic(operation) ? '' : undefined;
}

const schemes: Readonly<Record<string, SecurityScheme>> = service.securitySchemes;

/** The alternatives for a request without an operation: each scheme of the service. */
const anyScheme = [...new Set(Object.values<Operation>(operations).flatMap(({ security }) => security.flat()))].map(
  (name) => [name],
);

/** Whether the operation needs no credential. */
function isPublic(operation: Operation | undefined): boolean {
  const security = operation?.security ?? anyScheme;
  return security.length === 0 || security.some((alternative) => alternative.length === 0);
}

/** The key of a request in a scheme. */
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
      if (location === 'header') return [headers[name.toLowerCase()] ?? []].flat()[0];
      if (location === 'cookie') return decoded(cookiesOf(headers.cookie).get(name));
      const texts = splitPairs(query, '&', (text) => decoded(text) ?? text).filter(([one]) => one === name);
      return texts.length > 1 ? undefined : decoded(texts[0]?.[1]);
    }
    default:
      return undefined;
  }
}

/** The bearer token. The usual form needs no regular expression with groups. */
function tokenOf(authorization: string): string | undefined {
  const token = authorization.slice(BEARER_PREFIX.length);
  const isPlain = authorization.startsWith(BEARER_PREFIX) && !/[^!-~]/.test(token);
  return isPlain ? token : /^Bearer +([!-~]+) *$/i.exec(authorization)?.[1];
}

const BEARER_PREFIX = 'Bearer ';

/** Decodes a key or its name; undefined if an escape is broken, because a missing key is the first error to report. */
function decoded(text: string | undefined): string | undefined {
  return text === undefined ? undefined : decodedText(text.replaceAll('+', ' '));
}

/** The password of basic authentication, which is the key. The user name is free. */
function passwordOf(encoded: string | undefined): string | undefined {
  const text = Buffer.from(encoded ?? '', 'base64').toString();
  return text.includes(':') ? text.slice(text.indexOf(':') + 1) : undefined;
}

/** The query parameters of an operation that contain keys. */
export function queryKeysOf({ security }: Operation): string[] {
  return security.flat().flatMap((name) => {
    const scheme = schemes[name];
    return scheme?.type === 'apiKey' && scheme.in === 'query' ? [scheme.name] : [];
  });
}

/** Rejects a request without the required key, before any other check. */
export function authenticate(nameOf: KeyCheck): RequestHandler {
  return (request, response, next) => {
    const context = contextOf(response);
    const name = callerOf(request, context, nameOf);
    if (name === undefined) throw unauthorized(context);
    context.keyName = name || undefined;
    next();
  };
}

export function unauthorized({ operation }: Pick<RequestContext, 'operation'>): HttpError {
  const challenges = new Set((operation?.security ?? anyScheme).flat().map((name) => challengeOf(schemes[name])));
  const headers = { 'WWW-Authenticate': [...challenges].join(', ') };
  return new HttpError('unauthorized', 'The API key is missing or invalid.', { headers });
}

/** The challenges (RFC 9110 11.6.1). There is no registered scheme for keys in headers, queries or cookies. */
function challengeOf(scheme: SecurityScheme | undefined): string {
  if (scheme?.type === 'basic') return 'Basic realm="api", charset="UTF-8"';
  return scheme?.type === 'apiKey' ? `ApiKey in="${scheme.in}", name="${scheme.name}"` : 'Bearer';
}

/**
 * Counts a request towards the rate limit of its key, once, and sets the `RateLimit` headers. Returns the milliseconds until
 * the limit allows it, 0 if it does.
 */
export type ApplyRateLimit = (response: ServerResponse, context: RequestContext) => number;

export function rateLimiter(quotas: Quotas): ApplyRateLimit {
  return (response, context) => {
    if (context.retryAfterMs !== undefined) return context.retryAfterMs;
    const { retryAfterMs, remaining, restoredMs } = quotas.use(context.keyName ?? '');
    response.setHeader('RateLimit-Policy', quotas.policy);
    response.setHeader('RateLimit', `"per-key";r=${remaining};t=${Math.ceil(Math.round(restoredMs) / 1000)}`);
    context.retryAfterMs = retryAfterMs;
    return retryAfterMs;
  };
}

/** Rejects requests beyond the rate limit of their key. */
export function rateLimit(apply: ApplyRateLimit): RequestHandler {
  return (_request, response, next) => {
    const waitMs = apply(response, contextOf(response));
    if (waitMs > 0) {
      const seconds = Math.ceil(waitMs / 1000);
      throw new HttpError('rate_limited', `This key has reached its rate limit. Retry in ${seconds} s.`, {
        headers: { 'Retry-After': String(seconds) },
      });
    }
    next();
  };
}

/** The spec's headers for parameters and keys. */
function describedHeaders(): string[] {
  const all = Object.values<Operation>(operations);
  const fields = all.flatMap((operation) => Object.entries(operation.fields));
  const idempotencyKeys = all.flatMap(({ idempotencyKey }) => idempotencyKey?.header ?? []);
  const keys = Object.values(schemes).flatMap((scheme) =>
    scheme.type === 'apiKey' && scheme.in === 'header' ? [scheme.name] : [],
  );
  const inHeaders = fields.filter(([, field]) => field.in === 'header').map(([name]) => name);
  return [...new Set([...inHeaders, ...idempotencyKeys, ...keys])];
}

export type CrossOrigin = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** Allows pages of these origins to call the service and read its headers. `*` allows all. */
export function crossOrigin(origins: readonly string[]): CrossOrigin {
  const allow = cors({
    origin: origins.includes('*') ? '*' : [...origins],
    allowedHeaders: [
      ...['Authorization', 'Content-Type', 'If-Match', 'If-None-Match', 'X-Request-Id', 'Traceparent'],
      ...describedHeaders(),
    ],
    exposedHeaders: [
      ...['Link', 'X-Request-Id', 'Retry-After', 'Deprecation', 'Sunset', 'Allow', 'ETag'],
      ...['RateLimit', 'RateLimit-Policy', 'Idempotency-Replayed'],
    ],
    maxAge: 600,
    preflightContinue: true,
  });
  return (request, response, next) => {
    // Preflights have no key, so they get their response before the key check.
    const preflight = request.method === 'OPTIONS' && request.headers['access-control-request-method'] !== undefined;
    allow(request, response, preflight ? () => void response.writeHead(204).end() : next);
  };
}
