import { type Api, operations, service } from '@petstore/types';
import { afterEach, describe, expect, expectTypeOf, test, vi } from 'vitest';
import {
  type CallError,
  type CallOptions,
  connect,
  createPet,
  getPet,
  type HttpRequest,
  listPets,
  type Options,
  type Pet,
  pages,
  petstore,
  type Transport,
  withEnvironment,
} from '../src/index.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

/** A connection that records its requests and responds to all of them with the same. */
function recording(status: number, body: string, options: Options = {}) {
  const sent: HttpRequest[] = [];
  const transport: Transport = async (request) => {
    sent.push(request);
    return new Response(status === 204 ? null : body, { status, headers: { 'content-type': 'application/json' } });
  };
  const all = { apiKey: 'k', baseUrl: 'http://pets.test/v1/', transport, ...options };
  return { sent, connection: connect(all), api: petstore(all) };
}

describe('on the wire', () => {
  test('each input is where the spec says', async () => {
    const { sent, connection } = recording(200, '[]');
    await listPets(connection, { limit: 5, status: 'sold' });
    await getPet(connection, { petId: 7 });
    await createPet(connection, { name: 'Rex & Tom', categoryId: 1 }).catch(() => {});
    expect(sent.map(({ method, url, body }) => [method, url, body])).toEqual([
      ['GET', 'http://pets.test/v1/pets?limit=5&status=sold', undefined],
      ['GET', 'http://pets.test/v1/pets/7', undefined],
      ['POST', 'http://pets.test/v1/pets', '{"name":"Rex & Tom","categoryId":1}'],
    ]);
  });

  test('what is left out is not sent, and what nobody knows is not dropped', async () => {
    const { sent, api } = recording(200, '[]');
    await api.listPets({ status: undefined, colour: 'red&' } as never);
    await api.createPet({ name: 'x', categoryId: 1, __proto__: 1, colour: 'red' } as never).outcome();
    expect(sent[0]?.url).toBe('http://pets.test/v1/pets?colour=red%26');
    expect(sent[1]?.body).toBe('{"name":"x","categoryId":1,"colour":"red"}');
  });

  test.each(['..', '.', '', '../pets', undefined])('a path field %j never leads to another path', async (petId) => {
    const { sent, api } = recording(200, '{}');
    const call = api.getPet({ petId } as never);
    if (petId === '../pets') {
      await call;
      expect(sent[0]?.url).toBe('http://pets.test/v1/pets/..%2Fpets');
    } else {
      await expect(call).rejects.toThrow(TypeError);
      expect(sent).toEqual([]);
    }
  });

  test.each([2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY])(
    '%d is refused, not rounded',
    async (categoryId) => {
      const { sent, api } = recording(201, '{}');
      await expect(api.createPet({ name: 'x', categoryId })).rejects.toThrow(RangeError);
      expect(sent).toEqual([]);
    },
  );

  test('the key goes as a bearer token, and no header takes its place', async () => {
    const { sent, api } = recording(200, '[]', { headers: { 'x-team': 'a', authorization: 'Basic x' } });
    await api.listPets({}, { headers: { 'x-call': 'b' } });
    expect(sent[0]?.headers).toMatchObject({
      authorization: 'Bearer k',
      'x-team': 'a',
      'x-call': 'b',
      accept: 'application/json',
    });
    expect(sent[0]?.headers['user-agent']).toBe(`petstore-client/${service.version}`);
  });

  test('the key may be fetched anew for each request', async () => {
    let n = 0;
    const { sent, api } = recording(200, '[]', { apiKey: async () => `key-${++n}` });
    await api.listPets();
    await api.listPets();
    expect(sent.map(({ headers }) => headers.authorization)).toEqual(['Bearer key-1', 'Bearer key-2']);
  });
});

describe('where to', () => {
  test.each(Object.entries(service.deployments))('%s is the deployment of the spec', (deployment, baseUrl) => {
    expect(withEnvironment({ deployment: deployment as keyof typeof service.deployments }).baseUrl).toBe(baseUrl);
  });

  test('the environment says what is not given', async () => {
    vi.stubEnv('PETSTORE_BASE_URL', 'http://from.env/v1');
    vi.stubEnv('PETSTORE_API_KEY', 'env-key');
    expect(connect(withEnvironment({})).baseUrl).toBe('http://from.env/v1');
    const { sent, api } = recording(200, '[]', { apiKey: undefined } as never);
    await api.listPets();
    expect(sent[0]?.headers.authorization).toBe('Bearer env-key');
    expect(connect(withEnvironment({ baseUrl: 'http://given/v1' })).baseUrl).toBe('http://given/v1');
    expect(connect(withEnvironment({ deployment: 'staging' })).baseUrl).toBe(service.deployments.staging);
  });

  test.each([
    { apiKey: 'k', deployment: 'nowhere' },
    { apiKey: 'k', baseUrl: 'pets.test/v1' },
    { apiKey: 'k', baseUrl: 'http://x/v1', deployment: 'staging' },
  ])('%j is refused before anything is sent', (options) => {
    vi.stubEnv('PETSTORE_API_KEY', '');
    expect(() => petstore(options as Options)).toThrow(TypeError);
  });

  test.each([{ apiKey: undefined }, { apiKey: '' }])(
    'without a key (%j) a call says so and sends nothing',
    async (options) => {
      vi.stubEnv('PETSTORE_API_KEY', '');
      const { sent, api } = recording(200, '[]', options as Options);
      await expect(api.listPets()).rejects.toThrow('listPets: give apiKey or credentials.bearer');
      expect(sent).toEqual([]);
    },
  );

  test('two clients share nothing', async () => {
    const [one, two] = [
      recording(200, '[]'),
      recording(200, '[]', { apiKey: 'other', baseUrl: 'http://other.test/v1' }),
    ];
    await one.api.listPets();
    await two.api.listPets();
    expect([one.sent.length, two.sent.length]).toEqual([1, 1]);
    expect(two.sent[0]).toMatchObject({ url: 'http://other.test/v1/pets', headers: { authorization: 'Bearer other' } });
  });
});

describe('a call', () => {
  test('gives the answer beside the data', async () => {
    const { api } = recording(200, '[]');
    const { data, response } = await api.listPets().withResponse();
    expect([data, response.status]).toEqual([[], 200]);
  });

  test('gives its outcome as a value', async () => {
    const missing = recording(404, '{"code":"not_found","message":"no","status":404}');
    const outcome = await missing.api.getPet({ petId: 1 }).outcome();
    expect(outcome).toMatchObject({ ok: false, error: { name: 'NotFoundError', code: 'not_found' } });
    expect(await recording(200, '[]').api.listPets().outcome()).toMatchObject({ ok: true, data: [] });
  });

  test('is a promise like any other', async () => {
    const { api } = recording(404, '{"code":"not_found","message":"no","status":404}');
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
    const outcome = await recording(204, '').api.listPets().outcome();
    expect(outcome).toMatchObject({ ok: false, error: { name: 'UnexpectedResponseError', status: 204 } });
  });

  test('can be watched', async () => {
    const seen: string[] = [];
    const { api } = recording(404, '{}', {
      on: {
        request: ({ method, url }, attempt) => seen.push(`request ${method} ${url} ${attempt}`),
        response: ({ status }) => seen.push(`response ${status}`),
        error: ({ name }) => seen.push(`error ${name}`),
      },
    });
    await api.listPets().outcome();
    expect(seen).toEqual(['request GET http://pets.test/v1/pets 0', 'response 404', 'error NotFoundError']);
  });
});

describe('the types', () => {
  test('offer the whole Api, operation by operation', () => {
    const api: Api = petstore({ apiKey: 'k' });
    expect(Object.keys(api).sort()).toEqual(Object.keys(operations).sort());
    const call = () => petstore({ apiKey: 'k' }).listPets({ status: 'sold' }, { timeout: 1 } satisfies CallOptions);
    expectTypeOf(call).returns.resolves.toEqualTypeOf<Pet[]>();
  });

  test('let only listed resources be iterated', () => {
    const api = () => petstore({ apiKey: 'k' });
    expectTypeOf(api().listPets).returns.toExtend<AsyncIterable<Pet>>();
    expectTypeOf(api().getPet).returns.not.toExtend<AsyncIterable<unknown>>();
    expectTypeOf(pages<'listPets'>).returns.toExtend<AsyncIterable<Pet>>();
  });

  test('are exhaustive about how a call fails', () => {
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
