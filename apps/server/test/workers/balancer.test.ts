import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { MAX_MISSED_PROBES } from '../../src/limits.ts';
import { ConnectionBalancer } from '../../src/workers/balancer.ts';
import type { ToWorker } from '../../src/workers/worker-process.ts';

/** A process that receives connections and does not respond by itself. */
class Silent {
  readonly state = 'serving';
  readonly sent: number[] = [];
  readonly syncs: number[] = [];

  send(message: ToWorker): void {
    if (message.type === 'connection') this.sent.push(message.id);
    if (message.type === 'sync') this.syncs.push(message.id);
  }
}

/** A balancer of the connections to a port of its own, and clients of that port. */
async function listening(maxConnections: number) {
  const balancer = new ConnectionBalancer<Silent>(maxConnections);
  const server = createServer({ pauseOnConnect: true }, (socket) => balancer.distribute('api', socket)).listen(
    0,
    '127.0.0.1',
  );
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const open = async (): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return socket.resume();
  };
  return { balancer, open };
}

test('a connection that was lost on its way to a process is closed, and no longer counted', async () => {
  const { balancer, open } = await listening(2);
  const backend = new Silent();
  balancer.add(backend);
  const lost = [await open(), await open()].map((socket) => once(socket, 'close'));
  await expect.poll(() => backend.sent).toHaveLength(2);
  balancer.probe();
  expect(backend.syncs).toEqual([2]);
  balancer.synced(backend, 2);
  await Promise.all(lost);
  await open();
  await expect.poll(() => backend.sent).toHaveLength(3);
});

test('connections wait for a process, up to the bound, and go to another one when it dies', async () => {
  const { balancer, open } = await listening(2);
  await open();
  await open();
  await once(await open(), 'close');
  const [first, second] = [new Silent(), new Silent()];
  balancer.add(first);
  expect(first.sent).toHaveLength(2);
  balancer.accepted(first, first.sent[0] ?? 0);
  balancer.add(second);
  expect(balancer.remove(first)).toBe(1);
  expect(second.sent).toHaveLength(1);
});

test('a process that responds to no probe gets only the first one, and is reported', async () => {
  const { balancer } = await listening(2);
  const [responding, hanging] = [new Silent(), new Silent()];
  for (const backend of [responding, hanging]) balancer.add(backend);
  for (let probes = 1; probes <= MAX_MISSED_PROBES; probes++) {
    expect(balancer.probe()).toEqual([]);
    balancer.synced(responding, 0);
  }
  expect(balancer.probe()).toEqual([hanging]);
  expect(hanging.syncs).toHaveLength(1);
  expect(responding.syncs).toHaveLength(MAX_MISSED_PROBES + 1);
});
