// A failure of the network is retried. A mistake in a `fetch` of the caller comes out as it is.
import { afterEach, describe, expect, test, vi } from 'vitest';
import { petstore } from '../src/index.ts';
import { rex } from './stub-server.ts';

afterEach(() => {
  vi.unstubAllGlobals();
});

/** A client whose first attempt fails with an error, and the number of its attempts. */
function failingOnce(error: unknown) {
  const attempts: unknown[] = [];
  const fetch = async () => {
    attempts.push(error);
    if (attempts.length === 1) throw error;
    return Response.json([rex]);
  };
  const retry = { base: 0 };
  const store = petstore({ baseUrl: 'http://pets.test/v1', apiKey: 'k', fetch, retry });
  return { store, attempts };
}

const withoutStack = (message: string) => Object.assign(new TypeError(message), { stack: '' });

const failures: [string, unknown][] = [
  ['Node, connecting', new TypeError('fetch failed', { cause: systemError('ECONNREFUSED') })],
  ['Chrome', new TypeError('Failed to fetch')],
  ['Firefox', new TypeError('NetworkError when attempting to fetch resource.')],
  ['Safari', new TypeError('Load failed')],
  ['Safari, with the host', new TypeError('Load failed (pets.test)')],
  ['Safari, offline', new TypeError('The Internet connection appears to be offline.')],
  ['Safari, in German', withoutStack('Die Netzwerkverbindung wurde unterbrochen.')],
  ['Deno', new TypeError('error sending request for url (http://pets.test/v1/pets)')],
  ['Bun', Object.assign(new Error('Unable to connect.'), { code: 'ConnectionRefused' })],
  ['Cloudflare', new Error('Network connection lost.')],
  ['node-fetch', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })],
  ['a fetch with a time of its own', new DOMException('It took too long.', 'TimeoutError')],
];

test.each(failures)('a failure in the words of %s is retried', async (_, error) => {
  const { store, attempts } = failingOnce(error);
  expect(await store.listPets()).toEqual([rex]);
  expect(attempts.length).toBe(2);
  const outcome = await failingOnce(error).store.listPets({}, { retry: 0 }).outcome();
  expect(outcome).toMatchObject({
    ok: false,
    error: {
      name: 'ConnectionError',
      cause: error,
      message: expect.stringContaining('; check baseUrl or PETSTORE_BASE_URL'),
    },
  });
});

test('the line break behind a reason of OpenSSL is not in the message', async () => {
  const cause = new Error('SSL routines:wrong version number:tlsany_meth.c:77:\n');
  const { store } = failingOnce(new TypeError('fetch failed', { cause }));
  await expect(store.listPets({}, { retry: 0 })).rejects.toThrow(
    'connection to http://pets.test/v1 failed (SSL routines:wrong version number:tlsany_meth.c:77:); check baseUrl',
  );
});

test.each([
  ['Node', new TypeError('terminated', { cause: systemError('UND_ERR_SOCKET') })],
  ['Chrome', new TypeError('network error')],
  ['Firefox', new TypeError('Error in input stream')],
  ['Safari', withoutStack('Die Netzwerkverbindung wurde unterbrochen.')],
])('a failure in the body, in the words of %s, is retried', async (_, error) => {
  let attempts = 0;
  const fetch = async () => {
    attempts++;
    const broken = new ReadableStream({ start: (controller) => controller.error(error) });
    return attempts === 1 ? new Response(broken) : Response.json([rex]);
  };
  const retry = { base: 0 };
  const store = petstore({ baseUrl: 'http://pets.test/v1', apiKey: 'k', fetch, retry });
  expect(await store.listPets()).toEqual([rex]);
  expect(attempts).toBe(2);
});

const mistakes: [string, unknown][] = [
  ['a wrong name', new ReferenceError('fetsh is not defined')],
  ['a missing method', new TypeError('response.body.getRader is not a function')],
  ['a missing object', new TypeError("Cannot read properties of undefined (reading 'get')")],
  ['an invalid address', wrongUrl()],
  ['an assertion', Object.assign(new Error('1 == 2'), { code: 'ERR_ASSERTION' })],
  ['an error of its own', new Error('no request is expected')],
  ['a string', 'no request is expected'],
];

test.each(mistakes)('%s in a fetch comes out as it is, at once', async (_, error) => {
  const { store, attempts } = failingOnce(error);
  expect(await store.listPets().catch((reason: unknown) => reason)).toBe(error);
  expect(attempts.length).toBe(1);
});

describe('the global fetch', () => {
  test('gets valid requests only, so that each of its TypeErrors is a failure of the network', async () => {
    let attempts = 0;
    vi.stubGlobal('fetch', async () => {
      attempts++;
      throw new TypeError('the words of an engine to come');
    });
    const store = petstore({ baseUrl: 'http://pets.test/v1', apiKey: 'k', retry: { base: 0 } });
    await expect(store.listPets()).rejects.toMatchObject({ name: 'ConnectionError', attempts: 3 });
    expect(attempts).toBe(3);
  });
});

test('a fetch that has read the body itself comes out as a mistake', async () => {
  let attempts = 0;
  const fetch = async () => {
    attempts++;
    const response = Response.json([rex]);
    await response.text();
    return response;
  };
  const store = petstore({ baseUrl: 'http://pets.test/v1', apiKey: 'k', fetch });
  await expect(store.listPets()).rejects.toThrow(TypeError);
  expect(attempts).toBe(1);
});

function systemError(code: string): Error {
  return Object.assign(new Error(`connect ${code}`), { code });
}

function wrongUrl(): unknown {
  try {
    return new Request('http://[');
  } catch (error) {
    return error;
  }
}
