import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { petctlOf } from './petctl-of.ts';

const { folder, petctl } = await petctlOf(`
paths:
  /blob:
    get: { operationId: getBlob, tags: [ things ], responses: { '200': { description: B., content: { application/zip: {} } } } }
    put:
      operationId: putBlob
      tags: [ things ]
      requestBody: { required: true, content: { '*/*': {} } }
      responses: { '204': { description: D. } }
  /broken:
    get: { operationId: getBroken, tags: [ things ], responses: { '200': { description: B., content: { application/zip: {} } } } }
`);

describe('over a real connection', () => {
  let http: Server;
  let env: Record<string, string>;
  const received: { length: string | undefined; type: string | undefined; body: Buffer }[] = [];
  const large = Buffer.alloc(3_000_000, 'petctl ');

  beforeAll(async () => {
    http = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part);
      if (request.method === 'PUT') {
        const { 'content-length': length, 'content-type': type } = request.headers;
        received.push({ length, type, body: Buffer.concat(parts) });
        return response.writeHead(204).end();
      }
      response.writeHead(200, { 'content-type': 'application/zip', 'content-length': large.length });
      if (request.url === '/blob') return response.end(large);
      return response.write(large.subarray(0, 1000), () => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(http, 'listening');
    const { port } = http.address() as AddressInfo;
    env = { XDG_CONFIG_HOME: folder, PETCTL_BASE_URL: `http://127.0.0.1:${port}`, PETCTL_RETRIES: '0' };
  });
  afterAll(() => {
    http.close();
    http.closeAllConnections();
  });

  test('a file is sent with its length, stdin is streamed', async () => {
    const file = join(folder, 'large.zip');
    writeFileSync(file, large);
    expect(await petctl.run(['things', 'put-blob', '--data', `@${file}`], { env })).toMatchObject({
      code: 0,
      stderr: '',
    });
    expect(await petctl.run(['things', 'put-blob', '--data', '-'], { env, stdin: large })).toMatchObject({ code: 0 });
    expect(received.map(({ length, type }) => [length, type])).toEqual([
      [String(large.length), 'application/octet-stream'],
      [undefined, 'application/octet-stream'],
    ]);
    for (const { body } of received) expect(body.equals(large)).toBe(true);
  });

  test('bytes arrive unchanged', async () => {
    const { code, stdout } = await petctl.run(['things', 'get-blob'], { env });
    expect([code, large.equals(stdout)]).toEqual([0, true]);
    const file = join(folder, 'got.zip');
    expect(await petctl.run(['things', 'get-blob', '-v', '-o', file], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^> GET .*\n< 200 in \d+ ms\n$/),
    });
    expect(readFileSync(file).equals(large)).toBe(true);
  });

  test('a broken connection leaves no file, and is reported as a connection error', async () => {
    const file = join(folder, 'half.zip');
    const { code, stderr } = await petctl.run(['things', 'get-broken', '-o', file], { env });
    expect([code, existsSync(file)]).toEqual([3, false]);
    expect(stderr).toContain('broke before the whole response had arrived');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
