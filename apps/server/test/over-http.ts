import { type Api, type ApiError, type Operation, type OperationId, operations } from '@petstore/types';
import { decodeText, encode } from '../src/store/document.ts';
import type { Listening } from './listen.ts';

/** An answer other than the success that the spec declares. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly status: number;
  readonly body: ApiError;

  constructor(status: number, body: ApiError) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** The service by plain requests, written down from the operations table, so that nothing of the client can hide a fault. */
export function overHttp({ baseUrl, apiKey }: Listening): Api {
  const call =
    (id: OperationId) =>
    async (input: Record<string, unknown> = {}) => {
      const { method, path, fields, success, responses, body: described }: Operation = operations[id];
      const url = new URL(baseUrl + path);
      const properties: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(input)) {
        const place = fields[name]?.in;
        if (place === 'path')
          url.pathname = url.pathname.replace(encodeURI(`{${name}}`), encodeURIComponent(String(value)));
        else if (place === 'query') for (const one of [value].flat()) url.searchParams.append(name, String(one));
        else properties[name] = value;
      }
      const type = described?.mediaType;
      const body = described?.kind === 'bytes' ? (properties.body as Blob) : encode(properties);
      const headers = { authorization: `Bearer ${apiKey}`, ...(type && { 'content-type': type }) };
      const response = await fetch(url, { method, headers, ...(type && { body }) });
      if (response.ok && responses[String(success)]?.kind === 'bytes') return response.body;
      const text = await response.text();
      const answer: unknown = text === '' ? undefined : decodeText(text);
      if (response.status !== success) throw new RefusedError(response.status, answer as ApiError);
      return answer;
    };
  // An object made from entries forgets which name has which function.
  return Object.fromEntries(Object.keys(operations).map((id) => [id, call(id as OperationId)])) as unknown as Api;
}
