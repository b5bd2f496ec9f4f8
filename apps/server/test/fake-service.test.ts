import { fakeService } from '@petstore/client/testing';
import { expect, test } from 'vitest';
import { listen } from './listen.ts';

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly body?: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

const rex = '{"name":"Rex","categoryId":2}';
const json = { 'content-type': 'application/json' };

const post = (body: Sent['body'], headers: Sent['headers'] = {}): Sent => ({
  method: 'POST',
  path: '/pets',
  headers: { ...json, ...headers },
  ...(body !== undefined && { body }),
});

const bodies = [
  rex,
  '{"categoryId":9223372036854775807,"name":""}',
  '{"name":"a","categoryId":9223372036854775808}',
  '{"name":"\\ud800","categoryId":1}',
  '{"name":"a","categoryId":1.0}',
  '{"name":"a","categoryId":1.5}',
  '{"name":"a","categoryId":1e400}',
  '{"name":"a","categoryId":1.00000000000000000001}',
  '{"name":"a","categoryId":"1"}',
  '{"name":"a","n\\u0061me":"b","categoryId":1}',
  '{"name":"a","categoryId":1,"id":5}',
  '{"name":"a","categoryId":1,"__proto__":5}',
  '{"name":"a","categoryId":1,"status":null}',
  '{"name":"a"}',
  '[]',
  '',
  '{',
  `\ufeff${rex}`,
  new Uint8Array([0x22, 0xff, 0x22]),
  ' '.repeat(2 ** 20) + rex,
];
const types = [
  'application/json;charset=UTF-8',
  'application/json; charset=utf-16',
  'application/vnd.a+json',
  'text/plain',
];
const otherRequest = '{"name":"Tom","categoryId":2}';
const keys: [key: string, body: string][] = [
  ['k', rex],
  ['"k"', rex],
  ['k', '{"categoryId":2.0,"name":"Rex"}'],
  ['k', otherRequest],
  ...['K', 'a,b', 'a b', '"a b"', '"a', '"a\\"b"', 'a"b', '"a";q=1', '""', 'é', 'a'.repeat(255), 'a'.repeat(256)].map(
    (key): [string, string] => [key, rex],
  ),
];
const queries = [
  ...[
    'limit=01',
    'limit=0',
    'limit=1',
    'limit=100',
    'limit=101',
    'limit=1e1',
    'limit=',
    'limit',
    'limit=-0',
    'limit=1.0',
  ],
  ...['limit=1&limit=2', 'limit[]=1', 'after=-1', 'after=0', 'after=9007199254740991', 'after=9007199254740992'],
  ...[
    'status=sold',
    'status=Sold',
    'status=',
    'status=sold&status=sold',
    'st%61tus=sold',
    'stauts=sold',
    '=',
    '&&',
    '?',
  ],
  ...['__proto__=1', 'toString=1', '%zz=1', 'status=%ff'],
];
const ids = [
  '1',
  '%31',
  '01',
  '0',
  '-1',
  '1.0',
  '99',
  '9007199254740992',
  'abc',
  '%zz',
  '1%20',
  '%ff',
  '1/',
  '1/2',
  '',
];
const methods = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'PATCH'];
const keyless = { authorization: 'Bearer other' };

/** Every request, in an order that gives the pets of both services the same identifiers. */
const requests: Sent[] = [
  ...bodies.map((body) => post(body)),
  ...types.map((type) => post(rex, { 'content-type': type })),
  post(rex, { 'content-encoding': 'gzip' }),
  ...keys.map(([key, body]) => post(body, { 'idempotency-key': key })),
  ...queries.map((query) => ({ path: `/pets?${query}` })),
  ...ids.map((id) => ({ path: `/pets/${id}` })),
  ...['/pets', '/pets/1', '/pets/99', '/cats'].flatMap((path) => methods.map((method) => ({ method, path }))),
  ...['/pets?limt=1', '/pets/1', '/cats'].flatMap((path) =>
    methods.map((method) => ({ method, path, headers: keyless })),
  ),
  ...['', 'Basic x', 'Bearer'].map((authorization) => ({ path: '/pets', headers: { authorization } })),
];

const HEADERS = ['allow', 'www-authenticate', 'deprecation', 'sunset', 'idempotency-replayed'];

/** A response without its message, which may differ, and with the target of its link. */
async function shown(response: Response): Promise<unknown> {
  const text = await response.text();
  const { message, ...data } = text.startsWith('{') ? JSON.parse(text) : { text: text.replaceAll('\n', '') };
  const [, target, rel] = /<([^>]*)>; rel="?([\w-]+)/.exec(response.headers.get('link') ?? '') ?? [];
  const link = target !== undefined && [new URL(target, 'http://x/v1/pets').search, rel];
  return { status: response.status, data, link, headers: HEADERS.map((name) => response.headers.get(name)) };
}

test('the fake service of the client responds as the server does', async () => {
  const server = await listen({ validateResponses: false });
  const fake = fakeService({ baseUrl: server.baseUrl, apiKey: server.apiKey });
  for (const { path, ...request } of requests) {
    const headers = { authorization: `Bearer ${server.apiKey}`, ...request.headers };
    const send = (fetch_: typeof fake.fetch) => fetch_(server.baseUrl + path, { ...request, headers }).then(shown);
    const sent = JSON.stringify({ path, ...request, body: String(request.body).slice(0, 100) });
    expect.soft({ sent, ...Object(await send(fake.fetch)) }).toEqual({ sent, ...Object(await send(fetch)) });
  }
  await server.close();
});
