import { chmodSync, existsSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Options, petctlOf } from './petctl-of.ts';

const { folder, run } = await petctlOf(`
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
  /logs:
    get:
      operationId: listLogs
      tags: [ things ]
      x-pagination: { by: last, cursor: after, key: id, limit: limit }
      parameters: [ { name: after, in: query, schema: { type: integer } }, { name: limit, in: query, schema: { type: integer } } ]
      responses: { '200': { description: L., content: { application/json: { schema: { type: array, items: { type: object, properties: { id: { type: integer } } } } } } } }
  /map:
    get:
      operationId: getMap
      tags: [ things ]
      responses: { '200': { description: M., content: { application/json: { schema: { type: object, additionalProperties: true } } } } }
`);

describe('results', () => {
  test('a list whose last element is the cursor of the next page has a notice of more elements', async () => {
    const page = { status: 200, contentType: 'application/json', body: '[{"id":7}]' };
    const { stderr, sent } = await run('things list-logs -v', page);
    expect(stderr).toContain('More results exist. Use --all, or --after 7 for the next ones.');
    expect(sent.at(-1)?.target).toBe('/logs?after=7&limit=1');
  });

  const bytes = Uint8Array.from([137, 80, 0, 255]);
  const image = { status: 200, contentType: 'image/png', bytes };

  test('bytes are written unchanged to a pipe or a file', async () => {
    expect(await run('things get-bytes', image)).toMatchObject({ code: 0, stdout: '\x89P\0\xff', stderr: '' });
    const file = join(folder, 'photo.png');
    expect(await run(['things', 'get-bytes', '-o', file], image)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect([...readFileSync(file)]).toEqual([...bytes]);
  });

  test('for a response of bytes, -o is the output file; otherwise it is the format', async () => {
    const { stdout } = await run('things get-bytes --help');
    expect(stdout).toContain('-o, --output-file <file>');
    expect(stdout).not.toContain('-o, --output <format>');
    expect((await run('things get-text --help')).stdout).toContain('-o, --output <format>');
  });

  test('bytes are not written to a terminal, and nothing is sent', async () => {
    const { code, stderr, sent } = await run('things get-bytes', { ...image, isTerminal: true });
    expect([code, sent]).toEqual([2, []]);
    expect(stderr).toBe('petctl: A terminal cannot show the bytes of the response. Use -o FILE, or a pipe.\n');
    const file = join(folder, 'other.png');
    expect(await run(['things', 'get-bytes', '-o', file], { ...image, isTerminal: true })).toMatchObject({ code: 0 });
  });

  test('a file that cannot be written is an error, and one that fails leaves nothing', async () => {
    const missing = await run(['things', 'get-bytes', '-o', join(folder, 'none/photo.png')], image);
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('ENOENT') });
    const failed = await run(['things', 'get-bytes', '-o', join(folder, 'failed.png')], { status: 404 });
    expect([failed.code, existsSync(join(folder, 'failed.png'))]).toEqual([5, false]);
  });

  test.skipIf(process.platform === 'win32')('a replaced file keeps its permissions and the links to it', async () => {
    const [file, link] = [join(folder, 'private.png'), join(folder, 'link.png')];
    writeFileSync(file, 'old');
    chmodSync(file, 0o622);
    symlinkSync(file, link);
    expect(await run(['things', 'get-bytes', '-o', link], image)).toMatchObject({ code: 0, stderr: '' });
    expect([...readFileSync(file)]).toEqual([...bytes]);
    expect([statSync(file).mode & 0o777, lstatSync(link).isSymbolicLink()]).toEqual([0o622, true]);
  });

  test('text is written as text, with control characters escaped on a terminal', async () => {
    const text = { status: 200, contentType: 'text/plain', body: 'a\tb\n\x1b[2J' };
    expect((await run('things get-text -o json', text)).stdout).toBe(text.body);
    expect((await run('things get-text', { ...text, isTerminal: true })).stdout).toBe('a\tb\n\\u001b[2J');
  });

  test.each(['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'])('no content is empty output, as %s', async (output) => {
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

  test('each of several successes is shown with its own columns', async () => {
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
