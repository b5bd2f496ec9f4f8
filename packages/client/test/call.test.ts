import { type Api, operations, service } from '@petstore/types';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  type CallError,
  type CallOptions,
  connect,
  createPet,
  getPet,
  listPets,
  type Options,
  type Pet,
  pages,
  petstore,
  withEnvironment,
} from '../src/index.ts';
import { recording } from './recording.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('a request', () => {
  test('has each input in its declared location', async () => {
    const { sent, connection } = recording();
    await listPets(connection, { limit: 5, status: 'sold' });
    await getPet(connection, { petId: 7 });
    await createPet(connection, { name: 'Rex & Tom', categoryId: 1 }).catch(() => {});
    expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'http://pets.test/v1/pets?limit=5&status=sold', undefined],
      ['GET', 'http://pets.test/v1/pets/7', undefined],
      ['POST', 'http://pets.test/v1/pets', '{"name":"Rex & Tom","categoryId":1}'],
    ]);
  });

  test('omits undefined inputs, and includes unknown ones', async () => {
    const { sent, api } = recording();
    await api.listPets({ status: undefined, colour: 'red&' } as never);
    await api.createPet({ name: 'x', categoryId: 1, __proto__: 1, colour: 'red' } as never).outcome();
    expect(sent[0]?.url).toBe('http://pets.test/v1/pets?colour=red%26');
    expect(sent[1]?.body).toBe('{"name":"x","categoryId":1,"colour":"red"}');
  });

  test.each(['..', '.', '', '../pets', undefined])(
    'never has another path because of the path parameter %j',
    async (petId) => {
      const { sent, api } = recording({}, 200, '{}');
      const call = api.getPet({ petId } as never);
      if (petId === '../pets') {
        await call;
        expect(sent[0]?.url).toBe('http://pets.test/v1/pets/..%2Fpets');
      } else {
        await expect(call).rejects.toThrow(TypeError);
        expect(sent).toEqual([]);
      }
    },
  );

  test.each([2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY])(
    'with %d is rejected, not rounded',
    async (categoryId) => {
      const { sent, api } = recording({}, 201, '{}');
      await expect(api.createPet({ name: 'x', categoryId })).rejects.toThrow(RangeError);
      expect(sent).toEqual([]);
    },
  );

  test('has the key as a bearer token, which no header replaces', async () => {
    const { sent, api } = recording({ headers: { 'x-team': 'a', authorization: 'Basic x' } });
    await api.listPets({}, { headers: { 'x-call': 'b' } });
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer k',
      'x-team': 'a',
      'x-call': 'b',
      accept: 'application/json',
    });
    expect(sent[0]?.headers['user-agent']).toBe(`petstore-client/${service.version}`);
  });

  test('can have a new key each time', async () => {
    let n = 0;
    const { sent, api } = recording({ apiKey: async () => `key-${++n}` });
    await api.listPets();
    await api.listPets();
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
  });
});

describe('the address and the key', () => {
  test.each(Object.entries(service.deployments))(
    'are those of the deployment %s in the spec',
    (deployment, baseUrl) => {
      expect(withEnvironment({ deployment: deployment as keyof typeof service.deployments }).baseUrl).toBe(baseUrl);
    },
  );

  test('come from the environment if the options lack them', async () => {
    vi.stubEnv('PETSTORE_BASE_URL', 'http://from.env/v1');
    vi.stubEnv('PETSTORE_API_KEY', 'env-key');
    expect(connect(withEnvironment({})).baseUrl).toBe('http://from.env/v1');
    const { sent, api } = recording({ apiKey: undefined } as never);
    await api.listPets();
    expect(sent[0]?.headers.authorization).toBe('Bearer env-key');
    expect(connect(withEnvironment({ baseUrl: 'http://given/v1' })).baseUrl).toBe('http://given/v1');
    vi.stubEnv('PETSTORE_BASE_URL', '');
    expect(connect(withEnvironment({})).baseUrl).toBe(service.deployments.production);
    vi.stubEnv('PETSTORE_BASE_URL', 'http://from.env/v1');
    expect(connect(withEnvironment({ deployment: 'staging' })).baseUrl).toBe(service.deployments.staging);
  });

  test.each([
    { apiKey: 'k', deployment: 'nowhere' },
    { apiKey: 'k', baseUrl: 'pets.test/v1' },
    { apiKey: 'k', baseUrl: 'http://x/v1', deployment: 'staging' },
  ])('are rejected when the client is created, if they are invalid: %j', (options) => {
    vi.stubEnv('PETSTORE_API_KEY', '');
    expect(() => petstore(options as Options)).toThrow(TypeError);
  });

  test.each([{ apiKey: undefined }, { apiKey: '' }])(
    'are required: with %j a call fails and sends nothing',
    async (options) => {
      vi.stubEnv('PETSTORE_API_KEY', '');
      const { sent, api } = recording(options as Options);
      await expect(api.listPets()).rejects.toThrow('listPets: set apiKey or credentials.bearer');
      expect(sent).toEqual([]);
    },
  );

  test('are not shared by two clients', async () => {
    const [one, two] = [recording(), recording({ apiKey: 'other', baseUrl: 'http://other.test/v1' })];
    await one.api.listPets();
    await two.api.listPets();
    expect([one.sent.length, two.sent.length]).toEqual([1, 1]);
    expect(two.sent[0]).toMatchObject({ url: 'http://other.test/v1/pets', headers: { authorization: 'Bearer other' } });
  });
});

describe('a call', () => {
  test('returns the response with the data on request', async () => {
    const { api } = recording();
    const { data, response } = await api.listPets().withResponse();
    expect([data, response.status]).toEqual([[], 200]);
  });

  test('returns its outcome as a value on request', async () => {
    const missing = recording({}, 404, '{"code":"not_found","message":"no","status":404}');
    const outcome = await missing.api.getPet({ petId: 1 }).outcome();
    expect(outcome).toMatchObject({ ok: false, error: { name: 'NotFoundError', code: 'not_found' } });
    expect(await recording().api.listPets().outcome()).toMatchObject({ ok: true, data: [] });
  });

  test('is a promise like any other', async () => {
    const { api } = recording({}, 404, '{"code":"not_found","message":"no","status":404}');
    let ended = false;
    await expect(
      api.getPet({ petId: 1 }).finally(() => {
        ended = true;
      }),
    ).rejects.toThrow('no');
    expect(ended).toBe(true);
    expect(await api.getPet({ petId: 1 }).catch(() => 'caught')).toBe('caught');
    expect(await Promise.allSettled([api.getPet({ petId: 1 })])).toMatchObject([{ status: 'rejected' }]);
  });

  test('fails with a status that the operation does not declare', async () => {
    const outcome = await recording({}, 204, '').api.listPets().outcome();
    expect(outcome).toMatchObject({ ok: false, error: { name: 'UnexpectedResponseError', status: 204 } });
  });

  test('runs the callbacks in order', async () => {
    const calls: string[] = [];
    const { api } = recording(
      {
        on: {
          request: ({ method, url }, attempt) => calls.push(`request ${method} ${url} ${attempt}`),
          response: ({ status }) => calls.push(`response ${status}`),
          error: ({ name }) => calls.push(`error ${name}`),
        },
      },
      404,
      '{}',
    );
    await api.listPets().outcome();
    expect(calls).toEqual(['request GET http://pets.test/v1/pets 0', 'response 404', 'error NotFoundError']);
  });
});

describe('the types', () => {
  test('implement the whole Api', () => {
    const api: Api = petstore({ apiKey: 'k' });
    expect(Object.keys(api).sort()).toEqual(Object.keys(operations).sort());
    const call = () => petstore({ apiKey: 'k' }).listPets({ status: 'sold' }, { timeout: 1 } satisfies CallOptions);
    expectTypeOf(call).returns.resolves.toEqualTypeOf<Pet[]>();
  });

  test('make only lists iterable', () => {
    const api = () => petstore({ apiKey: 'k' });
    expectTypeOf(api().listPets).returns.toExtend<AsyncIterable<Pet>>();
    expectTypeOf(api().getPet).returns.not.toExtend<AsyncIterable<unknown>>();
    expectTypeOf(pages<'listPets'>).returns.toExtend<AsyncIterable<Pet>>();
  });

  test('list every error of a call', () => {
    const isTransient = ({ name }: CallError): boolean => {
      switch (name) {
        case 'UnauthorizedError':
        case 'NotFoundError':
        case 'InvalidRequestError':
        case 'UnexpectedResponseError':
        case 'AbortedError':
          return false;
        case 'RateLimitedError':
        case 'ServerError':
        case 'ConnectionError':
        case 'TimeoutError':
          return true;
        default:
          return name satisfies never;
      }
    };
    expect(isTransient({ name: 'ServerError' } as CallError)).toBe(true);
  });
});
