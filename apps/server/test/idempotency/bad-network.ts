import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** What becomes of a connection, which carries one request. */
const FATES = {
  passed: 5,
  refused: 1,
  'cut in the request': 1,
  'answer lost': 2,
  'cut in the answer': 1,
  delayed: 1,
  'sent twice': 2,
  'sent again later': 1,
} as const;
type Fate = keyof typeof FATES;

const all = Object.entries(FATES).flatMap(([fate, weight]) => Array<Fate>(weight).fill(fate as Fate));

const MAX_DELAY_MS = 60;

export type BadNetwork = Awaited<ReturnType<typeof badNetwork>>;

/**
 * A proxy in front of servers that drops, delays, cuts and repeats requests and answers at random. It takes whichever server
 * there is when a request comes.
 */
export async function badNetwork(servers: () => readonly string[], random: (below: number) => number) {
  const fates = new Map<Fate, number>();
  const copies = new Set<Promise<void>>();
  const sockets = new Set<Socket>();
  const track = (socket: Socket) => {
    sockets.add(socket);
    // Whoever is at the other end may be killed.
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
    const fate = all[random(all.length)] ?? 'passed';
    fates.set(fate, (fates.get(fate) ?? 0) + 1);
    const server = fate === 'refused' ? undefined : upstream();
    if (!server) return void client.destroy();
    const end = () => {
      client.destroy();
      server.destroy();
    };
    const delayMs = fate === 'delayed' ? random(MAX_DELAY_MS) : 0;
    const sent: Buffer[] = [];
    let left = fate === 'cut in the request' ? random(300) : Number.POSITIVE_INFINITY;
    client.on('data', async (bytes: Buffer) => {
      if (delayMs > 0) await pause(delayMs);
      sent.push(bytes);
      server.write(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) return end();
      if (fate === 'sent twice') repeat(sent, 0);
      if (fate === 'sent again later') repeat(sent, random(10 * MAX_DELAY_MS));
    });
    let leftOfAnswer = fate === 'cut in the answer' ? random(300) : Number.POSITIVE_INFINITY;
    server.on('data', async (bytes: Buffer) => {
      if (fate === 'answer lost') return end();
      if (delayMs > 0) await pause(delayMs);
      client.write(bytes.subarray(0, leftOfAnswer));
      leftOfAnswer -= bytes.length;
      if (leftOfAnswer <= 0) end();
    });
    client.on('close', () => fate === 'passed' || server.destroySoon());
    server.on('close', () => client.destroySoon());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');

  /** Sends what has come so far once more, on a connection of its own, and reads the answer to nobody. */
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
    /** How often each fate was met. */
    fates,
    /** Resolves when every repeated request has had its answer, or none. */
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
