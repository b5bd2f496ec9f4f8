// What handlers get and may return, and what an app needs of the program around it.
import { once } from 'node:events';
import { isDeep } from '@petstore/testing';
import { apiKey } from '@petstore/testing/server';
import type { Result } from '@petstore/types';
import express, { type Express } from 'express';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import {
  type AppOptions,
  type Context,
  createApp,
  type Handlers,
  HttpError,
  handlers,
  keysFrom,
  memoryStore,
  type StoredDocument,
  type StoredPage,
} from '../src/index.ts';
import { type Listening, listenForTest } from './listening.ts';
import { get as getBytes, json, key, openForTest, pet, postHead } from './wire.ts';

const rex = { id: 1, name: 'Rex', categoryId: 1 } as const;

async function get({ baseUrl }: Listening, path: string) {
  const response = await fetch(baseUrl + path, { headers: key });
  return { status: response.status, body: await response.text() };
}

async function create({ baseUrl }: { baseUrl: string }, headers = {}) {
  const response = await fetch(`${baseUrl}/pets`, {
    method: 'POST',
    headers: { ...key, ...json, ...headers },
    body: pet('Rex'),
  });
  return { status: response.status, body: await response.text() };
}

test('a handler that may return nothing where the spec declares a body does not compile', () => {
  type Returned<Id extends keyof Handlers> = Awaited<ReturnType<Handlers[Id]>>;
  expectTypeOf<Returned<'getPet'>>().toEqualTypeOf<Result<'getPet'> | StoredDocument>();
  expectTypeOf<Returned<'listPets'>>().toEqualTypeOf<Result<'listPets'> | StoredPage>();
  const mistaken: Partial<Handlers> = {
    // @ts-expect-error A missing pet would get a success without a body.
    getPet: ({ petId }, { pets }) => pets.get(petId),
    // @ts-expect-error A page is no pet.
    createPet: (_pet, { pets }) => pets.list({ after: 0, limit: 1 }),
  };
  expect(Object.keys(mistaken)).toHaveLength(2);
});

test('nothing, where the spec declares a body, is an error', async () => {
  const server = await listenForTest({ handlers: { getPet: () => undefined as never } });
  expect((await get(server, '/pets/1')).status).toBe(500);
});

test('a plain result with a property `json` is sent as it is', async () => {
  const result = { ...rex, json: '{"name":"not this"}' };
  const server = await listenForTest({ handlers: { getPet: () => result } });
  expect(await get(server, '/pets/1')).toEqual({ status: 200, body: JSON.stringify(result) });
});

test('an HttpError becomes a response', async () => {
  const getPet = () => {
    throw new HttpError('not_found', 'Not today.');
  };
  const server = await listenForTest({ handlers: { getPet } });
  const { status, body } = await get(server, '/pets/1');
  expect([status, JSON.parse(body).message]).toEqual([404, 'Not today.']);
});

test('a handler learns who asks, by which request, and when the client is gone', async () => {
  const seen = Promise.withResolvers<Context>();
  const createPet: Handlers['createPet'] = async (_pet, _collections, context) => {
    const { signal } = context;
    seen.resolve(context);
    await once(signal, 'abort');
    return rex;
  };
  const server = await listenForTest({ handlers: { ...handlers, createPet } });
  const wire = openForTest(server.origin);
  const body = pet('Rex');
  wire.send(`${postHead}X-Request-Id: mine\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const { caller, requestId, headers, signal, log } = await seen.promise;
  log.info('The request waits.');
  expect({ caller, requestId, type: headers['content-type'], isAborted: signal.aborted }).toEqual({
    caller: 'tester',
    requestId: 'mine',
    type: 'application/json',
    isAborted: false,
  });
  wire.socket.destroy();
  await expect.poll(() => signal.aborted).toBe(true);
});

test('with an idempotency key, a handler runs once, also if it looks for doubles first', async () => {
  let runs = 0;
  const createPet: Handlers['createPet'] = async (newPet, { pets }) => {
    runs++;
    const page = await pets.list({ after: 0, limit: 100 });
    if (page.json.includes(newPet.name)) throw new HttpError('invalid_request', 'It is there.');
    return pets.create(newPet);
  };
  const server = await listenForTest({ handlers: { ...handlers, createPet } });
  const first = await create(server, { 'idempotency-key': 'k' });
  expect(first.status).toBe(201);
  expect(await create(server, { 'idempotency-key': 'k' })).toEqual(first);
  expect(runs).toBe(1);
  expect((await create(server, { 'idempotency-key': 'other' })).status).toBe(400);
});

test.each<[string, Handlers['createPet']]>([
  [
    'a second write',
    async (newPet, { pets }) => {
      await pets.create(newPet);
      return pets.create(newPet);
    },
  ],
  [
    'another result than what was written',
    async (newPet, { pets }) => {
      await pets.create(newPet);
      return rex;
    },
  ],
])('with an idempotency key, %s is an error', async (_, createPet) => {
  const server = await listenForTest({ handlers: { ...handlers, createPet } });
  expect((await create(server, { 'idempotency-key': 'k' })).status).toBe(500);
});

test('a body that another middleware has read is a clear error', async () => {
  const program = express().use(express.json());
  const { status, body } = await create({ baseUrl: `${await startProgram(program)}/v1` });
  expect([status, JSON.parse(body).message]).toEqual([
    500,
    'The body was read before: mount the service before body parsers.',
  ]);
});

test.each([{ validateResponses: false }, { validateResponses: true }])(
  'an Express program can mount the app: %o',
  async (options) => {
    const program = express().get('/own', (_request, response) => {
      response.send('own');
    });
    const origin = await startProgram(program, options);
    const paths = {
      '/own': 200,
      '/v1/pets': 200,
      '/v1/pets?x': 400,
      '/v1/pets?limit=0': 400,
      '/healthz': 200,
      '/nope': 404,
    };
    for (const [path, status] of Object.entries(paths))
      expect((await fetch(origin + path, { headers: key })).status).toBe(status);
    expect(await create({ baseUrl: `${origin}/v1` })).toEqual({
      status: 201,
      body: '{"id":1,"name":"Rex","categoryId":1}',
    });
  },
);

test.runIf(isDeep)(
  'clients that do not read use up the memory for the responses of one app only',
  async () => {
    const server = await listenForTest({ bodyLimit: 2 ** 25 });
    const other = await listenForTest();
    const body = pet('x'.repeat(30_000_000));
    const first = await fetch(`${server.baseUrl}/pets`, {
      method: 'POST',
      headers: { ...key, ...json, 'idempotency-key': 'large' },
      body,
    });
    await first.text();
    // The second half of them asks for the first response to a create again.
    const repeated = `${postHead}Idempotency-Key: large\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const bytes of [getBytes('/v1/pets/1'), getBytes('/v1/pets/1'), repeated, repeated])
      openForTest(server.origin, { reads: false }).send(bytes);
    await expect.poll(async () => (await get(server, '/pets?limit=1&after=1')).status).toBe(503);
    // It is refused before anything is done.
    expect((await create(server, { 'idempotency-key': 'k' })).status).toBe(503);
    expect((await get(other, '/pets')).status).toBe(200);
  },
);

/** Starts an Express program that mounts the app. Returns its origin. */
async function startProgram(program: Express, options: Partial<AppOptions> = {}): Promise<string> {
  program.use(createApp(memoryStore(), { keys: keysFrom(apiKey), ...options }));
  const server = program.listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}
