import { PetstoreError, petstore } from '@petstore/client';
import type { Api } from '@petstore/types';
import { describe } from 'vitest';
import type { Store } from '../src/store/store.ts';
import { contract } from './contract.ts';
import { overHttp, RefusedError } from './over-http.ts';
import { sharedServer } from './shared-server.ts';

/** The contract of a server over such stores, with plain requests and through the client. */
export function contractOverHttp(newStore: () => Promise<Store>): void {
  describe('the server fulfils the contract over HTTP', () => {
    const server = sharedServer(newStore);
    contract(async () => ({
      api: overHttp(server()),
      codeOf: (error) => (error instanceof RefusedError ? error.body.code : error),
    }));
  });

  describe('the client fulfils the contract', () => {
    const server = sharedServer(newStore);
    contract(async () => {
      const { baseUrl, apiKey } = server();
      const api: Api = petstore({ baseUrl, apiKey });
      return { api, codeOf: (error) => (error instanceof PetstoreError ? error.code : error) };
    });
  });
}
