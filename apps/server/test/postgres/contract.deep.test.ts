import { describeOnSchema } from '@petstore/testing/postgres';
import { onTestFinished } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { contractOverHttp } from '../contract-over-http.ts';

describeOnSchema('on PostgreSQL', (newSchema) => {
  contractOverHttp(async () => {
    const store = await openPostgresStore(await newSchema(), { poolSize: 2 });
    onTestFinished(store.close);
    return store;
  });
});
