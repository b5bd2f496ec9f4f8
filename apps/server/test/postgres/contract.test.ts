import { describeOnDatabase } from '@petstore/testing/postgres';
import { afterAll } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { HttpError } from '../../src/http/http-error.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import { contract } from '../contract.ts';

describeOnDatabase('on PostgreSQL, the handlers fulfil the contract', (newDatabase) => {
  const opened: (() => Promise<void>)[] = [];
  afterAll(async () => void (await Promise.all(opened.map((close) => close()))));

  contract(async () => {
    const store = await openPostgresStore(await newDatabase(), { poolSize: 2 });
    opened.push(store.close);
    return { api: handlers(store), codeOf: (error) => (error instanceof HttpError ? error.code : error) };
  });
});
