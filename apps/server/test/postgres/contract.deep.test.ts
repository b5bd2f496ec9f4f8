import { describeOnDatabase } from '@petstore/testing/postgres';
import { afterAll } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { contractOverHttp } from '../contract-over-http.ts';

describeOnDatabase('on PostgreSQL', (newDatabase) => {
  const opened: (() => Promise<void>)[] = [];
  afterAll(async () => void (await Promise.all(opened.map((close) => close()))));

  contractOverHttp(async () => {
    const store = await openPostgresStore(await newDatabase(), { poolSize: 2 });
    opened.push(store.close);
    return store;
  });
});
