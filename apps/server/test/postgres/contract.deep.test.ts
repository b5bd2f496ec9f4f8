import { describeOnDatabase } from '@petstore/testing/postgres';
import { onTestFinished } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { contractOverHttp } from '../contract-over-http.ts';

describeOnDatabase('on PostgreSQL', (newDatabase) => {
  contractOverHttp(async () => {
    const store = await openPostgresStore(await newDatabase(), { poolSize: 2 });
    onTestFinished(store.close);
    return store;
  });
});
