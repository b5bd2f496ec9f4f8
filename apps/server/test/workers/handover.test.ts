import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { Handover } from '../../src/workers/handover.ts';

/** A process that receives connections and does not respond by itself. */
class Silent {
  readonly sent: number[] = [];
  readonly syncs: number[] = [];

  sendConnection(id: number): void {
    this.sent.push(id);
  }

  sendSync(id: number): void {
    this.syncs.push(id);
  }
}

/** A handover of connections to a port of its own, and clients of it. */
async function listening(maxConnections: number) {
  const handover = new Handover(maxConnections);
  const server = createServer({ pauseOnConnect: true }, (socket) => handover.take('api', socket)).listen(
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
  return { handover, open };
}

test('a connection that was lost on its way to a process is closed, and no longer counted', async () => {
  const { handover, open } = await listening(2);
  const receiver = new Silent();
  handover.add(receiver);
  const lost = [await open(), await open()].map((socket) => once(socket, 'close'));
  await expect.poll(() => receiver.sent).toHaveLength(2);
  await expect
    .poll(() => {
      handover.check();
      return receiver.syncs.length;
    })
    .toBeGreaterThan(0);
  handover.synced(receiver, receiver.syncs[0] ?? 0);
  await Promise.all(lost);
  await open();
  await expect.poll(() => receiver.sent).toHaveLength(3);
});

test('connections wait for a process, up to the bound, and go to another one when it dies', async () => {
  const { handover, open } = await listening(2);
  await open();
  await open();
  await once(await open(), 'close');
  const [first, second] = [new Silent(), new Silent()];
  handover.add(first);
  expect(first.sent).toHaveLength(2);
  handover.accepted(first, first.sent[0] ?? 0);
  handover.add(second);
  expect(handover.remove(first)).toBe(1);
  expect(second.sent).toHaveLength(1);
});
