import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** The outcomes of a connection, which carries one request, and their weights. */
const OUTCOMES = {
  passed: 5,
  refused: 1,
  'request aborted': 1,
  'response lost': 2,
  'response aborted': 1,
  delayed: 1,
  'sent twice': 2,
  'sent again later': 1,
} as const;
type Outcome = keyof typeof OUTCOMES;

const all = Object.entries(OUTCOMES).flatMap(([one, weight]) => Array<Outcome>(weight).fill(one as Outcome));

const MAX_DELAY_MS = 60;

export type BadNetwork = Awaited<ReturnType<typeof badNetwork>>;

/**
 * A proxy in front of servers that drops, delays, aborts and repeats requests and responses at random. It forwards a request to
 * one of the servers that run at that moment.
 */
export async function badNetwork(servers: () => readonly string[], random: (below: number) => number) {
  const outcomes = new Map<Outcome, number>();
  const copies = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    // The process at the other end may be killed.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const upstream = () => {
    const origins = servers();
    const origin = origins[random(origins.length || 1)];
    return origin === undefined ? undefined : track(connect(Number(new URL(origin).port), '127.0.0.1'));
  };

  const proxy = createServer((client) => {
    track(client);
    const outcome = all[random(all.length)] ?? 'passed';
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const server = outcome === 'refused' ? undefined : upstream();
    if (!server) return void client.destroy();
    const end = () => {
      client.destroy();
      server.destroy();
    };
    const delayMs = outcome === 'delayed' ? random(MAX_DELAY_MS) : 0;
    const sent: Buffer[] = [];
    let left = outcome === 'request aborted' ? random(300) : Number.POSITIVE_INFINITY;
    client.on('data', async (bytes: Buffer) => {
      if (delayMs > 0) await pause(delayMs);
      sent.push(bytes);
      server.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) return end();
      if (outcome === 'sent twice') repeat(sent, 0);
      if (outcome === 'sent again later') repeat(sent, random(10 * MAX_DELAY_MS));
    });
    let leftOfResponse = outcome === 'response aborted' ? random(300) : Number.POSITIVE_INFINITY;
    server.on('data', async (bytes: Buffer) => {
      if (outcome === 'response lost') return end();
      if (delayMs > 0) await pause(delayMs);
      client.write(bytes.subarray(0, leftOfResponse));
      leftOfResponse -= bytes.length;
      if (leftOfResponse <= 0) end();
    });
    client.on('close', () => server.destroySoon());
    server.on('close', () => client.destroySoon());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  /** Sends the received bytes again on another connection, and ignores the response. */
  function repeat(sent: readonly Buffer[], delayMs: number): void {
    const bytes = Buffer.concat(sent);
    const copy = (async () => {
      await pause(delayMs);
      const server = upstream();
      if (!server) return;
      const closed = once(server, 'close').catch(() => {});
      server.resume().end(bytes);
      await closed;
    })();
    copies.add(copy);
    void copy.finally(() => copies.delete(copy));
  }

  return {
    origin: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    /** How often each outcome occurred. */
    outcomes,
    /** Resolves when the connections of all repeated requests are closed. */
    settled: async () => {
      while (copies.size > 0) await Promise.all(copies);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
