import { stringify } from 'node:querystring';
import { type Operation, type OperationId, operations } from '@petstore/types';
import { basePath } from '../spec.ts';

/** Names and values of headers, one behind the other, as Node takes them fastest. */
export type Headers = readonly string[];

const announcements = new Map(Object.values<Operation>(operations).map((one) => [one, deprecation(one)]));

/** The headers that tell of an operation's end. */
export function announced(operation: Operation | undefined): Headers {
  return (operation && announcements.get(operation)) ?? [];
}

function deprecation({ deprecated, deprecatedSince, sunset, successor }: Operation): string[] {
  if (!deprecated) return [];
  return [
    ...(deprecatedSince ? ['Deprecation', `@${Date.parse(deprecatedSince) / 1000}`] : []),
    ...(sunset ? ['Sunset', new Date(sunset).toUTCString()] : []),
    ...(successor
      ? ['Link', `<${basePath}${operations[successor as OperationId].path}>; rel="successor-version"`]
      : []),
  ];
}

/**
 * The header that leads behind a full page: the same request, from the last element on. It is written relative to the
 * request, so that it also leads there when a proxy has put the service under a path of its own.
 */
export function nextPage(
  { pagination, fields }: Operation,
  input: Readonly<Record<string, unknown>>,
  { count, last }: { count: number; last: unknown },
): Headers {
  if (!pagination || count < Number(input[pagination.limit])) return [];
  const query: Record<string, string> = {};
  for (const name in input) if (fields[name]?.in === 'query') query[name] = String(input[name]);
  query[pagination.cursor] = String(last);
  return ['Link', `<?${stringify(query)}>; rel="next"`];
}
