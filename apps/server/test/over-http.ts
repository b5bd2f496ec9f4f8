import { type Api, type ApiError, type OperationId, operations } from '@petstore/types';
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
      const { method, path, fields, success } = operations[id];
      const url = new URL(baseUrl + path);
      const body: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(input)) {
        const place = (fields as Record<string, { in: string }>)[name]?.in;
        if (place === 'path')
          url.pathname = url.pathname.replace(encodeURI(`{${name}}`), encodeURIComponent(String(value)));
        else if (place === 'query') url.searchParams.set(name, String(value));
        else body[name] = value;
      }
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
      const response = await fetch(url, { method, headers, ...(method !== 'GET' && { body: encode(body) }) });
      const answer: unknown = response.status === 204 ? undefined : decodeText(await response.text());
      if (response.status !== success) throw new RefusedError(response.status, answer as ApiError);
      return answer;
    };
  return Object.fromEntries(Object.keys(operations).map((id) => [id, call(id as OperationId)])) as unknown as Api;
}
