import { expect, test } from 'vitest';
import { petctl } from './petctl.ts';
import { record } from './recorder.ts';

test('api follows pages, within its own service', async () => {
  const { env, requests } = await record((_, count) => ({
    body: [{ id: count }],
    headers: count < 3 ? { link: `<?after=${count}>; rel="next"` } : {},
  }));
  const { code, stdout } = await petctl(['api', 'GET', '/pets', '--paginate', '--jq', '[.[].id]'], { env });
  expect([code, stdout, requests.at(-1)?.url]).toEqual([0, '[1,2,3]\n', '/v1/pets?after=2']);
  const { env: odd } = await record((_, count) =>
    count === 1
      ? { body: [{ id: 1 }], headers: { link: '<?after=1>; rel="next"' } }
      : { body: '<p>', headers: { 'content-type': 'text/html' } },
  );
  expect(await petctl(['api', 'GET', '/pets', '--paginate', '-o', 'jsonl'], { env: odd })).toMatchObject({
    code: 8,
    stdout: '{"id":1}\n',
  });
  const { env: luring } = await record(() => ({
    body: [],
    headers: { link: '<http://elsewhere.example/>; rel="next"' },
  }));
  expect(await petctl(['api', 'GET', '/pets', '--paginate'], { env: luring })).toMatchObject({ code: 8 });
});

test('api sends headers, and shows those of the response', async () => {
  const { env, requests } = await record(() => ({ body: [], headers: { 'x-request-id': 'one' } }));
  const { stdout } = await petctl(['api', 'get', '/pets', '-i', '-H', 'Prefer: a, b', '-H', 'X-Trace:1'], { env });
  expect(requests[0]?.headers).toMatchObject({ prefer: 'a, b', 'x-trace': '1' });
  expect(stdout).toMatch(/^HTTP 200\n(.+\n)*x-request-id: one\n(.+\n)*\n\[\]\n$/);
  expect(await petctl(['api', 'GET', '/pets', '-H', 'no header'], { env })).toMatchObject({ code: 2 });
});
