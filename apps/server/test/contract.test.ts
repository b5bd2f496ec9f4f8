import { PetstoreError } from '@petstore/client';
import { fakeService } from '@petstore/client/testing';
import { describe } from 'vitest';
import { allCollections } from '../src/collections.ts';
import { handlers } from '../src/handlers.ts';
import { HttpError } from '../src/http/http-error.ts';
import { memoryStore } from '../src/store/memory.ts';
import { contract } from './contract.ts';
import { contractOverHttp } from './contract-over-http.ts';

describe('the handlers fulfil the contract', () => {
  contract(async () => ({
    api: handlers(memoryStore(allCollections)),
    codeOf: (error) => (error instanceof HttpError ? error.code : error),
  }));
});

contractOverHttp(async () => memoryStore(allCollections));

describe("the client's fake service fulfils the contract", () => {
  contract(async () => ({
    api: fakeService().store,
    codeOf: (error) => (error instanceof PetstoreError ? error.code : error),
  }));
});
