import { execFile } from 'node:child_process';
import { afterEach, describe, expect, test } from 'vitest';
import { type HttpResponse, type Options, petstore } from '../src/index.ts';
import { answer, type Fault, type FaultyServer, faulty, pets, rex, slowBody, slowHeaders } from './faults.ts';

let server: FaultyServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function client(faults: Fault[], options: Options = {}) {
  server = await faulty(...faults);
  return petstore({ apiKey: 'k', baseUrl: server.baseUrl, retry: { base: 1, cap: 5 }, ...options });
}

const never = () => new Promise<never>(() => {});

test.each([0, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40])(
  'a timeout of %d does not end a call at once',
  async (timeout) => {
    const api = await client([pets]);
    expect(await api.listPets({}, { timeout, attemptTimeout: timeout })).toEqual([rex]);
  },
);

const stuck: [string, Fault[], Options][] = [
  ['in a function that gets the key', [pets], { apiKey: never }],
  ['in a transport that heeds no signal', [pets], { transport: never }],
  ['before the response', [slowHeaders], {}],
  ['in its body', [slowBody], {}],
  [
    'in a body of a transport that heeds no signal',
    [pets],
    { transport: async (): Promise<HttpResponse> => ({ status: 200, headers: new Headers(), text: never }) },
  ],
];

describe.each(stuck)('a call that is stuck %s', (_, faults, options) => {
  test('ends with the timeout', async () => {
    const api = await client(faults, { ...options, timeout: 50 });
    await expect(api.listPets()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  test('ends when its signal aborts', async () => {
    const controller = new AbortController();
    const api = await client(faults, options);
    const call = api.listPets({}, { signal: controller.signal });
    controller.abort('enough');
    await expect(call).rejects.toMatchObject({ name: 'AbortedError', cause: 'enough' });
  });
});

test('an attempt that takes too long is tried again, within the time of the call', async () => {
  const api = await client([slowHeaders, pets]);
  expect(await api.listPets({}, { attemptTimeout: 300, timeout: 0 })).toEqual([rex]);
  expect(server?.requests.length).toBe(2);
});

test('errors say how many requests were sent', async () => {
  const api = await client([answer(500, '')]);
  await expect(api.listPets()).rejects.toMatchObject({ attempts: 3 });
  await expect(api.listPets({}, { retry: 0 })).rejects.toMatchObject({ attempts: 1 });
  await expect(api.listPets({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ attempts: 0 });
});

test('many calls at a time with one signal warn of no leak', async () => {
  const { baseUrl } = await client([pets]).then(() => server as FaultyServer);
  const program = `
    import { petstore } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const { signal } = new AbortController();
    const store = petstore({ apiKey: 'k', baseUrl: process.argv[1] });
    await Promise.all(Array.from({ length: 50 }, () => store.listPets({}, { signal })));`;
  const args = ['--input-type=module-typescript', '-e', program, baseUrl];
  const { promise, resolve } = Promise.withResolvers<string>();
  execFile(process.execPath, args, (error, _, stderr) => resolve(`${error ?? ''}${stderr}`));
  expect(await promise).toBe('');
});
