import { type Operation, type OperationId, operations } from '@petstore/types';
import type { Request } from 'express';
import { basePath } from '../spec.ts';

/** The headers that tell of an operation's end, from what the spec says of it. */
export function deprecation(operation: Operation): Record<string, string> {
  if (!operation.deprecated) return {};
  const { deprecatedSince, sunset, successor } = operation;
  return {
    ...(deprecatedSince && { Deprecation: `@${Date.parse(deprecatedSince) / 1000}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(successor && {
      Link: `<${basePath}${operations[successor as OperationId].path}>; rel="successor-version"`,
    }),
  };
}

/** The header that leads behind a full page. */
export function nextPage({ pagination }: Operation, request: Request, result: unknown): Record<string, string> {
  if (!pagination || !Array.isArray(result)) return {};
  const limit = Number(request.query[pagination.limit]);
  if (result.length < limit) return {};
  const url = new URL(request.originalUrl, 'http://localhost');
  url.searchParams.set(pagination.limit, String(limit));
  url.searchParams.set(pagination.cursor, String(result.at(-1)[pagination.key]));
  return { Link: `<${url.pathname}${url.search}>; rel="next"` };
}
