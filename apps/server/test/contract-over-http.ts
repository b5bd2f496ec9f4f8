import { PetstoreError, petstore } from '@petstore/client';
import { beforeEach, describe } from 'vitest';
import { type Api, type ApiError, exactJson, type Operation, type OperationId, operations } from '../src/old.ts';
import { decodeText } from '../src/store/document.ts';
import { memoryStore } from '../src/store/memory.ts';
import type { Store } from '../src/store/store.ts';
import { contract } from './contract.ts';
import { type Listening, listenForSuite, modes } from './listen.ts';

/** Runs the contract's tests on a server over such stores, in each mode, with plain requests and through the client. */
export function contractOverHttp(newStore: () => Promise<Store>): void {
  describe.each(modes)('the server, %s,', (_, options) => {
    const server = sharedServer(newStore, options);

    describe('fulfils the contract over HTTP', () => {
      contract(async () => ({
        api: overHttp(server()),
        codeOf: (error) => (error instanceof ResponseError ? error.body.code : error),
      }));
    });

    describe('fulfils the contract through the client', () => {
      contract(async () => {
        const { baseUrl, apiKey } = server();
        const api: Api = petstore({ baseUrl, apiKey });
        return { api, codeOf: (error) => (error instanceof PetstoreError ? error.code : error) };
      });
    });
  });
}

/** One server for all tests of a suite, over a new store for each: compiling the spec's checks takes a third of a second. */
function sharedServer(newStore: () => Promise<Store>, options: Parameters<typeof listenForSuite>[0]) {
  let store = memoryStore();
  beforeEach(async () => {
    store = await newStore();
  });
  return listenForSuite(options, new Proxy({} as Store, { get: (_, name) => Reflect.get(store, name) }));
}

/** A response other than the success that the spec declares. */
class ResponseError extends Error {
  override readonly name = 'ResponseError';
  readonly status: number;
  readonly body: ApiError;

  constructor(status: number, body: ApiError) {
    super(`${status} ${JSON.stringify(body)}`);
    this.status = status;
    this.body = body;
  }
}

/** Calls the service with requests from the operations table, not with the client, whose bugs could hide bugs of the server. */
function overHttp({ baseUrl, apiKey }: Listening): Api {
  const call =
    (id: OperationId) =>
    async (input: Record<string, unknown> = {}) => {
      const { method, path, fields, successes, responses, body: declared }: Operation = operations[id];
      const url = new URL(baseUrl + path);
      const properties: Record<string, unknown> = {};
      for (const [name, value] of Object.entries(input)) {
        const location = fields[name]?.in;
        if (location === 'path')
          url.pathname = url.pathname.replace(encodeURI(`{${name}}`), encodeURIComponent(String(value)));
        else if (location === 'query') for (const one of [value].flat()) url.searchParams.append(name, String(one));
        else properties[name] = value;
      }
      const type = declared?.mediaType;
      const content = declared?.whole ? properties.body : properties;
      const body = declared?.kind === 'json' ? exactJson(content) : (content as Blob | string);
      const headers = { authorization: `Bearer ${apiKey}`, ...(type && { 'content-type': type }) };
      const response = await fetch(url, { method, headers, ...(type && { body }) });
      const { status } = response;
      const kind = responses[status]?.kind;
      const text = kind === 'bytes' ? '' : await response.text();
      const json: unknown = kind === 'text' || text === '' ? undefined : decodeText(text);
      if (!successes.includes(String(status))) throw new ResponseError(status, json as ApiError);
      const data = kind === 'bytes' ? response.body : kind === 'text' ? text : json;
      return successes.length > 1 ? { status, data } : data;
    };
  // `fromEntries` loses the type of each function.
  return Object.fromEntries(Object.keys(operations).map((id) => [id, call(id as OperationId)])) as unknown as Api;
}
