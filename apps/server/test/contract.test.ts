import { PetstoreError, petstore } from '@petstore/client';
import type { Api } from '@petstore/types';
import { afterEach, describe } from 'vitest';
import { handlers } from '../src/handlers.ts';
import { HttpError } from '../src/http/http-error.ts';
import { memoryStore } from '../src/store/memory.ts';
import { contract } from './contract.ts';
import { type Listening, listen } from './listen.ts';
import { overHttp, RefusedError } from './over-http.ts';

let server: Listening | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('the handlers keep the contract', () => {
  contract(async () => ({
    api: handlers(memoryStore()),
    codeOf: (error) => (error instanceof HttpError ? error.code : error),
  }));
});

describe('the server keeps the contract over HTTP', () => {
  contract(async () => {
    server = await listen();
    return { api: overHttp(server), codeOf: (error) => (error instanceof RefusedError ? error.body.code : error) };
  });
});

describe('the client keeps the contract', () => {
  contract(async () => {
    server = await listen();
    const api: Api = petstore({ baseUrl: server.baseUrl, apiKey: server.apiKey });
    return { api, codeOf: (error) => (error instanceof PetstoreError ? error.code : error) };
  });
});
