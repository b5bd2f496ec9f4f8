import { type Operation, type OperationId, operations } from '@petstore/types';
import { basePath } from '../spec.ts';

/** The headers that tell of an operation's end, from what the spec says of it. */
export function deprecation({ deprecated, deprecatedSince, sunset, successor }: Operation): Record<string, string> {
  if (!deprecated) return {};
  return {
    ...(deprecatedSince && { Deprecation: `@${Date.parse(deprecatedSince) / 1000}` }),
    ...(sunset && { Sunset: new Date(sunset).toUTCString() }),
    ...(successor && { Link: `<${basePath}${operations[successor as OperationId].path}>; rel="successor-version"` }),
  };
}

/**
 * The header that leads behind a full page: the same request, from the last element on. It is written relative to the
 * request, so that it also leads there when a proxy has put the service under a path of its own.
 */
export function nextPage(
  { pagination }: Operation,
  query: string,
  limit: number,
  result: unknown,
): Record<string, string> {
  if (!pagination || !Array.isArray(result) || result.length < limit) return {};
  const parameters = new URLSearchParams(query);
  parameters.set(pagination.limit, String(limit));
  parameters.set(pagination.cursor, String(result.at(-1)[pagination.key]));
  return { Link: `<?${parameters}>; rel="next"` };
}
