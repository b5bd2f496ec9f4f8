import { describeOnSchema } from '@petstore/testing/postgres';
import { onTestFinished } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { HttpError } from '../../src/http/http-error.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import { apiOf } from '../../src/store/stored.ts';
import { contract } from '../contract.ts';

describeOnSchema('on PostgreSQL, the handlers fulfil the contract', (newSchema) => {
  contract(async () => {
    const store = await openPostgresStore(await newSchema(), { poolSize: 2 });
    onTestFinished(store.close);
    return { api: apiOf(handlers(store)), codeOf: (error) => (error instanceof HttpError ? error.code : error) };
  });
});
