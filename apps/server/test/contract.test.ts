import { PetstoreError } from '@petstore/client';
import { fakeService } from '@petstore/client/testing';
import { newFolder } from '@petstore/testing';
import { describe, onTestFinished } from 'vitest';
import { handlers } from '../src/handlers.ts';
import { HttpError } from '../src/http/http-error.ts';
import { memoryStore } from '../src/store/memory.ts';
import { openLowdbStore } from '../src/store/open.ts';
import { apiOf } from '../src/store/stored.ts';
import { contract } from './contract.ts';
import { contractOverHttp } from './contract-over-http.ts';

describe('the handlers fulfil the contract', () => {
  contract(async () => ({
    api: apiOf(handlers(memoryStore())),
    codeOf: (error) => (error instanceof HttpError ? error.code : error),
  }));
});

describe('on the memory store', () => contractOverHttp(async () => memoryStore()));

describe('on a data folder', () => {
  contractOverHttp(async () => {
    const store = await openLowdbStore(newFolder());
    onTestFinished(store.close);
    return store;
  });
});

describe("the client's fake service fulfils the contract", () => {
  contract(async () => ({
    api: fakeService().store,
    codeOf: (error) => (error instanceof PetstoreError ? error.code : error),
  }));
});
