import { getEventListeners, setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type HttpRequest, type HttpResponse, type Options, petstore } from '../src/index.ts';
import { endlessBody, noHeaders, pets, type Responder, respond, rex, stubbed, stubServer } from './stub-server.ts';

const never = () => new Promise<never>(() => {});

test.each([0, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40])('a timeout of %d is not immediate', async (timeout) => {
  const { api } = await stubbed([pets]);
  expect(await api.listPets({}, { timeout, attemptTimeout: timeout })).toEqual([rex]);
});

const stuck: [string, Responder[], Options][] = [
  ['in a function that gets the key', [pets], { apiKey: never }],
  ['in a transport that ignores the signal', [pets], { transport: never }],
  ['before the response', [noHeaders], {}],
  ['in the body', [endlessBody], {}],
  [
    'in the body of a transport that ignores the signal',
    [pets],
    { transport: async (): Promise<HttpResponse> => ({ status: 200, headers: new Headers(), text: never }) },
  ],
];

describe.each(stuck)('a call that hangs %s', (_, responders, options) => {
  test('ends with the timeout', async () => {
    const { api } = await stubbed(responders, { ...options, timeout: 50 });
    await expect(api.listPets()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const { api } = await stubbed(responders, options);
    const call = api.listPets({}, { signal: controller.signal });
    controller.abort('enough');
    await expect(call).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough' });
  });
});

test('a transport may set the handler of its signal', async () => {
  const controller = new AbortController();
  const transport = async ({ signal }: HttpRequest) => {
    signal.onabort = () => {};
    controller.abort('enough');
    return never();
  };
  const { api } = await stubbed([pets], { transport, timeout: 0 });
  const call = api.listPets({}, { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough' });
});

test('an attempt that exceeds its time is retried', async () => {
  const { api, requests } = await stubbed([noHeaders, pets]);
  expect(await api.listPets({}, { attemptTimeout: 300, timeout: 0 })).toEqual([rex]);
  expect(requests.length).toBe(2);
});

test('errors have the number of requests that were sent', async () => {
  const { api } = await stubbed([respond(500, '')]);
  await expect(api.listPets()).rejects.toMatchObject({ attempts: 3 });
  await expect(api.listPets({}, { retry: 0 })).rejects.toMatchObject({ attempts: 1 });
  await expect(api.listPets({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ attempts: 0 });
});

test.each([200, 404, 503])('a call that ends with %d leaves no listener on a signal', async (status) => {
  const { signal } = new AbortController();
  const signals = [signal];
  const transport = async (request: HttpRequest) => {
    signals.push(request.signal);
    return new Response('[]', { status });
  };
  const { api } = await stubbed([], { transport });
  await api.listPets({}, { signal }).outcome();
  expect(signals.flatMap((one) => getEventListeners(one, 'abort'))).toEqual([]);
});

test('many concurrent calls with one signal cause no warning of a leak', async () => {
  const { baseUrl } = await stubServer(pets);
  const warnings: Error[] = [];
  const onWarning = (warning: Error) => warnings.push(warning);
  process.on('warning', onWarning);
  onTestFinished(() => void process.off('warning', onWarning));
  const { signal } = new AbortController();
  // Newer versions of Node have no limit for signals.
  setMaxListeners(10, signal);
  const store = petstore({ apiKey: 'k', baseUrl });
  await Promise.all(Array.from({ length: 50 }, () => store.listPets({}, { signal })));
  // Node emits warnings on the next tick.
  await nextTurn();
  expect(warnings).toEqual([]);
});
