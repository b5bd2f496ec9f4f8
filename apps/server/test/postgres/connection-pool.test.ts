import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { describeOnSchema } from '@petstore/testing/postgres';
import { DatabaseError } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { type ConnectionPool, connectionPool } from '../../src/store/postgres/connection-pool.ts';
import { idempotentCommit } from '../../src/store/postgres/idempotent-commit.ts';
import { openPostgresStore } from '../../src/store/postgres/postgres.ts';
import { prepareForWrites, Session } from '../../src/store/postgres/session.ts';
import { statementsOf } from '../../src/store/postgres/statements.ts';
import { things } from '../store/store-fixture.ts';

/** A host that passes connections on to a port of this machine. Once it is silent, it accepts connections without a response. */
async function proxyTo(port: number) {
  let isSilent = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    if (isSilent) return;
    const upstream = connect(port, '127.0.0.1').on('error', () => {});
    socket.pipe(upstream).pipe(socket);
    socket.on('close', () => upstream.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const closeAll = () => sockets.forEach((socket) => void socket.destroy());
  onTestFinished(() => {
    closeAll();
    proxy.close();
  });
  return {
    host: `127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    becomeSilent: () => {
      isSilent = true;
    },
    closeAll,
  };
}

describeOnSchema('connections for writes', (newSchema) => {
  async function openPool(size: number): Promise<ConnectionPool> {
    const url = await newSchema();
    await (await openPostgresStore(url, [things])).close();
    const [connectTimeout, hosts] = [3_000, { urls: [url], current: 0 }];
    const pool = connectionPool(hosts, { size, connectTimeout, prepare: prepareForWrites(connectTimeout) });
    onTestFinished(() => pool.close());
    await pool.firstAttempt;
    return pool;
  }

  test('callers that wait for a connection are served when it breaks', async () => {
    const pool = await openPool(1);
    const run = (text: string) => pool.use((session) => session.run({ text }, 5_000));
    const breaking = run('SELECT pg_terminate_backend(pg_backend_pid())');
    const waiting = Promise.all(Array.from({ length: 3 }, () => run('SELECT 1')));
    await expect(breaking).rejects.toThrow('terminating connection');
    expect((await waiting).map(({ rows }) => rows)).toEqual([[[1]], [[1]], [[1]]]);
  });

  test('a caller waits for a busy connection, up to the timeout, and opens none', async () => {
    const pool = await openPool(1);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const busy = pool.use(() => {
      begin();
      return promise;
    });
    await begun;
    const waiting = pool.use(async () => {});
    expect(pool.counts()).toEqual({ idle: 0, busy: 1, opening: 0, waiting: 1 });
    await expect(waiting).rejects.toThrow('Earlier writes take too long. Retry later.');
    end();
    await busy;
    await expect.poll(() => pool.counts()).toEqual({ idle: 1, busy: 0, opening: 0, waiting: 0 });
  });

  test('waiting too long for a busy connection does not count as an outage', async () => {
    const pool = await openPool(1);
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const busy = pool.use(() => promise);
    // The pool of pg has a timeout of its own, which ends some of so many waits first.
    const waiting = Array.from({ length: 2_000 }, () =>
      pool.use(async () => {}).catch(({ message }: Error) => message),
    );
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Earlier writes take too long. Retry later.']));
    expect(pool.isConnected()).toBe(true);
    end();
    await busy;
  });

  test('a host that becomes silent while its connections are idle is replaced by the next one', async () => {
    const url = new URL(await newSchema());
    const first = await proxyTo(Number(url.port));
    const urls = [url.href.replace(url.host, first.host), url.href];
    const options = { size: 1, connectTimeout: 1_000, prepare: async () => {} };
    const pool = connectionPool({ urls, current: 0 }, options);
    onTestFinished(() => pool.close());
    await pool.use(async () => {});
    first.becomeSilent();
    first.closeAll();
    await expect.poll(() => pool.counts().idle).toBe(0);
    await expect(pool.use(async () => {})).rejects.toThrow(`no connection to the database (${first.host}: `);
    expect(pool.isConnected()).toBe(false);
    await expect.poll(() => pool.isConnected(), { timeout: 30_000 }).toBe(true);
    await pool.use(async () => {});
  });

  test('a host that gives no response to the second of two concurrent callers is replaced by the next one', async () => {
    const url = new URL(await newSchema());
    const first = await proxyTo(Number(url.port));
    const hosts = { urls: [url.href.replace(url.host, first.host), url.href], current: 0 };
    const pool = connectionPool(hosts, { size: 2, connectTimeout: 1_000, prepare: async () => {} });
    onTestFinished(() => pool.close());
    await pool.firstAttempt;
    await expect.poll(() => pool.counts().idle).toBe(1);
    first.becomeSilent();
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const onIdleConnection = pool.use(() => promise);
    await expect(pool.use(async () => {})).rejects.toThrow(`no connection to the database (${first.host}: `);
    await expect.poll(() => hosts.current, { timeout: 30_000 }).toBe(1);
    await pool.use(async () => {});
    end();
    await onIdleConnection;
  });

  test('a connection that opens after another pool has chosen the next host does not switch back to the first', async () => {
    const url = await newSchema();
    const hosts = { urls: [url, url], current: 0 };
    const { promise: late, resolve: open } = Promise.withResolvers<void>();
    const pool = connectionPool(hosts, { size: 1, connectTimeout: 1_000, prepare: () => late });
    onTestFinished(() => pool.close());
    hosts.current = 1;
    open();
    await pool.firstAttempt;
    expect(hosts.current).toBe(1);
  });

  test('a writer sends its commits one after the other, because only the last one can be looked up', async () => {
    const pool = await openPool(4);
    let [running, maximum] = [0, 0];
    const use: ConnectionPool['use'] = (work) => {
      maximum = Math.max(maximum, ++running);
      return pool.use(work).finally(() => running--);
    };
    const runCommit = idempotentCommit({ ...pool, use }, 5_000);
    const { create } = statementsOf(things);
    const rows = await Promise.all(Array.from({ length: 8 }, (_, i) => runCommit(create, [i + 1, 1, '[{}]'])));
    expect(rows.map((row) => Number(row?.[0]))).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(maximum).toBe(1);
  });

  test('a commit is stored once, also if the database reports after storing it that it is out of memory', async () => {
    const pool = await openPool(1);
    let lost: Session | undefined;
    // The database commits, and fails before it reports the success. No setting causes this, so the session simulates it.
    const use: ConnectionPool['use'] = (work) =>
      pool.use((session) => {
        if (lost === undefined) {
          lost = session;
          session.write = async (...args) => {
            await Session.prototype.write.apply(session, args);
            throw Object.assign(new DatabaseError('out of memory', 13, 'error'), { code: '53200' });
          };
        }
        return work(session);
      });
    const { create } = statementsOf(things);
    const runCommit = idempotentCommit({ ...pool, use }, 5_000);
    expect(await runCommit(create, [1, 1, '[{}]'])).toEqual(['0', null]);
    expect(await runCommit(create, [2, 1, '[{}]'])).toEqual(['1', null, '1']);
  });
});
