// `petstore(options)` is the one way. Messages say what to do. Credentials are in no message.
import { deployments } from '@petstore/types';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Deployment, type Options, petstore } from '../src/index.ts';
import { newPet, pets, respond, rex, stubbed, stubServer } from './stub-server.ts';

beforeEach(() => {
  vi.stubEnv('PETSTORE_API_KEY', undefined);
  vi.stubEnv('PETSTORE_BASE_URL', undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** The address and the key of a client's requests. */
async function sentBy(options: Options) {
  const sent: unknown[] = [];
  const record = async (url: string | URL | Request, init?: RequestInit) => {
    sent.push(url, new Headers(init?.headers).get('authorization'));
    return Response.json([]);
  };
  await petstore({ fetch: record, ...options }).listPets();
  return sent;
}

describe('the address', () => {
  test.each(Object.entries(deployments))(
    'can be selected by the name of the deployment %s',
    async (deployment, url) => {
      const [sent] = await sentBy({ deployment: deployment as Deployment, apiKey: 'k' });
      expect(sent).toBe(`${url}/pets`);
    },
  );

  test('comes from the environment if no option sets it, and so does the key', async () => {
    expect(await sentBy({ apiKey: 'k' })).toEqual([
      `${Object.values(deployments)[0]}/pets`,
      'Bearer k',
    ]);
    vi.stubEnv('PETSTORE_BASE_URL', 'http://from.env/v1');
    vi.stubEnv('PETSTORE_API_KEY', 'of-env');
    expect(await sentBy({})).toEqual(['http://from.env/v1/pets', 'Bearer of-env']);
    const given = await sentBy({ baseUrl: 'http://given.test/v1', apiKey: 'given' });
    expect(given).toEqual(['http://given.test/v1/pets', 'Bearer given']);
    expect(await sentBy({ deployment: 'staging', apiKey: 'k' })).toEqual([
      `${deployments.staging}/pets`,
      'Bearer k',
    ]);
  });

  test('is refused by the name of its variable if it is wrong', () => {
    vi.stubEnv('PETSTORE_BASE_URL', 'pets.test/secret');
    expect(() => petstore()).toThrow('PETSTORE_BASE_URL must be like https://host/v1');
    expect(() => petstore()).not.toThrow(/secret/);
  });

  test.each([
    'http://user:secret@pets.test/v1',
    'http://secret@pets.test/v1',
    'http://user:secret@[/v1',
    'http://pets.test/v1?key=secret',
    'http://pets.test/v1#secret',
    'ftp://pets.test/secret',
    '/secret',
  ])('%s is refused, and the message does not contain it', (baseUrl) => {
    expect(() => petstore({ baseUrl })).toThrow(TypeError);
    expect(() => petstore({ baseUrl })).not.toThrow(/secret/);
  });

  test.each([
    ['http://pets.test/v1//', 'http://pets.test/v1/pets'],
    ['http://pets.test/a store/v1', 'http://pets.test/a%20store/v1/pets'],
    ['HTTP://Pets.test:80', 'http://pets.test/pets'],
  ])('%s is normalized', async (baseUrl, url) => {
    expect((await sentBy({ baseUrl, apiKey: 'k' }))[0]).toBe(url);
  });

  test('may be relative in a browser', async () => {
    vi.stubGlobal('location', { href: 'https://shop.test/pets/index.html?x' });
    expect((await sentBy({ baseUrl: '/v1', apiKey: 'k' }))[0]).toBe('https://shop.test/v1/pets');
  });

  test.each([{ deployment: 'nowhere' }, { deployment: 'staging', baseUrl: 'http://pets.test/v1' }])(
    'of %j is refused',
    (options) => {
      const all = Object.keys(deployments).join(' or ');
      expect(() => petstore(options as Options)).toThrow(
        `deployment must be ${all}, without baseUrl`,
      );
    },
  );
});

describe('the API key', () => {
  test.each([{}, { apiKey: '' }])(
    'is required: the error of petstore(%o) says what to set',
    (options) => {
      const message = 'no API key: pass apiKey, or set PETSTORE_API_KEY';
      expect(() => petstore(options)).toThrow(new TypeError(message));
    },
  );

  test('is required from a function, too, at each call', async () => {
    const { store, requests } = await stubbed([], { apiKey: async () => '' });
    await expect(store.listPets()).rejects.toThrow(
      'no API key: pass apiKey, or set PETSTORE_API_KEY',
    );
    expect(requests).toEqual([]);
  });

  test('can differ for a single call', async () => {
    const { store, requests } = await stubbed();
    await store.listPets({}, { apiKey: 'of-the-call' });
    await store.listPets();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer of-the-call',
      'Bearer k',
    ]);
  });

  test('can differ for each attempt, because a function is called again', async () => {
    let n = 0;
    const { store, requests } = await stubbed([respond(503, ''), pets], {
      apiKey: async () => `key-${++n}`,
    });
    await store.listPets();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer key-1',
      'Bearer key-2',
    ]);
  });

  test('comes from a function whose error ends the call', async () => {
    const failing = async () => {
      throw new Error('the vault is closed');
    };
    const { store, requests } = await stubbed([], { apiKey: failing });
    await expect(store.listPets().outcome()).rejects.toThrow('the vault is closed');
    expect(requests).toEqual([]);
  });

  test.each(['se\ncret', 'secret☃'])(
    '%j cannot be sent, and is not in the message',
    async (apiKey) => {
      const message = 'header authorization has an invalid character';
      expect(() => petstore({ apiKey })).toThrow(new TypeError(message));
      const { store, requests } = await stubbed([], { apiKey: () => apiKey });
      await expect(store.listPets()).rejects.toThrow(new TypeError(message));
      expect(requests).toEqual([]);
    },
  );
});

describe('headers', () => {
  test('replace those of the same name in any case, but not those that the client sets itself', async () => {
    const { store, requests } = await stubbed([respond(201, rex)], {
      headers: { 'User-Agent': 'mine', Authorization: 'Basic x', Accept: 'a/b' },
    });
    await store.createPet(newPet, {
      headers: { 'CONTENT-TYPE': 'text/plain', 'user-AGENT': 'ours' },
    });
    expect(requests[0]?.headers).toMatchObject({
      accept: 'a/b',
      authorization: 'Bearer k',
      'content-type': 'application/json',
      'user-agent': 'ours',
    });
  });

  test.each([{ 'x-team': 'secret\r\nx: y' }, { 'x team': 'secret' }])(
    '%j are refused by name',
    (headers) => {
      const message = `header ${Object.keys(headers)} has an invalid character`;
      expect(() => petstore({ apiKey: 'k', headers })).toThrow(new TypeError(message));
    },
  );

  test.each([new Headers({ 'X-Team': 'a' }), [['X-Team', 'a'] as const]])(
    'may be given as %o',
    async (headers) => {
      const { store, requests } = await stubbed([], { headers });
      await store.listPets();
      expect(requests[0]?.headers['x-team']).toBe('a');
    },
  );
});

describe('withOptions', () => {
  test('returns a changed client, and leaves the first one unchanged', async () => {
    const { store, requests } = await stubbed([], { headers: { 'x-team': 'a', 'X-Job': 'a' } });
    await store.withOptions({ apiKey: 'other', headers: { 'x-job': 'b' } }).listPets();
    await store.withOptions({ apiKey: undefined, timeout: undefined }).listPets();
    expect(
      requests.map(({ headers }) => [headers.authorization, headers['x-team'], headers['x-job']]),
    ).toEqual([
      ['Bearer other', 'a', 'b'],
      ['Bearer k', 'a', 'a'],
    ]);
  });

  test('does not read the environment again', async () => {
    const { baseUrl, requests } = await stubServer(pets);
    vi.stubEnv('PETSTORE_BASE_URL', baseUrl);
    vi.stubEnv('PETSTORE_API_KEY', 'first');
    const store = petstore();
    vi.stubEnv('PETSTORE_BASE_URL', 'http://127.0.0.1:1/v1');
    vi.stubEnv('PETSTORE_API_KEY', 'second');
    await store.withOptions({ timeout: 10_000 }).listPets();
    expect(requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer first']);
  });

  test('changes the address by a deployment, too', async () => {
    const urls: unknown[] = [];
    const fetch = async (url: unknown) => Response.json(urls.push(url) && []);
    await petstore({ baseUrl: 'http://one.test/v1', apiKey: 'k', fetch })
      .withOptions({ deployment: 'staging' })
      .listPets();
    expect(urls).toEqual([`${deployments.staging}/pets`]);
  });
});

describe('an option that has to be a number of 0 or more is refused by name', () => {
  const wrong = [-1, Number.NaN, '5', null].flatMap((value) => [
    ['timeout', { timeout: value }],
    ['retry', { retry: value }],
    ['retry.base', { retry: { base: value } }],
    ['retry.cap', { retry: { cap: value } }],
  ]) as [string, Options][];

  test.each(wrong)('%s in %j', async (name, options) => {
    expect(() => petstore({ apiKey: 'k', ...options })).toThrow(
      new RangeError(`option ${name} must be a number >= 0`),
    );
    const { store, requests } = await stubbed();
    await expect(store.listPets({}, options)).rejects.toThrow(
      `option ${name} must be a number >= 0`,
    );
    expect(requests).toEqual([]);
  });
});

describe('an option that does not exist is refused by name', () => {
  const misspelt = ['baseURL', 'timout', 'fetsh'];

  test.each([...misspelt, 'signal', 'idempotencyKey'])('%s of a client', (name) => {
    const error = new TypeError(`unknown option ${name}`);
    expect(() => petstore({ apiKey: 'k', [name]: 'x' })).toThrow(error);
    expect(() => petstore({ apiKey: 'k' }).withOptions({ [name]: 'x' })).toThrow(error);
  });

  test.each([...misspelt, 'Signal'])('%s of a call', async (name) => {
    const { store, requests } = await stubbed();
    const error = new TypeError(`unknown option ${name}`);
    await expect(store.listPets({}, { [name]: 'x' })).rejects.toThrow(error);
    expect(requests).toEqual([]);
  });
});

test('the global fetch is looked up at each call, so that tests can replace it', async () => {
  const store = petstore({ apiKey: 'k' });
  vi.stubGlobal('fetch', async () => Response.json([rex]));
  expect(await store.listPets()).toEqual([rex]);
});

test('a fetch of the caller can add options that only fetch has', async () => {
  const inits: (RequestInit | undefined)[] = [];
  vi.stubGlobal('fetch', async (_url: unknown, init?: RequestInit) => {
    inits.push(init);
    return Response.json([rex]);
  });
  const store = petstore({ apiKey: 'k' });
  await store.listPets({}, { fetch: (url, init) => fetch(url, { ...init, cache: 'no-store' }) });
  await store.listPets();
  expect(inits.map((init) => init?.cache)).toEqual(['no-store', undefined]);
});

test('a call takes every option of a client', async () => {
  const other = await stubServer(pets);
  const { store, requests } = await stubbed();
  const methods: string[] = [];
  await store.listPets(
    {},
    {
      baseUrl: other.baseUrl,
      on: { request: ({ method }) => methods.push(method) },
      headers: { 'x-team': 'a' },
    },
  );
  expect(requests).toEqual([]);
  expect(methods).toEqual(['GET']);
  expect(other.requests).toMatchObject([{ headers: { 'x-team': 'a' } }]);
});
