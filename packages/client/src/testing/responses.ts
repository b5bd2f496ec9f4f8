// Writes responses as the service does.
import { exactJson, type Operation, operations, responseOf, service } from '../old.ts';
import type { OperationResult } from './resources.ts';

/** The response of a success. */
export function okResponse(operation: Operation, result: OperationResult, headers: Record<string, string>): Response {
  const { data, status = Number(operation.successes[0]) || 200 } = result;
  const { kind, mediaType } = responseOf(operation, status) ?? {};
  if (kind === undefined) return new Response(null, { status, headers });
  return new Response(exactJson(data), {
    status,
    headers: { ...headers, ...(mediaType && { 'content-type': mediaType }) },
  });
}

/** An error of the fake service. The code and the message are those of the status by default. */
interface ErrorParts {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The response of an error, with the body that the service sends. */
export function errorResponse({ status, code, message, headers = {} }: ErrorParts): Response {
  const [codeOfStatus] = Object.entries<number>(service.statuses).find(([, declared]) => declared === status) ?? [];
  const error = {
    code: code ?? codeOfStatus ?? (status < 500 ? 'invalid_request' : 'internal_error'),
    message: message ?? `It is ${status}.`,
    status,
  };
  return Response.json(error, { status, headers });
}

/** The methods of a path, which a response to OPTIONS and a 405 name. */
export function allowOf(atPath: readonly Operation[]): string {
  const methods = new Set<string>(atPath.map(({ method }) => method));
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods.add('OPTIONS')].join(', ');
}

/** The headers of every response of a deprecated operation. */
export function deprecationOf(operation: Operation | undefined, basePath: string): [name: string, value: string][] {
  const { deprecated, deprecatedSince, sunset, successor } = operation ?? {};
  if (!deprecated) return [];
  const { path } = Object.values<Operation>(operations).find(({ id }) => id === successor) ?? {};
  const headers = {
    deprecation: deprecatedSince && `@${Date.parse(deprecatedSince) / 1000}`,
    sunset: sunset && new Date(sunset).toUTCString(),
    link: path && `<${basePath}${path}>; rel="successor-version"`,
  };
  return Object.entries(headers).filter((header): header is [string, string] => Boolean(header[1]));
}
