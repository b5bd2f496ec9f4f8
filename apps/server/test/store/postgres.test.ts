// PostgreSQL: servers that share a database, its tables, and databases and connections that break.
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeep, rounds } from '@petstore/testing';
import { ask, type Cluster } from '@petstore/testing/postgres';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgresStore } from '../../src/store/postgres.ts';
import {
  type Collection,
  KEYS,
  type Store,
  StoreError,
  UnavailableError,
  UnknownOutcomeError,
} from '../../src/store/store.ts';
import { describeOnClusters, describeOnOwnDatabase, describeOnSchema } from '../databases.ts';
import { everything, key, open, others, parsed, things } from './fixture.ts';
import { busy, History } from './history.ts';

test.for([
  ['postgres://u:SECRET@one,two/d', 'several hosts; set it to one address'],
  ['postgres://u:SECRET@one:1,two:2/d', 'several hosts'],
  ['postgres:///d?host=one,two', 'several hosts'],
  ['postgres:///d?host=one%2Ctwo', 'several hosts'],
  ['mysql://u:SECRET@h/d', 'not valid'],
  ['postgres://u:SECRET@h:port/d', 'not valid'],
  ['SECRET', 'not valid'],
  ['postgres://u:SECRET@h/d?sslmod=verify-full', "the parameter 'sslmod', which does nothing"],
  ['postgres://u:SECRET@h/d?sslmode=verify-full&sslrootcert=/none.pem', '/none.pem'],
] as const)('%s is refused', async ([url, message]) => {
  const error: unknown = await openPostgresStore(url, [things]).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StoreError);
  expect(String(error)).toContain(message);
  expect(String(error)).not.toContain('SECRET');
});

/** Reads page after page until the writers are done. Returns all identifiers. */
async function readAlong(collection: Collection, writing: { isDone: boolean }) {
  const seen: number[] = [];
  for (let after = 0; ; ) {
    const wasDone = writing.isDone;
    const { json } = await collection.list({ after, limit: 7 });
    const keys: number[] = JSON.parse(json).map((document: { key: number }) => document.key);
    seen.push(...keys);
    after = keys.at(-1) ?? after;
    if (wasDone && keys.length === 0) return seen;
  }
}

describeOnSchema('servers that share a database', (newSchema) => {
  test('see documents in the order of their identifiers, so that a reader of pages skips none', async () => {
    const url = await newSchema();
    const stores = await Promise.all([open(url), open(url), open(url)]);
    const count = rounds(300, 3000);
    const write = async (store: Store) => {
      for (let n = 0; n < count / 12; n++)
        await store.collection(n % 3 ? 'things' : 'others').create({});
    };
    const writes = stores.flatMap((store) => Array.from({ length: 4 }, () => write(store)));
    const writing = { isDone: false };
    const reading = readAlong(stores[0].collection('things'), writing);
    await Promise.all(writes);
    writing.isDone = true;
    expect(await reading).toEqual(
      (await everything(stores[1].collection('things'))).map(({ key }) => key),
    );
    for (const store of stores) await store.close();
  });

  test('do a write with an idempotency key once, whichever of them gets it', async () => {
    const url = await newSchema();
    const stores = await Promise.all([open(url), open(url)]);
    for (let round = 0; round < 20; round++) {
      const created = await Promise.all(
        stores.map((store) => store.collection('things', key(`${round}`)).create({ round })),
      );
      expect(created.map(({ isReplayed = false }) => isReplayed).sort()).toEqual([false, true]);
      expect(created[0]?.json).toBe(created[1]?.json);
    }
    expect(await everything(stores[0].collection('things'))).toHaveLength(20);
    for (const store of stores) await store.close();
  });

  test.runIf(isDeep)(
    'find idempotency keys by the index, also if their table was analyzed when it was small',
    async () => {
      const url = await newSchema();
      const store = await open(url);
      const create = async (name: string) => {
        await store.replay(key(name));
        await store.collection('things', key(name)).create({});
      };
      const createMany = async (count: number) => {
        let created = 0;
        const creating = Array.from({ length: 50 }, async () => {
          while (created < count) await create(`${count} ${created++}`);
        });
        await Promise.all(creating);
      };
      await createMany(50);
      await ask(url, 'VACUUM ANALYZE petstore_request_keys');
      await createMany(10_000);
      await store.close();
      const client = new Client(url);
      await client.connect();
      const rowsOf = async (what: 'n_tup_ins' | 'seq_tup_read') => {
        const { rows } = await client.query<{ count: number }>(
          `SELECT ${what}::int AS count FROM pg_stat_user_tables
          WHERE relid = 'petstore_request_keys'::regclass`,
        );
        return rows[0]?.count;
      };
      await expect.poll(() => rowsOf('n_tup_ins')).toBe(10_050);
      // If each statement read the whole table, they would read some millions.
      expect(await rowsOf('seq_tup_read')).toBeLessThan(1_000_000);
      await client.end();
    },
  );

  test.runIf(isDeep)(
    'forget expired keys, and the oldest beyond a size, which is counted',
    async () => {
      const store = await open(await newSchema());
      const create = (name: string, text = '') =>
        store.collection('things', key(name)).create({ text });
      // Seven of them fit. A server may have some more before it looks again.
      const large = 'x'.repeat(KEYS.size / 8);
      for (let i = 0; i < 14; i++) await create(`${i}`, large);
      await expect.poll(() => store.stats().forgottenKeys).toBeGreaterThanOrEqual(5);
      expect(store.stats().forgottenKeys).toBeLessThanOrEqual(7);
      expect((await create('0')).isReplayed).toBe(false);
      expect((await create('13')).isReplayed).toBe(true);
      await store.close();
    },
  );
});

describeOnOwnDatabase('the tables', (newDatabase) => {
  test('are created by servers that start together', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 6 }, () => open(url)));
    const created = await Promise.all(stores.map((store) => store.collection('things').create({})));
    expect(created.map((one) => parsed(one)?.key).sort()).toEqual([1, 2, 3, 4, 5, 6]);
    for (const store of stores) await store.close();
  });

  test.runIf(isDeep)(
    'get a column for a new filter, with the values of all documents',
    async () => {
      const url = await newDatabase();
      const first = await openPostgresStore(url, [{ ...things, filters: [] }, others]);
      const colors = ['red', 'a\0\\', undefined, 'c'.repeat(10_000)];
      for (let i = 0; i < 1200; i++)
        await first.collection('things').create({ color: colors[i % 4], size: i });
      await first.close();
      const store = await open(url);
      const found = async (property: string, value: string) => {
        const page = await store
          .collection('things')
          .list({ after: 0, limit: 1000, filters: { [property]: value } });
        return JSON.parse(page.json).length;
      };
      // The last page ends early.
      for (const [color, count] of [
        ['red', 300],
        ['a\0\\', 300],
        ['c'.repeat(10_000), 105],
      ] as const)
        expect(await found('color', color), color.slice(0, 9)).toBe(count);
      expect(await found('size', '7')).toBe(1);
      await store.close();
    },
  );
});

/** Two servers write while their database is killed or stopped, and started again. Then they are killed, too. */
async function restartUnderServers(cluster: Cluster, history: History, round: number) {
  const first = history.start(cluster.url(), `a${round}`, 16);
  const second = history.start(cluster.url(), `b${round}`, 16);
  await Promise.all([busy(first), busy(second)]);
  await (round % 2 ? cluster.stop() : cluster.kill());
  await pause(Math.random() * 500);
  await cluster.start();
  const done = first.done();
  while (first.done() < done + 100) await pause(10);
  first.child.kill('SIGKILL');
  await pause(Math.random() * 200);
  second.child.kill('SIGKILL');
  await Promise.all([first.ended, second.ended]);
}

describeOnClusters('a database', (newCluster) => {
  const created = async (onEnd: typeof onTestFinished = onTestFinished) => {
    const cluster = await newCluster();
    onEnd(() => cluster.remove());
    return cluster;
  };
  const started = async (onEnd?: typeof onTestFinished) => (await created(onEnd)).start();

  const count = 20;

  test.runIf(isDeep)(
    `${count} times killed and restarted under two servers, which are killed too, loses and doubles nothing`,
    async () => {
      const cluster = await started();
      const history = new History();
      for (let round = 0; round < count; round++) {
        await restartUnderServers(cluster, history, round);
        const store = await open(cluster.url());
        await history.verify(store);
        await store.close();
      }
      console.log(`${history.acknowledged} writes, none lost`);
      expect(history.acknowledged).toBeGreaterThan(count * 100);
    },
  );

  test.runIf(isDeep)('with another encoding is refused', async () => {
    const cluster = await started();
    await cluster.ask(`CREATE DATABASE latin ENCODING 'LATIN1' TEMPLATE template0`);
    await expect(open(cluster.url('latin'))).rejects.toThrow(
      "The database has the encoding LATIN1; create one with ENCODING 'UTF8', and set DATABASE_URL to it.",
    );
    await expect(open(cluster.url('missing'))).rejects.toThrow(
      'database "missing" does not exist). Check DATABASE_URL',
    );
  });

  // These two wait for time-outs.
  test.concurrent('that is not there yet is awaited, and one that is paused is survived', {
    skip: !isDeep,
  }, async (context) => {
    const cluster = await created(context.onTestFinished);
    const opening = open(cluster.url());
    await pause(600);
    await cluster.start();
    const store = await opening;
    const collection = store.collection('things');
    await collection.create({});
    await cluster.signal('SIGSTOP');
    const creating = collection.create({ late: true });
    await expect(creating).rejects.toThrow(UnavailableError);
    // Those that wait for the first statements do not wait for one time-out after the other.
    const gets = await Promise.allSettled(Array.from({ length: 1000 }, () => collection.get(1)));
    for (const get of gets) expect(get).toMatchObject({ reason: expect.any(UnavailableError) });
    await expect(store.check()).rejects.toThrow(UnavailableError);
    await cluster.signal('SIGCONT');
    expect(parsed(await collection.create({ after: true }))).toEqual({ key: 2, after: true });
    await store.check();
    await store.close();
  });

  test.concurrent('without its synchronous standby does not acknowledge writes, and says that their outcome is unknown', {
    skip: !isDeep,
  }, async (context) => {
    const cluster = await started(context.onTestFinished);
    const store = await open(cluster.url());
    await store.collection('things').create({});
    cluster.set("synchronous_standby_names = 'missing'");
    cluster.reload();
    await pause(500);
    const create = () => store.collection('things', key('k')).create({ a: 1 });
    await expect(create()).rejects.toThrow(UnknownOutcomeError);
    cluster.set("synchronous_standby_names = ''");
    cluster.reload();
    expect(parsed(await create())).toEqual({ key: 2, a: 1 });
    expect(await everything(store.collection('things'))).toHaveLength(2);
    await store.close();
  });

  test.runIf(isDeep)('that only reads is not ready, and does nothing', async () => {
    const cluster = await started();
    const store = await open(cluster.url());
    await store.collection('things').create({});
    cluster.set('default_transaction_read_only = on');
    cluster.reload();
    await expect.poll(() => store.check().then(() => '', String)).toMatch(/accepts no writes/);
    await expect(store.collection('things').create({})).rejects.toThrow(UnavailableError);
    expect((await store.collection('things').get(1))?.json).toBe('{"key":1}');
    await store.close();
  });
});

describeOnSchema('a connection', (newSchema) => {
  test.for([
    ['BEGIN', 'BEGIN', UnavailableError],
    ['the changes', 'UPDATE petstore_counters', UnavailableError],
    ['COMMIT', 'COMMIT\0', UnknownOutcomeError],
  ] as const)('that breaks at %s', async ([, at, expected]) => {
    const url = new URL(await newSchema());
    const { hostname, port } = url;
    const sockets: Socket[] = [];
    let isArmed = false;
    // The database gets the statement, and its answer is lost, except before COMMIT is sent.
    const proxy = createServer((socket) => {
      const database = connect(Number(port), hostname);
      sockets.push(socket, database);
      socket.on('error', () => {}).on('close', () => database.end());
      database.on('error', () => {}).on('close', () => socket.destroy());
      database.pipe(socket);
      socket.on('data', (bytes) => {
        const isHit = isArmed && bytes.includes(at);
        if (isHit) database.unpipe(socket);
        database.write(bytes);
        if (isHit) setTimeout(() => socket.destroy(), 50);
      });
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    });
    const address = proxy.address();
    url.host = `127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`;
    const store = await open(url.href);
    const create = (name: string) => store.collection('things', key(name)).create({});
    await create('first');
    isArmed = true;
    const lost = await Promise.resolve(create('lost')).catch((error: unknown) => error);
    isArmed = false;
    expect(lost).toBeInstanceOf(expected);
    // The same request finds out.
    const again = await create('lost');
    expect([parsed(again), again.isReplayed]).toEqual([
      { key: 2 },
      expected === UnknownOutcomeError,
    ]);
    expect(parsed(await create('next'))).toEqual({ key: 3 });
    await store.close();
  });
});
