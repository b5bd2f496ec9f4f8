import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { NewCluster } from '@petstore/testing/postgres';
import type { ServerProcess } from '@petstore/testing/server';
import { expect, onTestFinished, vi } from 'vitest';
import { openPostgresStore } from '../../src/store/open.ts';
import { startOnDatabase } from '../server-process.ts';

/** A primary and its synchronous standby behind one address, which leads to the standby after `failOver`. */
export async function startPair(newCluster: NewCluster) {
  const primary = await newCluster();
  onTestFinished(() => primary.remove());
  const standby = await primary.standby('standby');
  onTestFinished(() => standby.remove());
  await Promise.all([primary.start(), standby.start()]);
  primary.set(`synchronous_standby_names = 'standby'`);
  primary.reload();
  const synchronous = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`;
  await vi.waitFor(async () => expect(await primary.ask(synchronous)).toHaveLength(1), 30_000);
  const target = { port: primary.port };
  const url = `postgres://petstore@127.0.0.1:${await startProxy(target)}/postgres`;
  await (await openPostgresStore(url)).close();
  const failOver = async () => {
    await primary.kill();
    target.port = standby.port;
    await standby.promote();
  };
  return { standby, url, failOver };
}

/** Starts a proxy, as a pooler is one, that connects each new client to the port of `target`. Returns its own port. */
async function startProxy(target: { port: number }): Promise<number> {
  const sockets = new Set<Socket>();
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    from.pipe(to);
  };
  const proxy = createServer((client) => {
    const database = connect(target.port, '127.0.0.1');
    join(client, database);
    join(database, client);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.close();
    for (const socket of sockets) socket.destroy();
  });
  return (proxy.address() as AddressInfo).port;
}

/** Two servers that wait for the database for at most a second. */
export async function startServers(url: string): Promise<ServerProcess[]> {
  const timeouts = { PETSTORE_DATABASE_CONNECT_TIMEOUT: '1', PETSTORE_DATABASE_STATEMENT_TIMEOUT: '1' };
  const servers = await Promise.all([startOnDatabase(url, timeouts), startOnDatabase(url, timeouts)]);
  onTestFinished(async () => void (await Promise.all(servers.map((server) => server.kill()))));
  return servers;
}
