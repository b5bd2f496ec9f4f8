import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseMultipart } from '../../openapi/compare.ts';
import { petctlOf, server } from './petctl-of.ts';

const { folder, petctl, run } = await petctlOf(`
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
                other: { allOf: [ { type: string, format: binary } ] }
                place: { type: object, properties: { city: { type: string } } }
      responses: { '204': { description: D. } }
  /things:
    get:
      operationId: listThings
      tags: [ things ]
      parameters:
        - { name: tags, in: query, style: pipeDelimited, explode: false, schema: { type: array, items: { type: string } } }
      responses: { '204': { description: D. } }
  /raw:
    put:
      operationId: putRaw
      tags: [ things ]
      requestBody: { required: true, content: { image/*: {} } }
      responses: { '204': { description: D. } }
`);

describe('bodies', () => {
  const bytes = Buffer.from([0, 255, 13, 10, 128]);

  test('a form contains files with name and media type, as --dry-run shows', async () => {
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

  test('a property is a file also if only a part of its allOf says so', async () => {
    const file = join(folder, 'dog.png');
    writeFileSync(file, bytes);
    const { sent } = await run(['things', 'add-photo', '--photo', `@${file}`, '--other', `@${file}`]);
    const parts = parseMultipart(sent[0]?.body ?? new Uint8Array(), sent[0]?.headers['content-type'] ?? '');
    const contents = { filename: 'dog.png', contentType: 'image/png', bytes: new Uint8Array(bytes) };
    expect(parts).toMatchObject([
      { name: 'photo', ...contents },
      { name: 'other', ...contents },
    ]);
  });

  test('bytes from a file or stdin are sent unchanged', async () => {
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

test('an input that would arrive as another one is invalid, and nothing is sent', async () => {
  const { code, stderr, sent } = await run(['things', 'list', '--tags', '["a|b"]']);
  expect([code, stderr, sent]).toEqual([
    2,
    "petctl: The input cannot be sent: an element of tags contains the delimiter '|'. Correct the input.\n",
    [],
  ]);
});
