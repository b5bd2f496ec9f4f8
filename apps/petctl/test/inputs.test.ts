import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Field, Operation, RequestBody, Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { help } from '../src/commands/help/help.ts';
import { inputOf } from '../src/commands/input.ts';
import { fullTree } from '../src/commands/tree.ts';
import { parse } from '../src/internal.ts';
import { processIo } from '../src/io/io.ts';
import { described } from '../src/output/report.ts';
import type { Invocation } from '../src/parse/node.ts';
import { scratch } from './petctl.ts';

const json: RequestBody = { required: true, mediaType: 'application/json', kind: 'json' };
const multipart: RequestBody = { required: true, mediaType: 'multipart/form-data', kind: 'multipart' };

function operation(schemas: Record<string, Schema>, body: RequestBody = json): Operation {
  const fields = Object.entries(schemas).map(([name, schema]): [string, Field] => [
    name,
    { in: 'body', required: false, description: 'One.', schema },
  ]);
  return {
    id: 'putThing',
    method: 'PUT',
    path: '/things',
    command: ['things', 'put'],
    responses: { '200': { description: 'It.' } },
    successes: ['200'],
    success: 200,
    summary: 'Put a thing',
    description: 'Puts it.',
    tags: ['things'],
    deprecated: false,
    security: [],
    body,
    fields: Object.fromEntries(fields),
  };
}

/** The input that a command line makes. */
async function input(of: Operation, argv: string[], stdin = ''): Promise<Record<string, unknown>> {
  const root = fullTree([of]);
  const parsed = parse(root, ['things', 'put', ...argv]);
  const io = { ...processIo(), stdin: () => Readable.from([Buffer.from(stdin)]) };
  return inputOf(of, { ...parsed, root, io, operations: [of] } as unknown as Invocation);
}

/** What petctl says of a command line that it refuses. */
async function refusal(of: Operation, ...argv: string[]): Promise<string> {
  const error: unknown = await input(of, argv).then(
    (data) => new Error(`it is accepted as ${JSON.stringify(data)}`),
    (reason: unknown) => reason,
  );
  const { message, hint } = described(error);
  return `${message} ${hint}`;
}

const helpOf = (of: Operation) => {
  const node = fullTree([of]).commands?.[0]?.commands?.find(({ name }) => name === 'put');
  return node ? help({ path: ['things', 'put'], node }, processIo()) : '';
};

describe('booleans', () => {
  const of = operation({ tame: { type: 'boolean' }, wild: { type: ['boolean', 'null'] } });

  test.each([
    [['--tame'], { tame: true }],
    [['--tame=true'], { tame: true }],
    [['--tame=false'], { tame: false }],
    [['--no-tame'], { tame: false }],
    [['--tame=false', '--wild=true'], { tame: false, wild: true }],
  ])('%j', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test('nothing else is a boolean, and a value of another flag is none', async () => {
    expect(await refusal(of, '--tame=maybe')).toContain("--tame 'maybe' is no true or false. Give --tame=true");
    const named = operation({ tame: { type: 'boolean' }, name: { type: 'string' } });
    expect(await input(named, ['--name', '--tame=false'])).toEqual({ name: '--tame=false' });
  });

  test("petctl's own take a value too", () => {
    const flags = (...argv: string[]) => Object.fromEntries(parse(fullTree([of]), ['things', 'put', ...argv]).flags);
    expect(flags('--quiet=true', '--dry-run=false', '-v', '--color=false', '--verbose=true')).toEqual({
      quiet: true,
      color: false,
      verbose: 2,
    });
  });
});

describe('lists', () => {
  const of = operation({
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    ids: { type: 'array', items: { type: 'integer', format: 'int64' }, uniqueItems: true },
    sizes: { type: 'array', items: { type: 'string', enum: ['small', 'large'] } },
    place: { type: 'array', prefixItems: [{ type: 'number' }, { type: 'boolean' }] },
    visits: { type: 'array', items: { type: 'object', properties: { on: { type: 'string' } }, required: ['on'] } },
  });

  test.each([
    [['--tags', 'a', '--tags', 'b'], { tags: ['a', 'b'] }],
    [['--tags', 'a,b', '--tags=c'], { tags: ['a', 'b', 'c'] }],
    [['--tags', '["a,b","c"]'], { tags: ['a,b', 'c'] }],
    [['--tags', '[]'], { tags: [] }],
    [['--ids', '9223372036854775807,1', '--ids=-2'], { ids: [2n ** 63n - 1n, 1, -2] }],
    [['--ids', '[9223372036854775807]'], { ids: [2n ** 63n - 1n] }],
    [['--place', '1.5,true'], { place: [1.5, true] }],
    [
      ['--visits', '{"on":"monday"}', '--visits', '[{"on":"friday"}]'],
      { visits: [{ on: 'monday' }, { on: 'friday' }] },
    ],
  ])('%j', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test.each([
    [['--tags', 'a,b', '--tags', 'c,d'], '--tags is longer than 3'],
    [['--ids', '1,1'], '--ids is not without repetition'],
    [['--ids', '1,x'], "holds 'x', which is no whole number"],
    [['--ids', '9223372036854775808'], 'is more than can be carried exactly'],
    [['--sizes', 'smal'], "Did you mean 'small'?"],
    [['--visits', '{}'], '.on is missing'],
    [['--tags', '["a"'], 'is no list'],
  ])('%j is refused', async (argv, said) => {
    expect(await refusal(of, ...argv)).toContain(said);
  });
});

describe('objects', () => {
  const owner: Schema = {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string', description: 'Who it is.' },
      age: { type: 'integer', minimum: 0 },
      isKnown: { type: 'boolean' },
      id: { type: 'string', readOnly: true },
      address: { type: 'object', properties: { city: { type: 'string' } } },
    },
  };
  const of = operation({
    owner,
    second: { oneOf: [owner, { type: 'null' }] },
    labels: { type: 'object', additionalProperties: { type: 'integer' } },
    extra: {},
  });

  test('dotted flags are typed by the schema, and put together', async () => {
    const argv = ['--owner.name', 'Ann', '--owner.age', '3', '--owner.is-known=false', '--owner.address.city', '7'];
    expect(await input(of, argv)).toEqual({ owner: { name: 'Ann', age: 3, isKnown: false, address: { city: '7' } } });
    expect(await input(of, ['--second.name', 'Bo'])).toEqual({ second: { name: 'Bo' } });
    expect(helpOf(of)).toContain('--owner.name <string>');
    expect(helpOf(of)).toContain('Who it is.');
    expect(helpOf(of)).not.toContain('--owner.id');
  });

  test('a dotted flag overrides the object, which overrides --data', async () => {
    const data = '{"owner":{"name":"A","address":{"city":"X"}},"extra":1}';
    expect(await input(of, ['--data', data, '--owner.age', '2', '--owner.address.city', 'Y'])).toEqual({
      owner: { name: 'A', age: 2, address: { city: 'Y' } },
      extra: 1,
    });
    expect(await input(of, ['--data', data, '--owner', '{"name":"B"}', '--owner.age', '2'])).toMatchObject({
      owner: { name: 'B', age: 2 },
    });
  });

  test('maps take key=value and JSON', async () => {
    expect(await input(of, ['--labels', 'a=1', '--labels', 'b=2', '--labels', '{"c":3}'])).toEqual({
      labels: { a: 1, b: 2, c: 3 },
    });
    expect(await refusal(of, '--labels', 'a=x')).toContain('is no whole number');
    expect(await refusal(of, '--labels', 'a')).toContain('neither key=value nor a JSON object');
  });

  test.each([
    [['--owner.age', '-1'], "--owner.age '-1' is less than 0"],
    [['--owner.age', '1'], '.name is missing'],
    [['--owner.nam', 'x'], "Did you mean '--owner.name'?"],
    [['--owner', 'x'], 'is no JSON object'],
  ])('%j is refused', async (argv, said) => {
    expect(await refusal(of, ...argv)).toContain(said);
  });

  test('an object within itself ends, and has a bound', async () => {
    const node: Schema = { type: 'object', properties: {} };
    Object.assign(node.properties ?? {}, { next: node, value: { type: 'integer' } });
    const wide = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`p${i}`, { type: 'string' }] as const));
    const many = operation({ node, wide: { type: 'object', properties: wide } });
    const flags = fullTree([many]).commands?.[0]?.commands?.[0]?.flags ?? [];
    expect(flags.filter(({ name }) => name.startsWith('node.')).length).toBeLessThan(20);
    expect(flags.length).toBeLessThan(150);
    expect(await input(many, ['--node.next.value', '1'])).toEqual({ node: { next: { value: 1 } } });
  });

  test('a body that is one input has flags of its properties too', async () => {
    const schema: Schema = { type: 'object', required: ['name'], properties: { name: { type: 'string' } } };
    const whole = operation({ body: schema }, { ...json, required: false, whole: true });
    expect(await input(whole, ['--body.name', 'Ann'])).toEqual({ body: { name: 'Ann' } });
    expect(await input(whole, ['--data', '{"name":"A"}', '--body.name', 'B'])).toEqual({ body: { name: 'B' } });
    expect(await input(whole, [])).toEqual({});
    expect(await refusal(whole, '--data', '{}')).toContain('.name is missing');
  });
});

describe('null, several types, constants', () => {
  const of = operation({
    name: { type: ['string', 'null'] },
    age: { oneOf: [{ type: 'integer' }, { type: 'null' }] },
    tags: { type: ['array', 'null'], items: { type: ['string', 'null'] } },
    id: { type: ['integer', 'string'] },
    level: { enum: [1, 'high', null] },
    kind: { const: 'dog' },
    version: { const: 2 },
    big: { type: 'integer', format: 'int64' },
    bounded: { type: 'integer', format: 'int64', minimum: 0 },
    open: {},
  });

  test.each([
    [['--name', 'null', '--age', 'null', '--tags', 'null'], { name: null, age: null, tags: null }],
    [['--tags', 'a,null', '--age', '7'], { tags: ['a', null], age: 7 }],
    [['--id', '7', '--level', 'high', '--kind', 'dog'], { id: 7, level: 'high', kind: 'dog' }],
    [['--id', 'x7', '--level', '1', '--version', '2'], { id: 'x7', level: 1, version: 2 }],
    [['--id', '"7"', '--level', 'null'], { id: '7', level: null }],
    [['--big', '-9223372036854775808'], { big: -(2n ** 63n) }],
    [['--open', '7'], { open: 7 }],
    [['--open', 'a{b'], { open: 'a{b' }],
  ])('%j', async (argv, expected) => {
    expect(await input(of, argv)).toEqual(expected);
  });

  test.each([
    [['--level', 'hihg'], "Did you mean 'high'?"],
    [['--kind', 'dgo'], "Did you mean 'dog'?"],
    [['--kind', 'elephant'], 'It has to be dog.'],
    [['--age', 'x'], 'no'],
    [['--open', '{"big":9223372036854775807}'], 'is more than can be carried exactly'],
    [['--bounded', '9223372036854775807'], 'is more than can be carried exactly'],
    [['--data', '{"bounded":9223372036854775807}'], 'is more than can be carried exactly'],
  ])('%j is refused', async (argv, said) => {
    expect(await refusal(of, ...argv)).toContain(said);
  });
});

describe("names that are petctl's own", () => {
  const of = operation({ version: { type: 'string' }, help: { type: 'string' }, data: { type: 'string' } });

  test('the input is reached by its place, which the help says; --version belongs to petctl only before a command', async () => {
    expect(await input(of, ['--version', '2', '--body-help', 'h', '--body-data', 'd'])).toEqual({
      version: '2',
      help: 'h',
      data: 'd',
    });
    expect(parse(fullTree([of]), ['--version', 'things', 'put'])).toMatchObject({ version: true });
    const text = helpOf(of).replace(/\s+/g, ' ');
    expect(text).toContain("--body-help <string> One (--help is petctl's own).");
    expect(text).toContain("--body-data <string> One (--data is petctl's own).");
  });
});

describe('files', () => {
  const binary: Schema = { type: 'string', format: 'binary' };
  const of = operation(
    { photo: binary, more: { type: 'array', items: binary }, caption: { type: 'string' } },
    multipart,
  );
  const file = (name: string, content: string) => {
    const path = join(scratch, name);
    writeFileSync(path, content);
    return path;
  };
  const shown = async (value: unknown) =>
    value instanceof File ? [value.name, value.type, await value.text()] : value;

  test('have their name, a media type and their bytes', async () => {
    const path = file('cat, one.png', 'meow');
    const { photo, more, caption } = await input(of, [
      `--photo=@${path}`,
      `--more=@${path};type=image/webp`,
      `--more=@${path};filename=x.pdf`,
      '--caption=@home',
    ]);
    expect(await shown(photo)).toEqual(['cat, one.png', 'image/png', 'meow']);
    expect(await Promise.all((more as unknown[]).map(shown))).toEqual([
      ['cat, one.png', 'image/webp', 'meow'],
      ['x.pdf', 'application/pdf', 'meow'],
    ]);
    expect(caption).toBe('@home');
  });

  test('come from stdin, and through --data', async () => {
    const { photo } = await input(of, ['--photo', '@-;filename=a.csv'], 'x,y');
    expect(await shown(photo)).toEqual(['a.csv', 'text/csv', 'x,y']);
    const path = file('dog.bin', 'woof');
    const { photo: second } = await input(of, ['--data', JSON.stringify({ photo: `@${path}` })]);
    expect(await shown(second)).toEqual(['dog.bin', 'application/octet-stream', 'woof']);
  });

  test('show in the examples of the help, and make no line of an import', () => {
    const photo: Field = { in: 'body', required: true, description: 'One.', schema: binary };
    const post = { ...of, method: 'POST', fields: { ...of.fields, photo } } as const;
    const root = fullTree([post]);
    const node = root.commands?.[0]?.commands?.[0];
    expect(node && help({ path: ['things', 'put'], node }, processIo())).toContain(
      'petctl things put --photo @photo.bin',
    );
    expect(root.commands?.[0]?.commands?.map(({ name }) => name)).toEqual(['put']);
  });

  test('are not read before they are sent', async () => {
    const raw: RequestBody = { required: true, mediaType: 'application/octet-stream', kind: 'bytes', whole: true };
    const path = file('late.bin', 'first');
    const { body } = await input(operation({ body: binary }, raw), ['--data', `@${path}`]);
    expect(await shown(body)).toEqual(['late.bin', 'application/octet-stream', 'first']);
    writeFileSync(path, 'another, longer one');
    // A file that changed meanwhile is not sent as what it was.
    await expect((body as File).text()).rejects.toThrow();
  });

  test('that are not there are refused', async () => {
    expect(await refusal(of, '--photo', '@/nowhere/cat.png')).toContain('/nowhere/cat.png cannot be read (ENOENT)');
    expect(await refusal(of, '--photo', `@${scratch}`)).toContain('cannot be read (EISDIR)');
  });

  test('of text may be the whole body', async () => {
    const text: RequestBody = { required: true, mediaType: 'text/plain', kind: 'text', whole: true };
    const of = operation({ body: { type: 'string' } }, text);
    expect(await input(of, ['--data', `@${file('note.txt', 'a\nb')}`])).toEqual({ body: 'a\nb' });
    expect(await input(of, ['--data', '@-'], 'from stdin')).toEqual({ body: 'from stdin' });
  });
});
