import { once } from 'node:events';
import { rounds } from '@petstore/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { MAX_WAITING_PER_CONNECTION, MAX_WAITING_REQUESTS } from '../../src/limits.ts';
import type { RequestEntry } from '../../src/log.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { modes, shortTimeouts } from '../listen.ts';
import { GET_HEALTH, servingWith, withStalledCreates } from './serving.ts';
import { openWire } from './wire.ts';

// Connections do not depend on the mode, so the quick run tests them in one mode.
describe.each(rounds<readonly (typeof modes)[number][]>(modes.slice(0, 1), modes))('%s', (_, options) => {
  const serving = servingWith(options);

  test('waiting pipelined requests are bounded in total: a connection with many is closed, a connection with few is served', async () => {
    const { stalledStore, creates } = withStalledCreates(memoryStore());
    const { origin, head } = await serving(stalledStore);
    const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name":"a","categoryId":1}`;
    /** Opens a connection with this number of requests behind a request that the store stalls. */
    const openWaiting = async (count: number) => {
      const wire = openWire(origin);
      const before = creates.begun;
      wire.send(post + GET_HEALTH.repeat(count));
      // The server gets all requests in one read, which it parses before it handles any other event.
      await expect.poll(() => creates.begun, { interval: 1 }).toBe(before + 1);
      return { wire, count };
    };
    const served = [];
    for (let total = 0; total < MAX_WAITING_REQUESTS; total += 500) served.push(await openWaiting(500));
    const { wire: rejected } = await openWaiting(MAX_WAITING_PER_CONNECTION + 1);
    expect(await rejected.ended()).toEqual([]);
    served.push(await openWaiting(MAX_WAITING_PER_CONNECTION));
    creates.release();
    for (const { wire, count } of served) {
      expect(await wire.until(1 + count)).toHaveLength(1 + count);
      wire.socket.destroy();
    }
  });

  test('connections beyond the bound are closed at once, and accepted again when others end', async () => {
    const { origin } = await serving(memoryStore(), { maxConnections: 2 });
    const [first, second] = [openWire(origin), openWire(origin)];
    for (const wire of [first, second]) {
      wire.send(GET_HEALTH);
      await wire.until(1);
    }
    expect(await openWire(origin).ended()).toEqual([]);
    first.socket.destroy();
    const responsesToNewConnection = async () => {
      const wire = openWire(origin);
      wire.send(GET_HEALTH);
      const responses = await wire.until(1);
      wire.socket.destroy();
      return responses;
    };
    await expect.poll(responsesToNewConnection).toHaveLength(1);
    // The earlier connection is still served.
    second.send(GET_HEALTH);
    expect(await second.until(2)).toHaveLength(2);
    second.socket.destroy();
  });

  test('a connection that sends no further request is closed', async () => {
    const { origin } = await serving(memoryStore(), { keepAliveTimeout: 1 });
    const wire = openWire(origin);
    wire.send(GET_HEALTH);
    expect(await wire.ended()).toMatchObject([{ status: 200 }]);
  });

  test('a connection that sends only blank lines is closed', async () => {
    const { origin } = await serving(memoryStore(), { keepAliveTimeout: 1 });
    const wire = openWire(origin);
    wire.send(GET_HEALTH);
    await wire.until(1);
    const timer = setInterval(() => wire.send('\r\n'), 100);
    onTestFinished(() => clearInterval(timer));
    expect(await wire.ended()).toMatchObject([{ status: 200 }]);
  });

  test('a connection on which requests come stays open', async () => {
    const { origin } = await serving(memoryStore(), { keepAliveTimeout: 200 });
    const wire = openWire(origin);
    const end = performance.now() + 1000;
    for (let i = 1; performance.now() < end; i++) {
      wire.send(GET_HEALTH);
      expect(await wire.until(i)).toHaveLength(i);
    }
    wire.socket.destroy();
  });

  test('a connection that never sends a request is closed', async () => {
    const { origin } = await serving(memoryStore(), shortTimeouts);
    await openWire(origin).ended();
  });

  test('a client that reads nothing is disconnected; others are served meanwhile', async () => {
    const entries: RequestEntry[] = [];
    const logRequest = (entry: RequestEntry) => void entries.push(entry);
    const { origin, head } = await serving(await storeWithLargePet(), { responseTimeout: 500, logRequest });
    const stalled = openWire(origin, { reads: false });
    stalled.send(`GET /v1/pets HTTP/1.1\r\n${head}\r\n`.repeat(50));
    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
    await expect.poll(() => entries.filter(({ aborted }) => aborted)).toHaveLength(1);
    // The requests that waited behind the first were never started.
    expect(entries.filter(({ operation }) => operation === 'listPets')).toHaveLength(1);
    stalled.socket.destroy();
  });

  test.each([
    ['in one write', ''],
    ['with a head that Node writes', 'Connection: keep-alive, x\r\n'],
  ])('a response that is sent %s is logged as aborted if its client disconnects', async (_name, header) => {
    const entries: RequestEntry[] = [];
    const logRequest = (entry: RequestEntry) => void entries.push(entry);
    const { origin, head } = await serving(await storeWithLargePet(), { logRequest });
    const { socket, send } = openWire(origin);
    const begun = once(socket, 'data');
    send(`GET /v1/pets HTTP/1.1\r\n${head}${header}\r\n`);
    await begun;
    socket.pause();
    socket.resetAndDestroy();
    await expect.poll(() => entries).toMatchObject([{ status: 200, aborted: true }]);
  });

  test.each([
    ['blank lines', '', '\r\n'],
    ['malformed bytes', '', '\0'],
    ['a body', 'Transfer-Encoding: chunked\r\n', '1\r\na\r\n'],
  ])('a client that stops reading, but sends %s, is disconnected', async (_name, header, input) => {
    const entries: RequestEntry[] = [];
    const logRequest = (entry: RequestEntry) => void entries.push(entry);
    const { origin, head } = await serving(await storeWithLargePet(), { responseTimeout: 500, logRequest });
    const stalled = openWire(origin);
    stalled.send(`GET /v1/pets HTTP/1.1\r\n${head}\r\nGET /v1/pets HTTP/1.1\r\n${head}${header}\r\n`);
    await stalled.until(1);
    stalled.socket.pause();
    const timer = setInterval(() => stalled.send(input), 100);
    onTestFinished(() => clearInterval(timer));
    await expect.poll(() => entries).toMatchObject([{ status: 200 }, { status: 200, aborted: true }]);
    stalled.socket.destroy();
  });

  test('responses that wait for slow readers are bounded in total: the slowest reader is disconnected', async () => {
    const entries: RequestEntry[] = [];
    const logRequest = (entry: RequestEntry) => void entries.push(entry);
    const more = { responseMemory: 30_000_000, responseTimeout: 60_000, logRequest };
    const { origin, head } = await serving(await storeWithLargePet(), more);
    const getPets = (requestId: number) => `GET /v1/pets HTTP/1.1\r\n${head}X-Request-Id: ${requestId}\r\n\r\n`;
    const wires = Array.from({ length: 5 }, () => openWire(origin, { reads: false }));
    for (const [i, wire] of wires.entries()) {
      const begun = once(wire.socket, 'data');
      wire.socket.resume();
      wire.send(getPets(i));
      // This response has begun, and waits, before the next request is sent.
      await begun;
      wire.socket.pause();
    }
    await expect.poll(() => entries.filter(({ aborted }) => aborted).length).toBeGreaterThan(0);
    expect(entries.find(({ aborted }) => aborted)).toMatchObject({ requestId: '0' });
    const reader = openWire(origin);
    reader.send(getPets(5));
    expect(await reader.until(1)).toMatchObject([{ status: 200 }]);
    for (const { socket } of [...wires, reader]) socket.destroy();
  });
});

/** A store with a pet that is larger than all buffers between server and client. */
async function storeWithLargePet(): Promise<Store> {
  const store = memoryStore();
  await handlers(store).createPet({ name: 'x'.repeat(20_000_000), categoryId: 1 });
  return store;
}
