import { once } from 'node:events';
import { newFolder, rounds } from '@petstore/testing';
import type { Pet } from '@petstore/types';
import { describe, expect, onTestFinished, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import {
  MAX_DISCARDED_BYTES,
  MAX_PAGE_BYTES,
  MAX_TINY_CHUNKS,
  MAX_WAITING_PER_CONNECTION,
  MAX_WAITING_REQUESTS,
} from '../../src/limits.ts';
import type { RequestEntry } from '../../src/log.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openLowdbStore } from '../../src/store/open.ts';
import type { Collection, Store } from '../../src/store/store.ts';
import { listen, modes, shortTimeouts, withFunctions } from '../listen.ts';
import { openWire } from './wire.ts';

type Options = Parameters<typeof listen>[0];

/** Starts servers with these options, each for one test. */
function servingWith(options: Options) {
  return async (store: Store = memoryStore(), more: Options = {}) => {
    const server = await listen({ ...options, ...more }, store);
    onTestFinished(async () => {
      await server.close();
      await store.close();
    });
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    const head = `Host: x\r\nAuthorization: Bearer ${server.apiKey}\r\n`;
    return { ...server, headers, head };
  };
}

describe.each(modes)('%s', (_, options) => {
  const serving = servingWith(options);

  test.each([
    ['the data folder', () => openLowdbStore(newFolder())],
    ['memory', async () => memoryStore()],
  ])('a page of large pets from %s ends early, with a next link', async (_, open) => {
    const store = await open();
    const { baseUrl, headers } = await serving(store);
    const added: Pet[] = [];
    for (let i = 0; i < 9; i++) {
      const name = i === 5 ? '\u0001'.repeat(400_000) : 'é'.repeat(200_000);
      added.push(await handlers(store).createPet({ name, categoryId: i, status: i % 2 ? 'sold' : 'pending' }));
    }
    for (const filter of ['', '&status=sold']) {
      const read: Pet[] = [];
      let next: string | null | undefined = `?limit=100${filter}`;
      while (next) {
        const response: Response = await fetch(`${baseUrl}/pets${next}`, { headers });
        const text = await response.text();
        const page: Pet[] = JSON.parse(text);
        const largest = Math.max(0, ...page.map((pet) => JSON.stringify(pet).length * 2));
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAGE_BYTES + largest + 1000);
        read.push(...page);
        next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
        // Only behind the last pet a page may be empty.
        expect(page.length > 0 || next === undefined).toBe(true);
      }
      expect(read).toEqual(filter ? added.filter(({ status }) => status === 'sold') : added);
    }
  });

  test('the bodies being received are bounded in total; small ones are still accepted', async () => {
    const { origin, baseUrl, head, headers } = await serving(memoryStore(), { bodyMemory: 300_000 });
    const large = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 200000\r\n\r\n`;
    const wires = [openWire(origin), openWire(origin)];
    for (const wire of wires) wire.send(`${large}{"name":"${'x'.repeat(180_000)}`);
    const [rejected] = await Promise.race(wires.map((wire) => wire.until(1)));
    expect(rejected).toMatchObject({ status: 503 });
    expect(JSON.parse(rejected?.body ?? '')).toMatchObject({ code: 'unavailable' });
    const small = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: '{"name":"x","categoryId":1}' });
    expect(small.status).toBe(201);
    for (const { socket } of wires) socket.destroy();
    // The memory is free again.
    const body = JSON.stringify({ name: 'x'.repeat(250_000), categoryId: 1 });
    await expect.poll(async () => (await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body })).status).toBe(201);
  });

  test('the values of JSON bodies count more than their bytes', async () => {
    const { baseUrl, headers } = await serving(memoryStore(), { bodyMemory: 300_000 });
    const post = async (count: number) => {
      const body = `[${'{},'.repeat(count)}{}]`;
      const response = await fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
      const { message } = (await response.json()) as { message: string };
      return { status: response.status, message };
    };
    expect(await post(2_000)).toMatchObject({ status: 400 });
    expect(await post(5_000)).toEqual({
      status: 413,
      message: 'The values of the body take more than 300000 bytes of memory.',
    });
    const many = await Promise.all(Array.from({ length: 20 }, () => post(2_000)));
    for (const { status } of many) expect([400, 503]).toContain(status);
    expect(await post(2_000)).toMatchObject({ status: 400 });
  });

  test('a body in many tiny chunks is rejected, and the connection is closed', async () => {
    const { origin, head } = await serving();
    const post = (pieces: number) => {
      const body = `{"name":"a","categoryId":1${' '.repeat(pieces)}}`;
      const chunks = [...body].map((byte) => `1\r\n${byte}\r\n`).join('');
      return `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`;
    };
    const wire = openWire(origin);
    wire.send(`${post(MAX_TINY_CHUNKS / 2)}0\r\n\r\n${post(MAX_TINY_CHUNKS)}`);
    expect((await wire.ended()).map(({ status }) => status)).toEqual([201, 413]);
  });

  test.each([
    ['a large body', `Content-Length: ${MAX_DISCARDED_BYTES + 1}`],
    ['a body of unknown length', 'Transfer-Encoding: chunked'],
    ['a body that its client may never send', 'Content-Length: 5\r\nExpect: 100-continue'],
  ])('a response sent before %s arrived closes the connection', async (_kind, length) => {
    const { origin } = await serving();
    for (const target of ['GET /healthz', 'POST /nope', 'POST /v1/pets']) {
      const wire = openWire(origin);
      wire.send(`${target} HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`);
      expect(await wire.ended()).toHaveLength(1);
    }
  });

  test('a response sent before a small body arrived keeps the connection open', async () => {
    const { origin } = await serving();
    const wire = openWire(origin);
    wire.send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_DISCARDED_BYTES}\r\n\r\n`);
    expect(await wire.until(1)).toMatchObject([{ status: 401 }]);
    wire.send(`${'x'.repeat(MAX_DISCARDED_BYTES)}GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(await wire.until(2)).toMatchObject([{ status: 401 }, { status: 200 }]);
    wire.socket.destroy();
  });

  test('the memory of writes that wait for a stalled store is bounded; writes beyond it are not done', async () => {
    const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const pets = memoryStore();
    const create: Collection['create'] = (pet) => {
      reach();
      return stalled.then(() => pets.collection('pets').create(pet));
    };
    const { baseUrl, headers } = await serving(withFunctions(pets, { create }), { bodyMemory: 150_000 });
    const post = (length: number) => {
      const body = JSON.stringify({ name: 'x'.repeat(length), categoryId: 1 });
      return fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
    };
    const first = post(100_000);
    await reached;
    const second = await post(100_000);
    expect([second.status, await second.json()]).toMatchObject([503, { code: 'unavailable' }]);
    go();
    expect((await first).status).toBe(201);
    expect(await handlers(pets).listPets({ after: 0, limit: 100 })).toHaveLength(1);
    expect((await post(100_000)).status).toBe(201);
  });

  test('the number of writes that wait for the store is bounded; reads continue', async () => {
    const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
    const { promise: full, resolve: fill } = Promise.withResolvers<void>();
    const pets = memoryStore();
    let pending = 0;
    const create: Collection['create'] = (pet) => {
      if (++pending === 2) fill();
      return stalled.then(() => pets.collection('pets').create(pet));
    };
    const { baseUrl, headers } = await serving(withFunctions(pets, { create }), { maxPendingWrites: 2 });
    const post = (name: string) =>
      fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }) });
    const waiting = [post('first'), post('second')];
    await full;
    const rejected = await post('third');
    expect([rejected.status, await rejected.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200);
    go();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await post('fourth')).status).toBe(201);
    const names = (await handlers(pets).listPets({ after: 0, limit: 100 })).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['first', 'fourth', 'second']);
  });

  test('responses to requests without a valid key are cached', async () => {
    const { origin } = await serving();
    const wire = openWire(origin);
    wire.send('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
    const others = await Promise.all(Array.from({ length: 5 }, () => fetch(`${origin}/healthz`)));
    expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const responses = await wire.until(500);
    wire.socket.destroy();
    expect(responses).toHaveLength(500);
    expect(new Set(responses.map(({ body }) => body)).size).toBeLessThan(50);
  });
});

// The connections are the same below both.
describe.each(rounds<readonly (typeof modes)[number][]>(modes.slice(0, 1), modes))(
  'the connections of the server %s',
  (_, options) => {
    const serving = servingWith(options);

    test('waiting pipelined requests are bounded in total: a connection with many is closed, one with few is served', async () => {
      const { promise: stalled, resolve: go } = Promise.withResolvers<void>();
      const pets = memoryStore();
      let pending = 0;
      const create: Collection['create'] = (pet) => {
        pending++;
        return stalled.then(() => pets.collection('pets').create(pet));
      };
      const { origin, head } = await serving(withFunctions(pets, { create }));
      const post = `POST /v1/pets HTTP/1.1\r\n${head}Content-Type: application/json\r\nContent-Length: 27\r\n\r\n{"name":"a","categoryId":1}`;
      const open = async (waiting: number) => {
        const wire = openWire(origin);
        const before = pending;
        wire.send(post + `GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(waiting));
        // All of it is in one read, which is parsed as a whole before anything else is looked at.
        await expect.poll(() => pending, { interval: 1 }).toBe(before + 1);
        return wire;
      };
      const each = 500;
      const wires = [];
      for (let total = 0; total < MAX_WAITING_REQUESTS; total += each) wires.push(await open(each));
      const tooMuch = await open(MAX_WAITING_PER_CONNECTION + 1);
      expect(await tooMuch.ended()).toEqual([]);
      wires.push(await open(MAX_WAITING_PER_CONNECTION));
      go();
      for (const [i, wire] of wires.entries()) {
        const count = 1 + (i === wires.length - 1 ? MAX_WAITING_PER_CONNECTION : each);
        expect((await wire.until(count)).length).toBe(count);
        wire.socket.destroy();
      }
    });

    test('connections beyond the bound are closed at once, and accepted again when others end', async () => {
      const { origin } = await serving(memoryStore(), { maxConnections: 2 });
      const get = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
      const wires = [openWire(origin), openWire(origin)];
      for (const wire of wires) {
        wire.send(get);
        await wire.until(1);
      }
      expect(await openWire(origin).ended()).toEqual([]);
      wires[0]?.socket.destroy();
      await expect
        .poll(async () => {
          const wire = openWire(origin);
          wire.send(get);
          const responses = await wire.until(1);
          wire.socket.destroy();
          return responses.length;
        })
        .toBe(1);
      // The one that was let in before is still served.
      wires[1]?.send(get);
      expect(await wires[1]?.until(2)).toHaveLength(2);
      wires[1]?.socket.destroy();
    });

    test('a connection that sends no further request is closed', async () => {
      const { origin } = await serving(memoryStore(), { keepAliveTimeout: 1 });
      const wire = openWire(origin);
      wire.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
      expect(await wire.ended()).toMatchObject([{ status: 200 }]);
    });

    test('a connection that sends only blank lines is closed', async () => {
      const { origin } = await serving(memoryStore(), { keepAliveTimeout: 1 });
      const wire = openWire(origin);
      wire.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
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
        wire.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
        expect(await wire.until(i)).toHaveLength(i);
      }
      wire.socket.destroy();
    });

    test('a connection that never sends a request is closed', async () => {
      const { origin } = await serving(memoryStore(), shortTimeouts);
      await openWire(origin).ended();
    });

    /** A store with one pet whose response no buffer of the system holds. */
    async function withLargePet(): Promise<Store> {
      const pets = memoryStore();
      await handlers(pets).createPet({ name: 'x'.repeat(20_000_000), categoryId: 1 });
      return pets;
    }

    test('a client that reads nothing is disconnected; others are served meanwhile', async () => {
      const entries: RequestEntry[] = [];
      const logRequest = (entry: RequestEntry) => void entries.push(entry);
      const { origin, head } = await serving(await withLargePet(), { responseTimeout: 500, logRequest });
      const deaf = openWire(origin, { reads: false });
      deaf.send(`GET /v1/pets HTTP/1.1\r\n${head}\r\n`.repeat(50));
      expect((await fetch(`${origin}/healthz`)).status).toBe(200);
      await expect.poll(() => entries.filter(({ aborted }) => aborted)).toHaveLength(1);
      // The others behind it were never started.
      expect(entries.filter(({ operation }) => operation === 'listPets')).toHaveLength(1);
      deaf.socket.destroy();
    });

    test('responses that wait for slow readers are bounded in total: the slowest reader is disconnected', async () => {
      const entries: RequestEntry[] = [];
      const logRequest = (entry: RequestEntry) => void entries.push(entry);
      const more = { responseMemory: 30_000_000, responseTimeout: 60_000, logRequest };
      const { origin, head } = await serving(await withLargePet(), more);
      const ask = (i: number) => `GET /v1/pets HTTP/1.1\r\n${head}X-Request-Id: ${i}\r\n\r\n`;
      const wires = Array.from({ length: 5 }, () => openWire(origin, { reads: false }));
      for (const [i, wire] of wires.entries()) {
        const begun = once(wire.socket, 'data');
        wire.socket.resume();
        wire.send(ask(i));
        // Its response waits before the next one asks.
        await begun;
        wire.socket.pause();
      }
      await expect.poll(() => entries.filter(({ aborted }) => aborted).length).toBeGreaterThan(0);
      expect(entries.find(({ aborted }) => aborted)).toMatchObject({ requestId: '0' });
      const reader = openWire(origin);
      reader.send(ask(5));
      expect(await reader.until(1)).toMatchObject([{ status: 200 }]);
      for (const { socket } of [...wires, reader]) socket.destroy();
    });
  },
);
