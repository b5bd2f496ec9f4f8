import { PetstoreError, petstore } from '@petstore/client';
import { describeOnDatabase } from '@petstore/testing/postgres';
import type { Api } from '@petstore/types';
import { afterAll, describe } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { contract } from '../contract.ts';
import { overHttp, RefusedError } from '../over-http.ts';
import { sharedServer } from '../shared-server.ts';

describeOnDatabase('on PostgreSQL', (newDatabase) => {
  const opened: (() => Promise<void>)[] = [];
  afterAll(async () => void (await Promise.all(opened.map((close) => close()))));

  async function newStore() {
    const store = await openPostgresStore(await newDatabase(), { poolSize: 2 });
    opened.push(store.close);
    return store;
  }

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
});
