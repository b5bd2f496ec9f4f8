import { PetstoreError, petstore } from '@petstore/client';
import type { Api } from '@petstore/types';
import { afterEach, describe, vi } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { HttpError } from '../../src/http/http-error.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { contract } from '../contract.ts';
import { listen } from '../listen.ts';
import { overHttp, RefusedError } from '../over-http.ts';
import { describeOnDatabase } from './database/database.ts';

// A database shares the machine with everything else that runs.
vi.setConfig({ testTimeout: 30_000 });

describeOnDatabase('on PostgreSQL', (newDatabase) => {
  let close: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of close) await one();
    close = [];
  });

  async function store() {
    const opened = await openPostgresStore(await newDatabase(), { poolSize: 4 });
    close.push(opened.close);
    return opened;
  }

  async function serving() {
    const server = await listen({}, await store());
    close.unshift(server.close);
    return server;
  }

  describe('the handlers keep the contract', () => {
    contract(async () => ({
      api: handlers(await store()),
      codeOf: (error) => (error instanceof HttpError ? error.code : error),
    }));
  });

  describe('the server keeps the contract over HTTP', () => {
    contract(async () => ({
      api: overHttp(await serving()),
      codeOf: (error) => (error instanceof RefusedError ? error.body.code : error),
    }));
  });

  describe('the client keeps the contract', () => {
    contract(async () => {
      const { baseUrl, apiKey } = await serving();
      const api: Api = petstore({ baseUrl, apiKey });
      return { api, codeOf: (error) => (error instanceof PetstoreError ? error.code : error) };
    });
  });
});
