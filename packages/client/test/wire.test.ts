import { describe, expect, test } from 'vitest';
import { inMultipart, wholeBytes } from '../src/bodies.ts';
import {
  authorizeBy,
  authorizeByOneOf,
  basic,
  bearer,
  inPath,
  inQuery,
  keyInQuery,
  type Wire,
} from '../src/build-request.ts';
import { send } from '../src/call.ts';
import { type ConnectOptions, connect, type HttpRequest, pages } from '../src/index.ts';
import {
  bodyPages,
  byStatus,
  lastPages,
  linkPagesOf,
  type PageRule,
  parseBytes,
  parseExactJson,
  parseJson,
  parseNothing,
} from '../src/parse-response.ts';

/** Calls an operation that the spec does not have; each request is answered by the next response, the last one by all that follow. */
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

async function elementsOf(call: ReturnType<ReturnType<typeof calling>['call']>, rule: PageRule): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const element of pages(call, rule)) all.push(element);
  return all;
}

describe('pages', () => {
  test('follow the cursor in the body, with the inputs of the call', async () => {
    const rule = bodyPages({ cursor: 'after', next: 'nextCursor', items: 'things' });
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

  test('follow the last element until an empty page, or until the body says that there are no more', async () => {
    const untilEmpty = calling({}, [json([{ id: 7 }]), json([])]);
    expect(await elementsOf(untilEmpty.call(), lastPages({ cursor: 'after', key: 'id' }))).toEqual([{ id: 7 }]);
    expect(untilEmpty.sent[1]?.url).toBe('http://x.test/v1/things?after=7');

    const rule = lastPages({ cursor: 'after', key: 'id', more: 'hasMore', items: 'data' });
    const untilSaid = calling({}, [
      json({ data: [{ id: 1 }], hasMore: true }),
      json({ data: [{ id: 2 }], hasMore: false }),
    ]);
    expect(await elementsOf(untilSaid.call(), rule)).toEqual([{ id: 1 }, { id: 2 }]);
    expect(untilSaid.sent.length).toBe(2);
  });

  test('follow the Link header to elements in a property of the body, and the key in the query is not doubled', async () => {
    const link = '<?page=2&key=k>; rel="next"';
    const wire = { authorize: authorizeBy(['query', keyInQuery('key')]) };
    const credentials = { query: 'k' } as never;
    const { sent, call } = calling(wire, [json({ things: [1] }, { headers: { link } }), json({ things: [2] })], {
      credentials,
    });
    expect(await elementsOf(call(), linkPagesOf('things'))).toEqual([1, 2]);
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

  test('are those of the first combination of which all are given', async () => {
    const user = { username: 'ü', password: 'p:w' };
    const half = calling({ authorize }, [], { credentials: { both: 'b', user } as never });
    await half.call();
    expect(half.sent[0]?.headers.authorization).toBe(`Basic ${Buffer.from('ü:p:w').toString('base64')}`);
    const whole = calling({ authorize }, [], {
      credentials: { both: () => 'b', other: async () => 'o', user } as never,
    });
    await whole.call();
    expect([whole.sent[0]?.headers.authorization, whole.sent[0]?.url]).toEqual([
      'Bearer b',
      'http://x.test/v1/things?key=o',
    ]);
  });

  test('that are missing are named before anything is sent', async () => {
    const { sent, call } = calling({ authorize }, [], { credentials: { both: 'b' } as never });
    await expect(call()).rejects.toThrow('listPets: give credentials for both and other, or user');
    expect(sent).toEqual([]);
  });

  test('are not sent where none is needed, and a header of the caller is left as it is', async () => {
    const { sent, call } = calling({}, [], { apiKey: 'k' });
    await call({}, { headers: { authorization: 'Other x' } });
    expect(sent[0]?.headers.authorization).toBe('Other x');
  });
});

describe('answers', () => {
  test('bytes come as a stream, which the caller can still abort', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array([1])) });
    const stop = new AbortController();
    const { sent, call } = calling({ parse: parseBytes }, [new Response(body)]);
    const stream = (await call({}, { signal: stop.signal })) as unknown as ReadableStream<Uint8Array>;
    expect((await stream.getReader().read()).value).toEqual(new Uint8Array([1]));
    expect(sent[0]?.signal.aborted).toBe(false);
    stop.abort();
    expect(sent[0]?.signal.aborted).toBe(true);
  });

  test('of several successes have their status beside them', async () => {
    const parse = byStatus({ 200: parseJson, '2XX': parseNothing });
    const { call } = calling({ parse, ok: /2../ }, [json({ id: 1 }), new Response('later', { status: 202 })]);
    expect([await call(), await call()]).toEqual([
      { status: 200, data: { id: 1 } },
      { status: 202, data: undefined },
    ]);
  });

  test('keep integers that a number does not hold', async () => {
    const text =
      '{"a":9223372036854775807,"b":-9223372036854775808,"c":1,"d":"9223372036854775807","e":0.1234567890123456}';
    const answer = new Response(text, { headers: { 'content-type': 'application/json' } });
    const { call } = calling({ parse: parseExactJson }, [answer]);
    expect(await call()).toEqual({
      a: 2n ** 63n - 1n,
      b: -(2n ** 63n),
      c: 1,
      d: '9223372036854775807',
      e: 0.1234567890123456,
    });
    await expect(calling({}, [answer]).call()).rejects.toThrow('inexact number');
  });
});

describe('bodies', () => {
  test('a stream is sent once, and not again when it fails', async () => {
    const failed = json({ code: 'unavailable', message: 'Later.', status: 503 }, { status: 503 });
    const { sent, call } = calling({ method: 'PUT', encoders: [wholeBytes('image/png')] }, [failed], {
      retry: { base: 1 },
    });
    await expect(call({ body: new Blob(['a']).stream() })).rejects.toThrow('Later.');
    expect(sent.map(({ duplex, headers }) => [duplex, headers['content-type']])).toEqual([['half', 'image/png']]);
    await expect(call({ body: new Blob(['a']) })).rejects.toThrow('Later.');
    expect(sent.length).toBe(1 + 3);
  });

  test('a name cannot break out of its part of a form', async () => {
    const { sent, call } = calling({ method: 'POST', encoders: [inMultipart()] }, []);
    await call({ 'a"\r\nb': new File(['x'], 'c"\r\nd.txt', { type: 'text/plain' }) });
    expect(await new Response(sent[0]?.body).text()).toContain(
      'content-disposition: form-data; name="a%22%0D%0Ab"; filename="c%22%0D%0Ad.txt"\r\ncontent-type: text/plain\r\n\r\nx\r\n',
    );
  });

  test('a value in a path never leads to another one', async () => {
    const { sent, call } = calling({ path: '/things/{thing-id}', encoders: [inPath, inQuery] }, []);
    await call({ 'thing-id': '$&/../x' });
    expect(sent[0]?.url).toBe('http://x.test/v1/things/%24%26%2F..%2Fx');
    await expect(call({})).rejects.toThrow('cannot be a thing-id');
  });
});
