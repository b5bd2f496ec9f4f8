import { rounds } from '@petstore/testing';
import { Load, send, Walker } from '@petstore/testing/load';
import { describeOnSchema } from '@petstore/testing/postgres';
import type { Pet } from '@petstore/types';
import { expect, onTestFinished, test } from 'vitest';
import { decode } from '../../src/store/document.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import type { Collection as Things } from '../../src/store/store.ts';
import { startOnDatabase } from '../server-process.ts';
import { contentOf } from '../store/store-contents.ts';
import { things } from '../store/store-fixture.ts';

const count = rounds(20, 60);
const serverCount = rounds(2, 3);
const INCREMENTS = rounds(8, 60);

describeOnSchema('identifiers and pages', (newSchema) => {
  test(`${serverCount} processes with 64 writers: no page skips or repeats, and an acknowledged write is visible to all at once`, async () => {
    const url = await newSchema();
    const servers = await Promise.all(Array.from({ length: serverCount }, () => startOnDatabase(url)));
    onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
    const urls = servers.map(({ baseUrl }) => baseUrl);
    const load = new Load(() => urls, 64);
    const walkers = urls.flatMap((one) => [new Walker(() => [one]), new Walker(() => [one], '&status=available')]);
    for (let i = 0; i < count; i++) {
      const { body } = await send(`${urls[i % serverCount]}/pets`, {
        name: `visible-${i}`,
        categoryId: 1,
        status: 'available',
      });
      const { id } = body as Pet;
      const page = await send(`${urls[(i + 1) % serverCount]}/pets?limit=1&status=available&after=${id - 1}`);
      expect(page.body).toEqual([body]);
    }
    await load.more(rounds(500, 2000));
    await load.stop();
    const all = Array.from({ length: load.known.size + count }, (_, i) => i + 1);
    for (const walker of walkers) expect(await walker.stop()).toEqual(all);
  });

  test('a change through one server is visible to all others, and conflicts are detected across servers', async () => {
    const url = await newSchema();
    const stores = await Promise.all(Array.from({ length: 3 }, () => openPostgresStore(url, [things])));
    onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
    const [one, another, third] = stores.map((store) => store.collection('things')) as [Things, Things, Things];
    for (let size = 0; size < count; size++) {
      const { id } = await one.create({ size });
      await another.replace(id, { size: -1 });
      expect(await contentOf(third, id)).toEqual({ key: id, size: -1 });
      await third.remove(id);
      expect(await one.get(id)).toBeUndefined();
      expect(await another.replace(id, {})).toEqual({ outcome: 'missing' });
    }

    const { id } = await one.create({ size: 0 });
    const conflicts = { count: 0 };
    const increments = [one, another, third].flatMap((things) =>
      Array.from({ length: 4 }, async () => {
        for (let done = 0; done < INCREMENTS; ) {
          const found = await things.get(id);
          const { size } = decode(found?.json ?? { text: '{}', encoding: 'utf8' });
          const { outcome } = await things.replace(id, { size: Number(size) + 1 }, { ifVersion: found?.version ?? '' });
          if (outcome === 'stored') done++;
          else conflicts.count++;
        }
      }),
    );
    await Promise.all(increments);
    expect(await contentOf(one, id)).toEqual({ key: id, size: 12 * INCREMENTS });
    expect(conflicts.count).toBeGreaterThan(0);
  });
});
