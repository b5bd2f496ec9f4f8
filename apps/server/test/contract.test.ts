import { PetstoreError, petstore } from '@petstore/client';
import type { Api } from '@petstore/types';
import { describe } from 'vitest';
import { allCollections } from '../src/collections.ts';
import { handlers } from '../src/handlers.ts';
import { HttpError } from '../src/http/http-error.ts';
import { memoryStore } from '../src/store/memory.ts';
import { contract } from './contract.ts';
import { overHttp, RefusedError } from './over-http.ts';
import { sharedServer } from './shared-server.ts';

const newStore = async () => memoryStore(allCollections);

describe('the handlers keep the contract', () => {
  contract(async () => ({
    api: handlers(memoryStore(allCollections)),
    codeOf: (error) => (error instanceof HttpError ? error.code : error),
  }));
});

describe('the server keeps the contract over HTTP', () => {
  const server = sharedServer(newStore);
  contract(async () => ({
    api: overHttp(server()),
    codeOf: (error) => (error instanceof RefusedError ? error.body.code : error),
  }));
});

describe('the client keeps the contract', () => {
  const server = sharedServer(newStore);
  contract(async () => {
    const { baseUrl, apiKey } = server();
    const api: Api = petstore({ baseUrl, apiKey });
    return { api, codeOf: (error) => (error instanceof PetstoreError ? error.code : error) };
  });
});
