// `on` hooks for request, response, retry and deprecation.
import { operations } from '@petstore/types';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Hooks } from '../src/index.ts';
import { newPet, pets, respond, respondError, rex, stubbed } from './stub-server.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Hooks that record their events. */
function recorder() {
  const events: [name: string, event: object][] = [];
  const record = (name: string) => (event: object) => {
    events.push([name, event]);
  };
  const on = {
    request: record('request'),
    response: record('response'),
    retry: record('retry'),
    deprecated: record('deprecated'),
  } satisfies Hooks;
  return { on, events };
}

test('the hooks run in order, with what a log needs', async () => {
  const { on, events } = recorder();
  const { store, baseUrl } = await stubbed([respondError(503, 'unavailable'), pets], { on });
  await store.listPets({ limit: 1 });
  const operation = 'listPets';
  const request = { operation, method: 'GET', url: `${baseUrl}/pets?limit=1` };
  const headers = { accept: 'application/json', authorization: '***' };
  const response = { operation, headers: expect.any(Headers), milliseconds: expect.any(Number) };
  expect(events).toEqual([
    ['request', { ...request, headers, attempt: 1 }],
    ['response', { ...response, status: 503, attempt: 1 }],
    [
      'retry',
      {
        operation,
        attempt: 1,
        delay: expect.any(Number),
        error: expect.objectContaining({ name: 'ServerError' }),
      },
    ],
    ['request', { ...request, headers, attempt: 2 }],
    ['response', { ...response, status: 200, attempt: 2 }],
  ]);
});

test('the key is masked, and the idempotency key is not', async () => {
  const { on, events } = recorder();
  const { store } = await stubbed([respond(201, rex)], { on, apiKey: 'pk_secret' });
  await store.createPet(newPet, { idempotencyKey: 'order-17' });
  expect(JSON.stringify(events)).not.toContain('pk_secret');
  expect(events[0]?.[1]).toMatchObject({ headers: { 'idempotency-key': 'order-17' } });
});

test('a redirect is a request of its own in the same attempt', async () => {
  const { on, events } = recorder();
  const { store } = await stubbed([respond(302, '', { location: '/v1/others' }), pets], { on });
  await store.listPets();
  const requests = events.filter(([name]) => name === 'request').map(([, event]) => event);
  expect(requests).toMatchObject([
    { attempt: 1 },
    { attempt: 1, url: expect.stringMatching(/\/v1\/others$/) },
  ]);
});

test('hooks cannot change a call', async () => {
  const { store, requests } = await stubbed([respond(201, rex)], {
    on: {
      request: ({ headers }) => {
        headers.authorization = 'Bearer other';
      },
    },
  });
  await store.createPet(newPet);
  expect(requests[0]?.headers.authorization).toBe('Bearer k');
});

test.each([
  [
    'throws',
    () => {
      throw new Error('of the hook');
    },
  ],
  [
    'rejects',
    async () => {
      throw new Error('of the hook');
    },
  ],
])('a hook that %s changes nothing, and its error is logged', async (_, hook) => {
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
  const { store } = await stubbed([pets], { on: { request: hook, response: hook } });
  expect(await store.listPets()).toEqual([rex]);
  expect(logged.mock.calls.map(([error]) => error.message)).toEqual(['of the hook', 'of the hook']);
});

describe('a deprecated operation', () => {
  const { id: operation, sunset, successor } = operations.getPet;

  test('is reported once for each client', async () => {
    const { store, baseUrl } = await stubbed([respond(200, rex)]);
    for (const client of [store.withOptions({ on: {} }), store]) {
      const { on, events } = recorder();
      const own = client.withOptions({ on: { ...on }, baseUrl });
      await own.getPet({ petId: 1 });
      await own.getPet({ petId: 1 });
      await own.withOptions({ timeout: 1_000 }).getPet({ petId: 1 });
      const message = `getPet is deprecated and will be removed on ${sunset}; use ${successor}`;
      expect(events.filter(([name]) => name === 'deprecated')).toEqual([
        ['deprecated', { operation, sunset, message }],
      ]);
    }
  });

  test('is a warning by default, and false silences it', async () => {
    const warned = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const { store } = await stubbed([respond(200, rex)], { on: {} });
    await store.withOptions({ on: { deprecated: false } }).getPet({ petId: 1 });
    expect(warned).not.toHaveBeenCalled();
    await store.getPet({ petId: 1 });
    await store.getPet({ petId: 1 });
    expect(warned.mock.calls).toEqual([
      [expect.stringContaining('@petstore/client: getPet is deprecated')],
    ]);
  });
});

test('hooks of a derived client replace those of the first with the same name', async () => {
  const first = recorder();
  const second = recorder();
  const { store } = await stubbed([pets], { on: first.on });
  await store.withOptions({ on: { request: second.on.request } }).listPets();
  expect([...first.events, ...second.events].map(([name]) => name)).toEqual([
    'response',
    'request',
  ]);
});

test('undefined is no hook, and removes the one that it replaces', async () => {
  const { on, events } = recorder();
  const { store } = await stubbed([pets], { on });
  const isVerbose = false;
  const request = isVerbose ? on.request : undefined;
  await store.withOptions({ on: { request, retry: undefined } }).listPets();
  expect(events.map(([name]) => name)).toEqual(['response']);
});
