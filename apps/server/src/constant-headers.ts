// The headers that every response has, and those that every response of a deprecated operation has.
import { type Operation, operations, service } from '@petstore/types';

const always = ['X-Content-Type-Options', 'nosniff'] as const;

/** Names and values in turn. */
export function constantHeaders(operation?: Operation): readonly string[] {
  return (operation && headersOf.get(operation)) ?? always;
}

const all = Object.values<Operation>(operations);
const headersOf = new Map(all.map((operation) => [operation, [...always, ...notices(operation)]]));

function notices({ deprecatedSince, sunset, successor }: Operation): string[] {
  const headers: string[] = [];
  // RFC 9745: seconds since 1970.
  if (deprecatedSince) headers.push('Deprecation', `@${Date.parse(deprecatedSince) / 1000}`);
  if (sunset) headers.push('Sunset', new Date(sunset).toUTCString());
  const instead = all.find(({ id }) => id === successor);
  if (instead)
    headers.push('Link', `<${service.basePath}${instead.path}>; rel="successor-version"`);
  return headers;
}
