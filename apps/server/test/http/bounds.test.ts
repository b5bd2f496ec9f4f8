import { newFolder } from '@petstore/testing';
import type { Pet } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { handlers } from '../../src/handlers.ts';
import { MAX_DISCARDED_BYTES, MAX_PAGE_BYTES, MAX_TINY_CHUNKS } from '../../src/limits.ts';
import { memoryStore } from '../../src/store/memory.ts';
import { openLowdbStore } from '../../src/store/open.ts';
import { apiOf } from '../../src/store/stored.ts';
import { modes } from '../listen.ts';
import { GET_HEALTH, servingWith, withStalledCreates } from './serving.ts';
import { openWire } from './wire.ts';

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
      added.push(await apiOf(handlers(store)).createPet({ name, categoryId: i, status: i % 2 ? 'sold' : 'pending' }));
    }
    for (const filter of ['', '&status=sold']) {
      const listed: Pet[] = [];
      let next: string | null | undefined = `?limit=100${filter}`;
      while (next) {
        const response: Response = await fetch(`${baseUrl}/pets${next}`, { headers });
        const text = await response.text();
        const page: Pet[] = JSON.parse(text);
        const largest = Math.max(0, ...page.map((pet) => JSON.stringify(pet).length * 2));
        expect(Buffer.byteLength(text)).toBeLessThan(MAX_PAGE_BYTES + largest + 1000);
        listed.push(...page);
        next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
        // A page may be empty only after the last pet.
        expect(page.length > 0 || next === undefined).toBe(true);
      }
      expect(listed).toEqual(filter ? added.filter(({ status }) => status === 'sold') : added);
    }
  });

  test('the memory of bodies that are being received is bounded in total; small bodies are still accepted', async () => {
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

  test('a JSON body counts as much memory as its values take, which is more than its bytes', async () => {
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
      message: 'The body and its values take more than 300000 bytes of memory.',
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
  ])('a response that does not wait for %s closes the connection', async (_kind, length) => {
    const { origin, head } = await serving();
    for (const target of ['GET /healthz', 'OPTIONS *', 'POST /nope', 'GET /v1/pets', 'POST /v1/pets']) {
      const wire = openWire(origin);
      wire.send(`${target} HTTP/1.1\r\n${head}${length}\r\n\r\n`);
      const responses = await wire.ended();
      expect(responses.map(({ headers }) => headers.get('connection'))).toEqual(['close']);
    }
  });

  test('a response sent before a small body arrived keeps the connection open', async () => {
    const { origin } = await serving();
    const wire = openWire(origin);
    wire.send(`POST /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: ${MAX_DISCARDED_BYTES}\r\n\r\n`);
    expect(await wire.until(1)).toMatchObject([{ status: 401 }]);
    wire.send(`${'x'.repeat(MAX_DISCARDED_BYTES)}${GET_HEALTH}`);
    expect(await wire.until(2)).toMatchObject([{ status: 401 }, { status: 200 }]);
    wire.socket.destroy();
  });

  test('the memory of writes that wait for a stalled store is bounded; writes beyond it are not done', async () => {
    const store = memoryStore();
    const { stalledStore, creates } = withStalledCreates(store);
    const { baseUrl, headers } = await serving(stalledStore, { bodyMemory: 150_000 });
    const post = (length: number) => {
      const body = JSON.stringify({ name: 'x'.repeat(length), categoryId: 1 });
      return fetch(`${baseUrl}/pets`, { method: 'POST', headers, body });
    };
    const first = post(100_000);
    await expect.poll(() => creates.begun).toBe(1);
    const second = await post(100_000);
    expect([second.status, await second.json()]).toMatchObject([503, { code: 'unavailable' }]);
    creates.release();
    expect((await first).status).toBe(201);
    expect(await apiOf(handlers(store)).listPets({ after: 0, limit: 100 })).toHaveLength(1);
    expect((await post(100_000)).status).toBe(201);
  });

  test('the number of writes that wait for the store is bounded; reads continue', async () => {
    const store = memoryStore();
    const { stalledStore, creates } = withStalledCreates(store);
    const { baseUrl, headers } = await serving(stalledStore, { maxPendingWrites: 2 });
    const post = (name: string) =>
      fetch(`${baseUrl}/pets`, { method: 'POST', headers, body: JSON.stringify({ name, categoryId: 1 }) });
    const waiting = [post('first'), post('second')];
    await expect.poll(() => creates.begun).toBe(2);
    const rejected = await post('third');
    expect([rejected.status, await rejected.json()]).toMatchObject([503, { code: 'unavailable' }]);
    expect((await fetch(`${baseUrl}/pets`, { headers })).status).toBe(200);
    creates.release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([201, 201]);
    expect((await post('fourth')).status).toBe(201);
    const names = (await apiOf(handlers(store)).listPets({ after: 0, limit: 100 })).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['first', 'fourth', 'second']);
  });

  test('the metrics are cached, so many requests for them delay no other request', async () => {
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
