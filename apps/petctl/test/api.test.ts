import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { petctl, unreachable } from './petctl.ts';
import { errorReply, listen, pageBefore, record } from './recorder.ts';

test('api follows pages of the same origin only, as commands do', async () => {
  const { env, requests } = await record((_, count) =>
    count < 3
      ? pageBefore(['?after=1', '/other?after=2'][count - 1] ?? '', [{ id: count }])
      : { body: [{ id: count }] },
  );
  const { code, stdout } = await petctl(['api', 'GET', '/pets', '--paginate', '--jq', '[.[].id]'], { env });
  expect([code, stdout]).toEqual([0, '[1,2,3]\n']);
  expect(requests.map(({ url }) => url)).toEqual(['/v1/pets', '/v1/pets?after=1', '/other?after=2']);
  const { env: withHtml } = await record((_, count) =>
    count === 1 ? pageBefore('?after=1') : { body: '<p>', headers: { 'content-type': 'text/html' } },
  );
  expect(await petctl(['api', 'GET', '/pets', '--paginate', '-o', 'jsonl'], { env: withHtml })).toMatchObject({
    code: 8,
    stdout: '{"id":1}\n',
  });
  const { env: toOtherHost } = await record(() => pageBefore('http://elsewhere.example/', []));
  expect(await petctl(['api', 'GET', '/pets', '--paginate'], { env: toOtherHost })).toMatchObject({ code: 8 });
  const { env: toNowhere } = await record(() => pageBefore('http://[', []));
  expect(await petctl(['api', 'GET', '/pets', '--paginate'], { env: toNowhere })).toMatchObject({ code: 8 });
});

test('api sends headers, and prints those of the response', async () => {
  const { env, requests } = await record(() => ({ body: [], headers: { 'x-request-id': 'one' } }));
  const { stdout } = await petctl(['api', 'get', '/pets', '-i', '-H', 'Prefer: a, b', '-H', 'X-Trace:1'], { env });
  expect(requests[0]?.headers).toMatchObject({ prefer: 'a, b', 'x-trace': '1' });
  expect(stdout).toMatch(/^HTTP 200\n(.+\n)*x-request-id: one\n(.+\n)*\n\[\]\n$/);
  expect(await petctl(['api', 'GET', '/pets', '-H', 'no header'], { env })).toMatchObject({ code: 2 });
  expect(await petctl(['api', 'GET', '/pets', '-H', 'authorization: Bearer other'], { env })).toMatchObject({
    code: 2,
    stderr: "petctl: petctl sets the header authorization itself. Store the key with 'petctl auth login'.\n",
  });
});

test('api prints the status and the headers of an unsuccessful response, too', async () => {
  const { env } = await record(() => ({ ...errorReply(404, 'not_found'), headers: { 'x-request-id': 'one' } }));
  const { code, stdout, stderr } = await petctl(['api', 'get', '/pets/7', '-i'], { env });
  expect([code, stderr]).toEqual([5, expect.stringContaining('it is not_found (HTTP 404, request one)')]);
  expect(stdout).toMatch(/^HTTP 404\n(.+\n)*x-request-id: one\n(.+\n)*\n$/);
  const { env: failing } = await record((_, count) => (count === 1 ? errorReply(503, 'unavailable') : 'hang'));
  const late = await petctl(['api', 'get', '/pets', '-i', '--timeout', '2s'], { env: failing });
  expect([late.code, late.stdout.split('\n')[0]]).toEqual([8, 'HTTP 503']);
});

test('a repeated header is a list, a repeated field is a list in a query and an error in a body', async () => {
  const { env, requests } = await record(() => ({ body: [] }));
  const repeated = ['-H', 'Prefer: a', '-H', 'prefer: b', '-f', 'status=sold', '-f', 'status=pending'];
  expect(await petctl(['api', 'GET', '/pets', ...repeated], { env })).toMatchObject({ code: 0 });
  expect(requests[0]).toMatchObject({ url: '/v1/pets?status=sold&status=pending', headers: { prefer: 'a, b' } });
  expect(await petctl(['api', 'POST', '/pets', ...repeated], { env })).toMatchObject({
    code: 2,
    stderr: 'petctl: --field status appears twice. Write a list as status:=["a","b"].\n',
  });
});

test.each(['application/merge-patch+json', 'Application/JSON;charset=utf-8', 'model/gltf+json'])(
  'api formats a response of the type %s',
  async (type) => {
    const { env } = await record(() => ({ body: [{ a: 1 }], headers: { 'content-type': type } }));
    expect((await petctl(['api', 'GET', '/x', '-o', 'csv'], { env })).stdout).toBe('a\n1\n');
  },
);

test.each(['table', 'csv', 'yaml', 'json', 'jsonl', 'tsv'])(
  '%s escapes control characters in property names',
  async (output) => {
    const { env } = await record(() => ({ body: [{ 'a\u001b[2J\n\u202e': 1 }] }));
    const { stdout } = await petctl(['api', 'GET', '/x', '-o', output], { env });
    expect(stdout).not.toMatch(/[^\P{Cc}\n\t]|\u202e/u);
    expect(stdout.split('\n').length).toBeLessThan(5);
  },
);

test('a property named like one of every JavaScript object is an ordinary property', async () => {
  const { env, requests } = await record(() => ({ body: [{ a: 1 }, { toString: 'x' }] }));
  expect((await petctl(['api', 'GET', '/x', '-o', 'csv'], { env })).stdout).toBe('a,toString\n1,\n,x\n');
  expect((await petctl(['api', 'GET', '/x', '--fields', 'constructor', '-o', 'csv'], { env })).stdout).toBe(
    'constructor\n\n\n',
  );
  await petctl(['api', 'POST', '/pets', '-f', 'constructor=1'], { env });
  expect(requests.at(-1)?.body).toBe('{"constructor":"1"}');
});

test('api sends JSON after := as it is written, and text after = by the type of its field', async () => {
  const { env, requests } = await record(() => ({ body: [] }));
  const fields = [
    'name=7',
    'categoryId=9223372036854775807',
    'big:=-9223372036854775808',
    'huge:=1e400',
    'in:={"a":1}',
  ];
  const words = fields.flatMap((field) => ['--field', field]);
  expect(await petctl(['api', 'POST', '/pets', ...words, '--field', 'text:="a b"'], { env })).toMatchObject({
    code: 0,
  });
  expect(requests[0]?.body).toBe(
    '{"name":"7","categoryId":9223372036854775807,"big":-9223372036854775808,"huge":1e400,"in":{"a":1},"text":"a b"}',
  );
  expect(await petctl(['api', 'GET', '/pets', ...words, '--field', 'text:="a b"'], { env })).toMatchObject({ code: 0 });
  expect(Object.fromEntries(new URL(requests[1]?.url ?? '', 'http://x').searchParams)).toEqual({
    name: '7',
    categoryId: '9223372036854775807',
    big: '-9223372036854775808',
    huge: '1e400',
    in: '{"a":1}',
    text: 'a b',
  });
});

test('a text that a query cannot contain is a usage error', async () => {
  const { env, requests } = await record(() => ({ body: [] }));
  expect(await petctl(['api', 'GET', '/pets', '-f', 'status:="\\ud800"'], { env })).toMatchObject({ code: 2 });
  expect(requests).toEqual([]);
});

test('the body of an OPTIONS request arrives as its body, not as another request', async () => {
  const { env, requests } = await record(() => ({ body: [] }));
  expect(await petctl(['api', 'OPTIONS', '/pets', '-f', 'a=b'], { env })).toMatchObject({ code: 0 });
  const chunked = ['api', 'OPTIONS', '/pets', '-f', 'a=b', '-H', 'Transfer-Encoding: chunked'];
  expect(await petctl(chunked, { env })).toMatchObject({ code: 0 });
  const received = ['OPTIONS', '{"a":"b"}'];
  expect(requests.map(({ method, body }) => [method, body])).toEqual([received, received]);
});

test('a redirect leaves no connection open', async () => {
  const ports = new Set<number>();
  let open = 0;
  let mostOpen = 0;
  const server = createServer(({ url = '', socket }, response) => {
    if (!ports.has(Number(socket.remotePort))) {
      ports.add(Number(socket.remotePort));
      mostOpen = Math.max(mostOpen, ++open);
      socket.on('close', () => open--);
    }
    const [, page = ''] = /^\/v1\/target(\d)/.exec(url) ?? [];
    if (!page) return response.writeHead(302, { location: url.replace('pets', 'target') }).end('elsewhere');
    const link = Number(page) < 9 && { link: `</v1/pets${Number(page) + 1}>; rel="next"` };
    return response.writeHead(200, { 'content-type': 'application/json', ...link }).end('[]');
  });
  const env = { ...unreachable, PETCTL_BASE_URL: `http://127.0.0.1:${await listen(server)}/v1` };
  expect(await petctl(['api', 'GET', '/pets0', '--paginate'], { env })).toMatchObject({ code: 0 });
  expect(mostOpen).toBeLessThan(4);
});

test('a response with a content encoding is an error, because petctl does not decode it', async () => {
  const { env } = await record(() => ({ body: '\u001f\u008b', headers: { 'content-encoding': 'gzip' } }));
  const args = ['/pets', '-H', 'Accept-Encoding: gzip', '--retries', '0'];
  expect(await petctl(['api', 'GET', ...args], { env })).toMatchObject({
    code: 8,
    stdout: '',
    stderr: expect.stringContaining('the content encoding gzip'),
  });
  expect(await petctl(['api', 'HEAD', ...args], { env })).toMatchObject({ code: 0 });
});
