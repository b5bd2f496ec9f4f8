import { describeOnSchema } from '@petstore/testing/postgres';
import { expect, onTestFinished, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { openPostgresStore, type PostgresOptions } from '../../src/store/postgres/postgres.ts';
import { IDEMPOTENCY_MS } from '../../src/store/store.ts';
import { expectSameResponse } from '../http/replay.ts';
import { everything } from '../store/store-contents.ts';
import { once, things } from '../store/store-fixture.ts';
import { openSession } from './session.ts';

describeOnSchema('keys in PostgreSQL', (newSchema) => {
  async function open(url: string, options?: PostgresOptions) {
    const store = await openPostgresStore(url, [things], options);
    onTestFinished(() => store.close());
    return { store, things: store.collection('things') };
  }

  test('are shared by all servers: concurrent repetitions are done once', async () => {
    const url = await newSchema();
    const servers = await Promise.all([open(url), open(url), open(url)]);
    for (let round = 0; round < 20; round++) {
      const all = servers.flatMap((server) =>
        Array.from({ length: 30 }, (_, i) => server.things.create({ size: i }, once(`${round} ${i}`))),
      );
      const ids = (await Promise.all(all)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(30);
      for (let i = 0; i < 30; i++) expect(ids[i + 30]).toBe(ids[i]);
    }
    const stored = await everything(servers[0].things);
    expect(stored.map(({ key }) => key)).toEqual(Array.from({ length: 600 }, (_, i) => i + 1));
  });

  test('belong to one write, whichever server is first', async () => {
    const url = await newSchema();
    const [one, other] = [await open(url), await open(url)];
    for (let round = 0; round < 20; round++) {
      const [first, second] = await Promise.allSettled([
        one.things.create({ size: 1 }, once(`${round}`, 'one')),
        other.things.create({ size: 2 }, once(`${round}`, 'other')),
      ]);
      expect([first.status, second.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    }
    expect(await everything(one.things)).toHaveLength(20);
  });

  test('are not given to writes without one, also if the role reads nulls in arrays as text', async () => {
    const url = `${await newSchema()}+-c+array_nulls%3Doff`;
    const { things } = await open(url);
    for (const key of ['a', 'b']) await Promise.all([things.create({}), things.create({}, once(key))]);
    expect(await everything(things)).toEqual([1, 2, 3, 4].map((key) => ({ key })));
  });

  test('give a repetition the bytes of the first response', async () => {
    await expectSameResponse(await openPostgresStore(await newSchema(), allCollections));
  });

  test('are removed after 24 hours', async () => {
    const url = await newSchema();
    const { things } = await open(url);
    const database = await openSession(url);
    const age = (ms: number) =>
      database.run({ text: `UPDATE petstore_idempotency SET at = now() - interval '${ms} ms'` }, 5_000);
    const first = await things.create({}, once('k'));
    await age(IDEMPOTENCY_MS - 60_000);
    expect(await things.create({}, once('k'))).toMatchObject({ id: first.id, isReplayed: true });
    await age(IDEMPOTENCY_MS + 1);
    const anew = await things.create({}, once('k', 'another'));
    expect([anew.id, anew.isReplayed]).toEqual([first.id + 1, undefined]);
    expect(await things.create({}, once('k', 'another'))).toMatchObject({ id: anew.id, isReplayed: true });
  });

  test('beyond their maximum number, the oldest are removed and counted', async () => {
    const { store, things } = await open(await newSchema(), { maxIdempotencyKeys: 300 });
    for (let i = 0; i < 2000; i += 250) {
      await Promise.all(Array.from({ length: 250 }, (_, k) => things.create({}, once(`k${i + k}`))));
    }
    await expect.poll(() => store.idempotency().forgotten).toBeGreaterThanOrEqual(1000);
    expect(store.idempotency().keys).toBeLessThanOrEqual(300 + 500);
    expect(await things.create({}, once('k1999'))).toMatchObject({ isReplayed: true });
    expect((await things.create({}, once('k0'))).isReplayed).toBeUndefined();
  });
});
