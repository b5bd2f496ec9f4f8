import type { Operation } from '@petstore/types';
import { isFile } from './body.ts';
import type { SentRequest } from './compare.ts';
import type { Inputs } from './serialize.ts';

/** A response that a recorder returns. */
export interface RecordedResponse {
  status: number;
  contentType?: string;
  headers?: Record<string, string>;
  body?: string;
  bytes?: Uint8Array;
}

/** The inputs of a call as the client takes them: side by side, or the body as `body`. */
export function inputOf(
  operation: Pick<Operation, 'fields' | 'body'>,
  { path, query, header, cookie, body }: Inputs,
): object {
  const parameters = Object.entries({ ...path, ...query, ...header, ...cookie });
  // Parameters that OpenAPI ignores are no inputs.
  const known = Object.fromEntries(parameters.filter(([name]) => Object.hasOwn(operation.fields, name)));
  if (body === undefined) return known;
  const value = asClientInput(body);
  return operation.body?.whole ? { ...known, body: value } : { ...known, ...Object(value) };
}

/** A transport that records requests, and returns the responses in turn. The last response is repeated. */
export function recorder(server: string, ...responses: readonly Partial<RecordedResponse>[]) {
  const sent: SentRequest[] = [];
  const transport = async (request: {
    method: string;
    url: string;
    headers: Record<string, string>;
    body?: ConstructorParameters<typeof Response>[0];
  }) => {
    const body = request.body === undefined ? undefined : await new Response(request.body).arrayBuffer();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    sent.push({
      method: request.method,
      target: targetOf(server, request.url),
      headers,
      ...(body && { body: new Uint8Array(body) }),
    });
    const response = responses[Math.min(sent.length, responses.length) - 1] ?? {};
    const { status = 204, contentType, bytes, body: text = '' } = response;
    const content = [204, 205, 304].includes(status) ? null : ((bytes && Buffer.from(bytes)) ?? text);
    return new Response(content, {
      status,
      headers: { ...response.headers, ...(contentType && { 'content-type': contentType }) },
    });
  };
  return { sent, transport };
}

/** The request target after a server's address; the whole URL for another server. */
export function targetOf(server: string, url: string): string {
  const { href } = new URL(url);
  return href.startsWith(server) ? href.slice(server.length) : href;
}

function asClientInput(value: unknown): unknown {
  if (isFile(value)) return new File([Buffer.from(value.bytes)], value.name ?? 'blob', { type: value.type ?? '' });
  if (Array.isArray(value)) return value.map(asClientInput);
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, asClientInput(property)]));
}
