// The pets that every measured server has, and the load generator: keep-alive connections, each of which sends the next request
// as soon as it has a response. It parses only the status and the length of a response, so that it costs less than any server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import { openLowdbStore, type Store } from '@petstore/server';
import { type NewPet, operations, type Pet, service } from '@petstore/types';

export const { listPets: list, createPet: create, getPet: get } = operations;
export const { basePath } = service;
export const apiKey = 'a-key-that-is-for-the-bench';
export const collection = 'pets';
export const connections = 64;

/** How many pets every server has. */
export const size = 10_000;

const statuses = [...list.fields.status.schema.enum, undefined] as const;

/** The pet of this number without its identifier. */
export function newPet(number: number): NewPet {
  const status = statuses[number % statuses.length];
  return { name: `Rex the ${number}th`, categoryId: number % 50, ...(status && { status }) };
}

export const pets = (): Pet[] =>
  Array.from({ length: size }, (_, i) => ({ id: i + 1, ...newPet(i + 1) }));

/** Adds pets to a store. */
export async function fill(store: Store, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1000) {
    const batch = Array.from({ length: Math.min(1000, count - done) }, (_, i) =>
      newPet(done + i + 1),
    );
    await Promise.all(batch.map((pet) => store.collection(collection).create(pet)));
  }
}

/** A durable store in a new folder, with so many pets. */
export async function filledStore(folder: string, count: number) {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  return store;
}

const read = (paths: readonly string[]) => ({
  method: 'GET',
  paths: paths.map((path) => basePath + path),
  body: '',
});
const ids = Array.from({ length: 1000 }, (_, i) => ((i * 7919 + 4711) % size) + 1);

/** The requests of each load, in turn. Creating is last, because it adds pets. */
export const loads = {
  'list 20': read([`${list.path}?limit=20`]),
  'list 100 filtered': read([`${list.path}?limit=100&status=${statuses[0]}`]),
  get: read(ids.map((id) => get.path.replace('{petId}', `${id}`))),
  create: {
    method: 'POST',
    paths: [basePath + create.path],
    body: JSON.stringify(newPet(1234567)),
  },
} as const;
export type Load = keyof typeof loads;

/** Sends the requests of a load for a time. Each connection has had one response before the clock starts. Latencies are in milliseconds. */
export async function send(port: number, load: Load, milliseconds: number) {
  const { method, paths, body } = loads[load];
  const more =
    body && `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`;
  const head = `HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${apiKey}\r\n${more}\r\n${body}`;
  const requests = paths.map((path) => Buffer.from(`${method} ${path} ${head}`));
  const sockets = Array.from({ length: connections }, () =>
    connect({ port, host: '127.0.0.1', noDelay: true }),
  );
  let sent = 0;
  const next = (socket: Socket) =>
    exchange(socket, requests[sent++ % requests.length] ?? Buffer.of());
  try {
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    await Promise.all(sockets.map(next));
    // In microseconds.
    const latencies = createHistogram();
    const started = performance.now();
    const measure = async (socket: Socket) => {
      for (let sentAt = started; sentAt < started + milliseconds; ) {
        await next(socket);
        const now = performance.now();
        latencies.record(Math.ceil((now - sentAt) * 1000));
        sentAt = now;
      }
    };
    await Promise.all(sockets.map(measure));
    const perSecond = (latencies.count * 1000) / (performance.now() - started);
    const [p50, p99] = [latencies.percentile(50) / 1000, latencies.percentile(99) / 1000];
    return { responses: latencies.count, perSecond, p50, p99 };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

/** Sends a request, and resolves when its response has arrived. */
function exchange(socket: Socket, request: Buffer): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = 0;
  const fail = (problem: unknown) => reject(new Error(`The load failed: ${problem}`));
  const closed = () => fail('the server closed a connection');
  const onData = (bytes: Buffer) => {
    if (left === 0) {
      // A head is sent at once, so it arrives as one piece.
      const end = bytes.indexOf('\r\n\r\n');
      const head = bytes.toString('latin1', 0, end);
      const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
      if (!/^HTTP\/1\.1 20[01]/.test(head) || length === undefined) return fail(head);
      left = end + 4 + Number(length);
    }
    left -= bytes.length;
    if (left > 0) return;
    socket.off('data', onData).off('close', closed);
    resolve();
  };
  socket.on('data', onData).on('close', closed).once('error', fail);
  socket.write(request);
  return promise.finally(() => socket.off('error', fail));
}
