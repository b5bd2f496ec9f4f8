import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseMultipart } from '../../openapi/compare.ts';
import { type RecordedResponse, recorder } from '../../openapi/recorder.ts';
import { generateWhatFits, loadClient } from './generated-client.ts';
import { type GeneratedPetctl, loadPetctl } from './generated-petctl.ts';

const server = 'https://api.example.com';

let petctl: GeneratedPetctl;
let folder: string;
let remove: () => void;

/** Makes petctl of a document, with a home of its own. */
async function usePetctlOf(document: string): Promise<void> {
  ({ folder, remove } = makeFolder('generated-petctl'));
  const file = join(folder, 'openapi.yaml');
  writeFileSync(
    file,
    `openapi: 3.1.0\ninfo: { title: t, version: 1.0.0 }\nservers: [ { url: ${server} } ]\n${document}`,
  );
  const { files, refused } = await generateWhatFits(file);
  expect(refused).toEqual([]);
  await loadClient(files, folder);
  petctl = await loadPetctl(folder);
}

interface Options extends Partial<RecordedResponse> {
  readonly env?: Record<string, string>;
  readonly stdin?: string | Uint8Array;
  readonly isTerminal?: boolean;
}

/** Runs a command line, and gives what was sent, and how it ended. */
async function run(line: string | string[], { env = {}, stdin = '', isTerminal = false, ...response }: Options = {}) {
  const { sent, transport } = recorder(server, response);
  const recording = async (request: Parameters<typeof transport>[0]) =>
    Object.assign(await transport(request), { rawHeaders: [] });
  const argv = typeof line === 'string' ? line.split(' ') : line;
  const config = { XDG_CONFIG_HOME: folder, PETCTL_KEYRING: 'false' };
  const { code, stdout, stderr } = await petctl.run(argv, {
    env: { ...config, ...env },
    stdin,
    isTerminal,
    transport: recording as never,
  });
  return { code, stdout: Buffer.from(stdout).toString('latin1'), stderr, sent };
}

describe('results', () => {
  afterAll(() => remove());
  beforeAll(async () => {
    await usePetctlOf(`
paths:
  /bytes:
    get: { operationId: getBytes, tags: [ things ], responses: { '200': { description: B., content: { image/png: {} } } } }
  /text:
    get: { operationId: getText, tags: [ things ], responses: { '200': { description: T., content: { text/plain: {} } } } }
  /nothing:
    post: { operationId: startJob, tags: [ things ], responses: { '202': { description: Later. } } }
  /either:
    put:
      operationId: putEither
      tags: [ things ]
      responses:
        '200': { description: R., content: { application/json: { schema: { type: object, properties: { replaced: { type: boolean } } } } } }
        '201': { description: C., content: { application/json: { schema: { type: object, properties: { id: { type: integer } } } } } }
        '204': { description: N. }
  /numbers:
    get:
      operationId: getNumbers
      tags: [ things ]
      responses: { '200': { description: N., content: { application/json: { schema: { type: array, items: { type: integer } } } } } }
  /map:
    get:
      operationId: getMap
      tags: [ things ]
      responses: { '200': { description: M., content: { application/json: { schema: { type: object, additionalProperties: true } } } } }
`);
  });

  const bytes = Uint8Array.from([137, 80, 0, 255]);
  const image = { status: 200, contentType: 'image/png', bytes };

  test('bytes go to a pipe as they are, and to a file', async () => {
    expect(await run('things get-bytes', image)).toMatchObject({ code: 0, stdout: '\x89P\0\xff', stderr: '' });
    const file = join(folder, 'photo.png');
    expect(await run(['things', 'get-bytes', '-o', file], image)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect([...readFileSync(file)]).toEqual([...bytes]);
  });

  test('-o is the file there, and --output still the format', async () => {
    const { stdout } = await run('things get-bytes --help');
    expect(stdout).toContain('-o, --output-file <file>');
    expect(stdout).not.toContain('-o, --output <format>');
    expect((await run('things get-text --help')).stdout).toContain('-o, --output <format>');
  });

  test('a terminal is spared them, before anything is sent', async () => {
    const { code, stderr, sent } = await run('things get-bytes', { ...image, isTerminal: true });
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toBe('petctl: A terminal cannot show the bytes of the response. Give -o FILE, or pipe them on.\n');
    const file = join(folder, 'other.png');
    expect(await run(['things', 'get-bytes', '-o', file], { ...image, isTerminal: true })).toMatchObject({ code: 0 });
  });

  test('a file that cannot be written is an error, and one that fails leaves nothing', async () => {
    const missing = await run(['things', 'get-bytes', '-o', join(folder, 'none/photo.png')], image);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') });
    const failed = await run(['things', 'get-bytes', '-o', join(folder, 'failed.png')], { status: 404 });
    expect([failed.code, existsSync(join(folder, 'failed.png'))]).toEqual([5, false]);
  });

  test('text is written as text, and cannot steer a terminal', async () => {
    const text = { status: 200, contentType: 'text/plain', body: 'a\tb\n\x1b[2J' };
    expect((await run('things get-text -o json', text)).stdout).toBe(text.body);
    expect((await run('things get-text', { ...text, isTerminal: true })).stdout).toBe('a\tb\n\\u001b[2J');
  });

  test.each(['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'])('no content is no output, as %s', async (output) => {
    expect(await run(`things start-job -o ${output}`, { status: 202 })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
    expect(await run(`things put-either -o ${output}`, { status: 204 })).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    });
  });

  test('of several successes, the one that came is shown', async () => {
    const json = { contentType: 'application/json' };
    const csv = async (response: Options, more = '') => (await run(`things put-either -o csv${more}`, response)).stdout;
    expect(await csv({ ...json, status: 200, body: '{"replaced":true}' })).toBe('replaced\ntrue\n');
    expect(await csv({ ...json, status: 201, body: '{"id":7}' })).toBe('id\n7\n');
    expect(await csv({ ...json, status: 201, body: '{"id":7}' }, ' --fields id')).toBe('id\n7\n');
    expect((await run('things put-either --fields ids')).stderr).toContain("Did you mean 'id'?");
  });

  test.each([
    ['get-numbers', 'json', '[1,2]', '[\n1,\n2\n]\n'],
    ['get-numbers', 'jsonl', '[1,2]', '1\n2\n'],
    ['get-numbers', 'tsv', '[1,2]', '1\n2\n'],
    ['get-numbers', 'csv', '[1,2]', 'value\n1\n2\n'],
    ['get-numbers', 'yaml', '[1,2]', '- 1\n- 2\n'],
    ['get-map', 'csv', '{"a":1,"b":"x"}', 'a,b\n1,x\n'],
    ['get-map', 'json', '{"a":1}', '{"a":1}\n'],
  ])('%s as %s', async (command, output, body, expected) => {
    const response = { status: 200, contentType: 'application/json', body };
    expect((await run(`things ${command} -o ${output}`, response)).stdout).toBe(expected);
  });
});

describe('credentials', () => {
  afterAll(() => remove());
  const operation = (id: string, security: string) =>
    `  /${id}: { get: { operationId: ${id}, tags: [ things ], security: ${security}, responses: { '204': { description: D. } } } }`;
  beforeAll(async () => {
    await usePetctlOf(`
security: [ { token: [] } ]
paths:
  /elsewhere:
    get:
      operationId: elsewhere
      tags: [ things ]
      servers: [ { url: https://other.example.com } ]
      responses: { '204': { description: D. } }
  /usual: { get: { operationId: usual, tags: [ things ], responses: { '204': { description: D. } } } }
${operation('none', '[]')}
${operation('maybe', '[ {}, { token: [] } ]')}
${operation('login', '[ { login: [] } ]')}
${operation('byHeader', '[ { head: [] } ]')}
${operation('byQuery', '[ { find: [] } ]')}
${operation('byCookie', '[ { jar: [] } ]')}
${operation('both', '[ { head: [], find: [] }, { login: [] } ]')}
components:
  securitySchemes:
    token: { type: http, scheme: bearer }
    login: { type: http, scheme: basic }
    head: { type: apiKey, in: header, name: X-Key }
    find: { type: apiKey, in: query, name: key }
    jar: { type: apiKey, in: cookie, name: session }
`);
  });

  const all = {
    PETCTL_API_KEY: 'tok3n',
    PETCTL_AUTH_LOGIN: 'ann:a b:ü',
    PETCTL_AUTH_HEAD: 'h-key',
    PETCTL_AUTH_FIND: 'f&key',
    PETCTL_AUTH_JAR: 'j-key',
  };
  const basic = `Basic ${Buffer.from(all.PETCTL_AUTH_LOGIN).toString('base64')}`;

  test.each([
    ['usual', '/usual', { authorization: 'Bearer tok3n' }],
    ['none', '/none', {}],
    ['maybe', '/maybe', { authorization: 'Bearer tok3n' }],
    ['login', '/login', { authorization: basic }],
    ['by-header', '/byHeader', { 'x-key': 'h-key' }],
    ['by-query', '/byQuery?key=f%26key', {}],
    ['by-cookie', '/byCookie', { cookie: 'session=j-key' }],
    ['both', '/both?key=f%26key', { 'x-key': 'h-key' }],
  ])('%s sends what it needs, and nothing else', async (name, target, expected) => {
    const { code, sent, stderr } = await run(`things ${name} -vv`, { env: all });
    const { accept, 'user-agent': agent, ...headers } = sent[0]?.headers ?? {};
    expect([code, sent[0]?.target, headers]).toEqual([0, target, expected]);
    for (const secret of [...Object.values(all), 'f%26key', basic.slice(6), 'a b:ü'])
      expect(stderr).not.toContain(secret);
  });

  test('none is asked for where none is needed, or there is another way', async () => {
    expect(await run('things none')).toMatchObject({ code: 0 });
    expect(await run('things maybe')).toMatchObject({
      code: 0,
      sent: [{ headers: expect.not.objectContaining({ authorization: '' }) }],
    });
    const { code, sent } = await run('things both', { env: { PETCTL_AUTH_LOGIN: 'a:b', PETCTL_AUTH_HEAD: 'k' } });
    expect([code, sent[0]?.headers.authorization]).toEqual([0, 'Basic YTpi']);
  });

  test('a missing one is named, with how to give it', async () => {
    const { code, stderr, sent } = await run('things login', { env: { PETCTL_API_KEY: 'tok3n' } });
    expect([code, sent]).toEqual([4, []]);
    expect(stderr).toContain("There is no credential 'login' for https://api.example.com.");
    expect(stderr).toContain("Log in with 'petctl auth login --scheme login', or set PETCTL_AUTH_LOGIN.");
    expect((await run('things both')).stderr).toContain(
      "it takes credential 'head' and credential 'find', or credential 'login'",
    );
    expect((await run('things login', { env: { PETCTL_AUTH_LOGIN: 'ann' } })).stderr).toContain('write user:password');
  });

  test('--dry-run shows its variable', async () => {
    const dry = async (name: string, env: Record<string, string> = all) =>
      (await run(`things ${name} --dry-run`, { env })).stdout;
    expect(await dry('usual')).toContain('authorization: Bearer $PETCTL_API_KEY\n');
    expect(await dry('login')).toContain('authorization: Basic $PETCTL_AUTH_LOGIN\n');
    expect(await dry('by-query')).toMatch(/^GET https:\/\/api.example.com\/byQuery\?key=\$PETCTL_AUTH_FIND\n/);
    expect(await dry('by-cookie')).toContain('cookie: session=$PETCTL_AUTH_JAR\n');
    expect(await dry('both')).toContain('x-key: $PETCTL_AUTH_HEAD\n');
    expect(await dry('both', { PETCTL_AUTH_LOGIN: 'a:b' })).toContain('authorization: Basic $PETCTL_AUTH_LOGIN\n');
    expect(await dry('none')).not.toContain('PETCTL');
    for (const name of ['usual', 'login', 'by-header', 'by-query', 'by-cookie']) {
      const { stdout } = await run(`things ${name} --curl`, { env: all });
      expect(stdout).toMatch(/"\$PETCTL_\w+"/);
      for (const secret of Object.values(all)) expect(stdout).not.toContain(secret);
    }
  });

  test('each scheme has a credential of its own in store', async () => {
    const login = (scheme: string, stdin: string) =>
      run(`auth login --with-key --scheme ${scheme}`, { stdin, status: 204 });
    expect(await run('auth login --with-key', { stdin: 'main-key\n' })).toMatchObject({ code: 0 });
    expect(await login('login', 'bo:secret word\n')).toMatchObject({ code: 0, sent: [{ target: '/login' }] });
    expect(await login('find', 'found')).toMatchObject({ code: 0, sent: [{ target: '/byQuery?key=found' }] });
    const stored = JSON.parse(readFileSync(join(folder, 'petctl/credentials.json'), 'utf8'));
    expect(stored).toEqual({
      [server]: { key: 'main-key', schemes: { login: { key: 'bo:secret word' }, find: { key: 'found' } } },
    });
    expect((await run('things login')).sent[0]?.headers.authorization).toBe(
      `Basic ${Buffer.from('bo:secret word').toString('base64')}`,
    );
    expect((await run('auth token --scheme find')).stdout).toBe('found\n');
    expect((await run('auth status --scheme login -o json')).stdout).toContain(
      '"key":"bo:…"'.replace('…', '\xe2\x80\xa6'),
    );
    expect(await run('auth logout --scheme login')).toMatchObject({ code: 0 });
    expect(await run('auth logout')).toMatchObject({ code: 0 });
    expect(await run('things login')).toMatchObject({ code: 4 });
    expect((await run('things by-query')).sent[0]?.target).toBe('/byQuery?key=found');
    expect((await run('auth login --scheme logn')).stderr).toContain("Did you mean 'login'?");
  });

  test('a stored one is for its own origin alone, also where an operation has a server of its own', async () => {
    const stored = await run('auth login --with-key', { stdin: 'main-key', status: 204 });
    expect(stored).toMatchObject({ code: 0, sent: [{ target: '/usual' }] });
    const { code, sent, stderr } = await run('things elsewhere');
    expect([code, sent]).toEqual([4, []]);
    expect(stderr).toContain('https://other.example.com');
    const other = '--base-url https://other.example.com';
    await run(`auth login --with-key --no-check ${other}`, { stdin: 'other-key' });
    expect((await run('things elsewhere')).sent).toMatchObject([
      { target: 'https://other.example.com/elsewhere', headers: { authorization: 'Bearer other-key' } },
    ]);
  });

  test('help and pages name the variables', async () => {
    expect((await run('help environment')).stdout).toMatch(
      /PETCTL_AUTH_LOGIN +The credential of 'login', as user:password\./,
    );
  });
});

describe('bodies', () => {
  afterAll(() => remove());
  beforeAll(async () => {
    await usePetctlOf(`
paths:
  /photos:
    post:
      operationId: addPhoto
      tags: [ things ]
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [ photo ]
              properties:
                photo: { type: string, format: binary }
                place: { type: object, properties: { city: { type: string } } }
      responses: { '204': { description: D. } }
  /raw:
    put:
      operationId: putRaw
      tags: [ things ]
      requestBody: { required: true, content: { image/*: {} } }
      responses: { '204': { description: D. } }
`);
  });

  const bytes = Buffer.from([0, 255, 13, 10, 128]);

  test('a form carries files, with their name and media type, and the --dry-run shows just that', async () => {
    const file = join(folder, 'cat.png');
    writeFileSync(file, bytes);
    const argv = ['things', 'add-photo', '--photo', `@${file}`, '--place.city', 'Bonn'];
    const { sent } = await run(argv);
    const parts = parseMultipart(sent[0]?.body ?? new Uint8Array(), sent[0]?.headers['content-type'] ?? '');
    expect(parts).toMatchObject([
      { name: 'photo', filename: 'cat.png', contentType: 'image/png', bytes: new Uint8Array(bytes) },
      { name: 'place', contentType: 'application/json', bytes: new Uint8Array(Buffer.from('{"city":"Bonn"}')) },
    ]);
    const shown = await petctl.dryRun(argv, {}, server);
    expect(parseMultipart(shown.sent?.body ?? new Uint8Array(), shown.sent?.headers['content-type'] ?? '')).toEqual(
      parts,
    );
  });

  test('bytes come from a file or from stdin, and are sent as they are', async () => {
    const file = join(folder, 'dog.webp');
    writeFileSync(file, bytes);
    const fromFile = await run(['things', 'put-raw', '--data', `@${file}`]);
    expect(fromFile.sent[0]?.headers['content-type']).toBe('image/webp');
    const fromStdin = await run('things put-raw --data @-', { stdin: bytes });
    for (const { code, sent } of [fromFile, fromStdin])
      expect([code, [...(sent[0]?.body ?? [])]]).toEqual([0, [...bytes]]);
    const { stdout } = await run(['things', 'put-raw', '--data', `@${file}`, '--dry-run', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ method: 'PUT', bodyBase64: bytes.toString('base64') });
  });
});

describe('over a real connection', () => {
  afterAll(() => remove());
  let http: Server;
  let env: Record<string, string>;
  const received: { length: string | undefined; type: string | undefined; body: Buffer }[] = [];
  const large = Buffer.alloc(3_000_000, 'petctl ');

  beforeAll(async () => {
    await usePetctlOf(`
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

  test('a file is sent with its size, stdin as it comes', async () => {
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

  test('bytes arrive whole', async () => {
    const { code, stdout } = await petctl.run(['things', 'get-blob'], { env });
    expect([code, large.equals(stdout)]).toEqual([0, true]);
    const file = join(folder, 'got.zip');
    expect(await petctl.run(['things', 'get-blob', '-v', '-o', file], { env })).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^> GET .*\n< 200 in \d+ ms\n$/),
    });
    expect(readFileSync(file).equals(large)).toBe(true);
  });

  test('a connection that breaks leaves no file, and is told as one', async () => {
    const file = join(folder, 'half.zip');
    const { code, stderr } = await petctl.run(['things', 'get-broken', '-o', file], { env });
    expect([code, existsSync(file)]).toEqual([3, false]);
    expect(stderr).toContain('before the whole response was there');
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
