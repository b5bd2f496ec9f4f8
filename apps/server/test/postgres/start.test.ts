import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { StoreUnavailableError } from '../../src/store/errors.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { things } from '../store/store-fixture.ts';
import { openSession } from './session.ts';

/** The address of a host that accepts connections and never responds. */
async function silentHost(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describeOnSchema('the start', (newSchema) => {
  test('is rejected on a database that cannot store every text', async () => {
    const url = new URL(await newSchema());
    const session = await openSession(url.href);
    const name = `latin_${url.pathname.slice(1)}`;
    const text = `CREATE DATABASE ${name} ENCODING 'LATIN1' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'`;
    await session.run({ text }, 30_000);
    const address = url.href.replace(url.pathname, `/${name}`);
    await expect(openPostgresStore(address, [things])).rejects.toThrow(
      new StoreUnavailableError('The database has the encoding LATIN1. Create a database with the encoding UTF8.'),
    );
  });

  test('is rejected with advice if a table of another program has the name of one of its own', async () => {
    const url = await newSchema();
    const session = await openSession(url);
    await session.run({ text: 'CREATE TABLE documents_things (id int, foo int)' }, 5_000);
    await expect(openPostgresStore(url, [things])).rejects.toThrow(
      /^The database rejects the server's tables \(column "\w+" does not exist\)\. Grant .* rename other tables/,
    );
  });

  test('fails with the address of a host that is silent', async () => {
    const host = await silentHost();
    const opening = openPostgresStore(`postgres://petstore@${host}/petstore`, [things], { connectTimeout: 200 });
    await expect(opening).rejects.toThrow(new RegExp(`${host}: .*timeout`));
  });
});
