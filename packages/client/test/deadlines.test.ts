// One deadline over all attempts, and `AbortSignal`.
import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Options } from '../src/index.ts';
import {
  dropBefore,
  endlessBody,
  noHeaders,
  pets,
  type Responder,
  respond,
  respondError,
  rex,
  stubbed,
} from './stub-server.ts';

const never = () => new Promise<never>(() => {});

test.each([0, Infinity, 2 ** 31, 2 ** 40])('a timeout of %d is not immediate', async (timeout) => {
  const { store } = await stubbed([pets]);
  expect(await store.listPets({}, { timeout })).toEqual([rex]);
});

const stuck: [string, Responder[], Options][] = [
  ['in the function that gets the key', [pets], { apiKey: never }],
  ['in a fetch that ignores the signal', [pets], { fetch: never }],
  ['before the response', [noHeaders], {}],
  ['in the body', [endlessBody], {}],
];

describe.each(stuck)('a call that hangs %s', (_, responders, options) => {
  test('ends at its deadline', async () => {
    const { store } = await stubbed(responders, { ...options, timeout: 50 });
    const message = 'listPets took longer than 50 ms';
    await expect(store.listPets()).rejects.toMatchObject({ name: 'TimeoutError', message });
  });

  test('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const { store } = await stubbed(responders, options);
    const call = store.listPets({}, { signal: controller.signal });
    controller.abort('enough');
    await expect(call).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough' });
  });
});

test('all attempts share one deadline', async () => {
  // Each attempt is quick, and there are enough of them for hours.
  const { store } = await stubbed([dropBefore], {
    timeout: 200,
    retry: { limit: 1e9, base: 1, cap: 1 },
  });
  const outcome = await store.listPets().outcome();
  const name = outcome.ok ? undefined : outcome.error.name;
  expect(['TimeoutError', 'ConnectionError']).toContain(name);
});

test('an aborted signal sends nothing', async () => {
  const { store, requests } = await stubbed();
  const call = store.listPets({}, { signal: AbortSignal.abort('enough') });
  await expect(call).rejects.toMatchObject({ name: 'AbortedError', attempts: 0 });
  expect(requests).toEqual([]);
});

test('a signal of a time ends the call like the option timeout', async () => {
  const { store } = await stubbed([noHeaders]);
  const call = store.listPets({}, { signal: AbortSignal.timeout(20) });
  await expect(call).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'listPets took longer than its signal allows',
    cause: expect.objectContaining({ name: 'TimeoutError' }),
  });
});

test('a key that comes after the deadline is not used', async () => {
  let resolve: (key: string) => void = () => {};
  const apiKey = () =>
    new Promise<string>((resolveIt) => {
      resolve = resolveIt;
    });
  const { store, requests } = await stubbed([], { apiKey, timeout: 20 });
  await expect(store.listPets()).rejects.toMatchObject({ name: 'TimeoutError', attempts: 0 });
  resolve('k');
  await nextTurn();
  expect(requests).toEqual([]);
});

test.each([200, 404, 503])(
  'a call that ends with %d leaves no listener on a signal',
  async (status) => {
    const { signal } = new AbortController();
    const { store } = await stubbed([respond(status, '[]')]);
    await store.listPets({}, { signal }).outcome();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  },
);

test('a call leaves no timer behind', async () => {
  const { store } = await stubbed([respondError(503, 'unavailable', { 'retry-after': '9' })], {
    retry: { cap: 20_000 },
  });
  const set = vi.spyOn(globalThis, 'setTimeout');
  const clear = vi.spyOn(globalThis, 'clearTimeout');
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const controller = new AbortController();
  const on = { retry: () => controller.abort() };
  await store
    .withOptions({ on, timeout: 60_000 })
    .listPets({}, { signal: controller.signal })
    .outcome();
  // That of the deadline and that of the wait.
  const timers = set.mock.results.filter((_, i) =>
    [60_000, 9_000].includes(Number(set.mock.calls[i]?.[1])),
  );
  expect(timers.length).toBe(2);
  for (const { value } of timers) expect(clear.mock.calls.map(([timer]) => timer)).toContain(value);
});

test('many concurrent calls with one signal cause no warning of a leak', async () => {
  const { store } = await stubbed([pets]);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => {
    process.off('warning', onWarning);
  });
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 50 }, () => store.listPets({}, { signal })));
  // Node emits warnings on the next tick.
  await nextTurn();
  expect(warnings).toEqual([]);
});
