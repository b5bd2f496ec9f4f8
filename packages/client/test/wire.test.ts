import type { Pagination } from '@petstore/types';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inMultipart, wholeBytes } from '../src/bodies.ts';
import { inPath, inQuery, type Wire } from '../src/build-request.ts';
import { send } from '../src/call.ts';
import { authorizeBy, authorizeByOneOf, basic, bearer, keyInQuery } from '../src/credentials.ts';
import { type ConnectOptions, connect, type HttpRequest, pages } from '../src/index.ts';
import { deepQuery, delimitedQuery, formQuery, inCookies, matrixPath, simpleHeader } from '../src/parameters.ts';
import { byStatus, parseBytes, parseExactJson, parseJson, parseNothing } from '../src/parse-response.ts';

/** Calls an operation that the spec does not have. Each request gets the next response, all further ones the last. */
function calling(wire: Partial<Wire>, responses: readonly Response[], options: Partial<ConnectOptions> = {}) {
  const sent: HttpRequest[] = [];
  const transport = async (request: HttpRequest) => {
    sent.push(request);
    return (responses[sent.length - 1] ?? responses.at(-1) ?? json(null)).clone();
  };
  const connection = connect({ baseUrl: 'http://x.test/v1', transport, ...options });
  const whole: Wire = { id: 'listPets', method: 'GET', path: '/things', encoders: [inQuery], ...wire };
  const call = (input: object = {}, callOptions = {}) => send(connection, whole, input, callOptions);
  return { sent, call };
}

const json = (value: unknown, init: ResponseInit = {}) => Response.json(value, init);

async function elementsOf(call: ReturnType<ReturnType<typeof calling>['call']>, rule: Pagination): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const element of pages(call, rule)) all.push(element);
  return all;
}

describe('pages', () => {
  test('follow the cursor in the body, with the inputs of the call', async () => {
    const rule: Pagination = { by: 'body', cursor: 'after', next: 'nextCursor', items: 'things' };
    const { sent, call } = calling({}, [
      json({ things: [1, 2], nextCursor: 'a b' }),
      json({ things: [3], nextCursor: null }),
    ]);
    expect(await elementsOf(call({ size: 2 }), rule)).toEqual([1, 2, 3]);
    expect(sent.map(({ url }) => url)).toEqual([
      'http://x.test/v1/things?size=2',
      'http://x.test/v1/things?size=2&after=a%20b',
    ]);
  });

  test('follow the last element to an empty page, or until the body has no more', async () => {
    const untilEmpty = calling({}, [json([{ id: 7 }]), json([])]);
    expect(await elementsOf(untilEmpty.call(), { by: 'last', cursor: 'after', key: 'id' })).toEqual([{ id: 7 }]);
    expect(untilEmpty.sent[1]?.url).toBe('http://x.test/v1/things?after=7');

    const rule: Pagination = { by: 'last', cursor: 'after', key: 'id', more: 'hasMore', items: 'data' };
    const untilNoMore = calling({}, [
      json({ data: [{ id: 1 }], hasMore: true }),
      json({ data: [{ id: 2 }], hasMore: false }),
    ]);
    expect(await elementsOf(untilNoMore.call(), rule)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(untilNoMore.sent.length).toBe(2);
  });

  test.each([null, 5, {}])('that end with an element without a cursor (%j) end with an error', async (element) => {
    const { sent, call } = calling({}, [json([{ id: 1 }, element])]);
    const all: unknown[] = [];
    const reading = async () => {
      for await (const one of pages(call(), { by: 'last', cursor: 'after', key: 'id' })) all.push(one);
    };
    await expect(reading()).rejects.toMatchObject({
      name: 'UnexpectedResponseError',
      message: expect.stringMatching(/^no cursor of the next page: /),
    });
    expect([all.length, sent.length]).toEqual([2, 1]);
  });

  test.each([null, 'things', 7])('with the cursor in the body fail if the body is %j', async (body) => {
    const rule: Pagination = { by: 'body', cursor: 'after', next: 'nextCursor', items: 'things' };
    const { call } = calling({}, [json(body)]);
    await expect(elementsOf(call(), rule)).rejects.toMatchObject({ name: 'UnexpectedResponseError', body });
  });

  test('follow the Link header to elements in a property of the body, without a second key in the query', async () => {
    const link = '<?page=2&key=k>; rel="next"';
    const wire = { authorize: authorizeBy(['query', keyInQuery('key')]) };
    const credentials = { query: 'k' } as never;
    const { sent, call } = calling(wire, [json({ things: [1] }, { headers: { link } }), json({ things: [2] })], {
      credentials,
    });
    expect(await elementsOf(call(), { by: 'link', items: 'things' })).toEqual([1, 2]);
    expect(sent.map(({ url }) => url)).toEqual([
      'http://x.test/v1/things?key=k',
      'http://x.test/v1/things?page=2&key=k',
    ]);
  });
});

describe('credentials', () => {
  const authorize = authorizeByOneOf(
    [
      ['both', bearer],
      ['other', keyInQuery('key')],
    ],
    [['user', basic]],
  );

  test('are those of the first complete combination', async () => {
    const user = { username: 'ü', password: 'p:w' };
    const first = calling({ authorize }, [], { credentials: { both: 'b', user } as never });
    await first.call();
    expect(first.sent[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ü:p:w').toString('base64')}`);
    const both = calling({ authorize }, [], {
      credentials: { both: () => 'b', other: async () => 'o', user } as never,
    });
    await both.call();
    expect([both.sent[0]?.headers.authorization, both.sent[0]?.url]).toEqual([
      'Bearer b',
      'http://x.test/v1/things?key=o',
    ]);
  });

  test('reject a user name with a colon, because it would end there', async () => {
    const user = { username: 'a:b', password: 'c' };
    const { sent, call } = calling({ authorize }, [], { credentials: { user } as never });
    await expect(call()).rejects.toThrow('a user name cannot contain a colon');
    expect(sent).toEqual([]);
  });

  test('are required before anything is sent', async () => {
    const { sent, call } = calling({ authorize }, [], { credentials: { both: 'b' } as never });
    await expect(call()).rejects.toThrow('listPets: set credentials for both and other, or user');
    expect(sent).toEqual([]);
  });

  test('are not sent if none is needed, and then a header of the caller is unchanged', async () => {
    const { sent, call } = calling({}, [], { apiKey: 'k' });
    await call({}, { headers: { authorization: 'Other x' } });
    expect(sent[0]?.headers.authorization).toBe('Other x');
  });
});

describe('responses', () => {
  test('with bytes are a stream, which the caller can abort', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array([1])) });
    const stop = new AbortController();
    const { sent, call } = calling({ parse: parseBytes }, [new Response(body)]);
    const stream = (await call({}, { signal: stop.signal })) as unknown as ReadableStream<Uint8Array>;
    expect((await stream.getReader().read()).value).toEqual(new Uint8Array([1]));
    expect(sent[0]?.signal.aborted).toBe(false);
    stop.abort();
    expect(sent[0]?.signal.aborted).toBe(true);
  });

  test('of several successes have their status with the data', async () => {
    const parse = byStatus({ 200: parseJson, '2XX': parseNothing });
    const { call } = calling({ parse, ok: /2../ }, [json({ id: 1 }), new Response('later', { status: 202 })]);
    expect([await call(), await call()]).toEqual([
      { status: 200, data: { id: 1 } },
      { status: 202, data: undefined },
    ]);
  });

  test('contain exact integers beyond 2^53, or are rejected where the runtime rounds them', async () => {
    const text =
      '{"a":9223372036854775807,"b":-9223372036854775808,"c":1,"d":"9223372036854775807","e":0.1234567890123456}';
    const response = new Response(text, { headers: { 'content-type': 'application/json' } });
    const { call } = calling({ parse: parseExactJson }, [response]);
    // JSON.parse passes the source text of numbers since the version that has JSON.rawJSON.
    if (!('rawJSON' in JSON)) return void (await expect(call()).rejects.toThrow('inexact number'));
    expect(await call()).toEqual({
      a: 2n ** 63n - 1n,
      b: -(2n ** 63n),
      c: 1,
      d: '9223372036854775807',
      e: 0.1234567890123456,
    });
    await expect(calling({}, [response]).call()).rejects.toThrow('inexact number');
  });

  test.each(['""', '"1234567890123456"', '0.1234567890123456'])(
    'with an inexact number are rejected, whatever is beside it: %s',
    async (other) => {
      const called = (number: string) => {
        const response = new Response(`[${number},${other}]`);
        return Promise.all([parseJson, parseExactJson].map((parse) => calling({ parse }, [response.clone()]).call()));
      };
      for (const number of ['9007199254740993', '9007199254740992.0'])
        await expect(called(number)).rejects.toThrow('inexact number');
      // Node 20 does not tell how a number was written.
      const doubles = 'rawJSON' in JSON ? ['1e300', '-1E300', '9.461e15', '9.007199254740993e15'] : [];
      for (const number of [...doubles, '0.123456789012345678901']) {
        const data = [Number(number), JSON.parse(other)];
        expect(await called(number)).toEqual([data, data]);
      }
    },
  );
});

test('an error with an exact integer in its body can be written as JSON', async () => {
  const { call } = calling({ parse: parseExactJson }, [new Response('[9223372036854775807,9223372036854775807.5]')]);
  const error = await call().catch((reason: unknown) => reason);
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({ message: expect.stringContaining('inexact number') });
});

describe('parameters', () => {
  const form = [formQuery('ids', false), formQuery('exploded', true), deepQuery('deep'), delimitedQuery('piped', '|')];

  test('leave out null and undefined, also in lists and objects', async () => {
    const { sent, call } = calling(
      { encoders: [...form, inCookies('session'), simpleHeader('x-ids', false), inQuery] },
      [],
    );
    const list = ['a', null, undefined];
    const object = { b: 1, c: null, d: undefined };
    await call({ ids: list, exploded: object, deep: object, piped: list, plain: list, 'x-ids': list, session: null });
    expect(sent[0]?.url).toBe('http://x.test/v1/things?ids=a&b=1&deep%5Bb%5D=1&piped=a&plain=a');
    expect(sent[0]?.headers).toEqual({ accept: 'application/json', 'x-ids': 'a' });
    await call({ ids: [null], exploded: { c: null }, deep: { d: undefined } });
    expect(sent[1]?.url).toBe('http://x.test/v1/things');
  });

  test.each([
    [delimitedQuery('ids', ' '), ['a b']],
    [delimitedQuery('ids', '|'), { 'a|b': 1 }],
    [simpleHeader('ids', false), ['a,b']],
    [simpleHeader('ids', true), { a: 'b,c' }],
  ])('reject an element that would arrive as two', async (encoder, ids) => {
    const { sent, call } = calling({ encoders: [encoder] }, []);
    await expect(call({ ids })).rejects.toThrow('an element of ids contains the delimiter');
    expect(sent).toEqual([]);
  });
});

describe('bodies', () => {
  test('of bytes are not searched for inexact numbers', async () => {
    const { call } = calling({ method: 'PUT', encoders: [wholeBytes('image/png')] }, []);
    const body = new Uint8Array(1);
    const values = vi.spyOn(Object, 'values');
    onTestFinished(() => values.mockRestore());
    await call({ body });
    expect(values).not.toHaveBeenCalledWith(body);
  });

  test('of parts can be sent from a page without HTTPS', async () => {
    // Browsers have `crypto.randomUUID` only on pages with HTTPS.
    vi.stubGlobal('crypto', { getRandomValues: crypto.getRandomValues.bind(crypto) });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { sent, call } = calling({ method: 'POST', encoders: [inMultipart()] }, []);
    await call({ name: 'Rex' });
    expect(sent[0]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=petstore-[\d-]+$/);
  });

  test('that are streams are sent once, without retries', async () => {
    const failed = json({ code: 'unavailable', message: 'Later.', status: 503 }, { status: 503 });
    const { sent, call } = calling({ method: 'PUT', encoders: [wholeBytes('image/png')] }, [failed], {
      retry: { base: 1 },
    });
    await expect(call({ body: new Blob(['a']).stream() })).rejects.toThrow('Later.');
    expect(sent.map(({ duplex, headers }) => [duplex, headers['content-type']])).toEqual([['half', 'image/png']]);
    await expect(call({ body: new Blob(['a']) })).rejects.toThrow('Later.');
    expect(sent.length).toBe(1 + 3);
  });

  test('escape names in a form', async () => {
    const { sent, call } = calling({ method: 'POST', encoders: [inMultipart()] }, []);
    await call({ 'a"\r\nb': new File(['x'], 'c"\r\nd.txt', { type: 'text/plain' }) });
    expect(await new Response(sent[0]?.body).text()).toContain(
      'content-disposition: form-data; name="a%22%0D%0Ab"; filename="c%22%0D%0Ad.txt"\r\ncontent-type: text/plain\r\n\r\nx\r\n',
    );
  });
});

describe('paths', () => {
  test.each([true, false])('an empty text in the style matrix has no equals sign, exploded: %s', async (explode) => {
    const { sent, call } = calling({ path: '/things/{id}', encoders: [matrixPath('id', explode)] }, []);
    await call({ id: [''] });
    expect(sent[0]?.url).toBe('http://x.test/v1/things/;id');
  });

  test('a value in the path never leads to another path', async () => {
    const { sent, call } = calling({ path: '/things/{thing-id}', encoders: [inPath, inQuery] }, []);
    await call({ 'thing-id': '$&/../x' });
    expect(sent[0]?.url).toBe('http://x.test/v1/things/%24%26%2F..%2Fx');
    await expect(call({})).rejects.toThrow('cannot be a thing-id');
  });
});
