import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RequestBody, Schema } from '@petstore/types';
import { describe, expect, test } from 'vitest';
import { help } from '../src/commands/help/help.ts';
import { fullTree } from '../src/commands/tree.ts';
import { field, helpOf, input, io, operation, usageError } from './inputs.ts';
import { scratch } from './petctl.ts';

const multipart: RequestBody = { required: true, mediaType: 'multipart/form-data', kind: 'multipart' };

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
  const contentOf = async (value: unknown) =>
    value instanceof File ? [value.name, value.type, await value.text()] : value;

  test('have their name, a media type and their bytes', async () => {
    const path = file('cat, one.png', 'meow');
    const { photo, more, caption } = await input(of, [
      `--photo=@${path}`,
      `--more=@${path};type=image/webp`,
      `--more=@${path};filename=x.pdf`,
      '--caption=@home',
    ]);
    expect(await contentOf(photo)).toEqual(['cat, one.png', 'image/png', 'meow']);
    expect(await Promise.all((more as unknown[]).map(contentOf))).toEqual([
      ['cat, one.png', 'image/webp', 'meow'],
      ['x.pdf', 'application/pdf', 'meow'],
    ]);
    expect(caption).toBe('@home');
  });

  test('can come from stdin and from --data', async () => {
    const { photo } = await input(of, ['--photo', '@-;filename=a.csv'], 'x,y');
    expect(await contentOf(photo)).toEqual(['a.csv', 'text/csv', 'x,y']);
    const path = file('dog.bin', 'woof');
    const { photo: second } = await input(of, ['--data', JSON.stringify({ photo: `@${path}` })]);
    expect(await contentOf(second)).toEqual(['dog.bin', 'application/octet-stream', 'woof']);
  });

  test('may have a name of any length: a rule about the length is about the bytes', async () => {
    const bounded = { ...binary, minLength: 500 };
    const bytes = operation({ photo: bounded, more: { type: 'array', items: { ...binary, maxLength: 4 } } }, multipart);
    const [long, short] = [file('long.txt', 'x'.repeat(500)), file('short.txt', 'meow')];
    const { photo, more } = await input(bytes, [`--photo=@${long}`, `--more=@${short}`]);
    expect(await contentOf(photo)).toEqual(['long.txt', 'text/plain', 'x'.repeat(500)]);
    expect(await Promise.all((more as unknown[]).map(contentOf))).toEqual([['short.txt', 'text/plain', 'meow']]);
    expect(await input(bytes, ['--data', JSON.stringify({ photo: `@${long}` })])).toMatchObject({
      photo: { size: 500 },
    });
    expect(await usageError(bytes, '--photo', 'meow')).toContain('is shorter than 500');
  });

  test('are only in the body: a parameter may begin with @', async () => {
    const withParameter = { ...of, fields: { ...of.fields, owner: field({ type: 'string' }) } };
    expect(await input(withParameter, ['--owner=@ann', '--caption=Tom'])).toEqual({ owner: '@ann', caption: 'Tom' });
  });

  test('are not read for @ in a list in a list, which is JSON', async () => {
    const lists = operation({ more: { type: 'array', items: {} } }, multipart);
    expect(await input(lists, ['--data', '{"more":[["@home"]]}'])).toEqual({ more: [['@home']] });
  });

  test('only one of them can come from stdin', () => {
    io.stdin();
    expect(() => io.stdin()).toThrow('stdin is read twice.');
  });

  test('appear in the examples of the help, and an operation with files has no import', () => {
    const photo = { ...field(binary, 'body'), required: true };
    const post = { ...of, method: 'POST', fields: { ...of.fields, photo } } as const;
    const root = fullTree([post]);
    const node = root.commands?.[0]?.commands?.[0];
    expect(node && help({ path: ['things', 'put'], node }, io)).toContain('petctl things put --photo @photo.bin');
    expect(root.commands?.[0]?.commands?.map(({ name }) => name)).toEqual(['put']);
  });

  test('are read when they are sent, and then a changed file is an error', async () => {
    const raw: RequestBody = { required: true, mediaType: 'application/octet-stream', kind: 'bytes', whole: true };
    expect(helpOf(operation({ body: binary }, raw))).toContain('--data <body>');
    const path = file('late.bin', 'first');
    const { body } = await input(operation({ body: binary }, raw), ['--data', `@${path}`]);
    expect(await contentOf(body)).toEqual(['late.bin', 'application/octet-stream', 'first']);
    writeFileSync(path, 'another, longer one');
    // A file that has changed since is an error.
    await expect((body as File).text()).rejects.toThrow();
  });

  test('that are missing are rejected', async () => {
    expect(await usageError(of, '--photo', '@/nowhere/cat.png')).toContain('/nowhere/cat.png cannot be read (ENOENT)');
    expect(await usageError(of, '--photo', `@${scratch}`)).toContain('is a folder. Pass a file');
  });

  test('of text may be the whole body', async () => {
    const text: RequestBody = { required: true, mediaType: 'text/plain', kind: 'text', whole: true };
    const of = operation({ body: { type: 'string' } }, text);
    expect(await input(of, ['--data', `@${file('note.txt', 'a\nb')}`])).toEqual({ body: 'a\nb' });
    expect(await input(of, ['--data', '@-'], 'from stdin')).toEqual({ body: 'from stdin' });
    const long = operation({ body: { type: 'string', minLength: 3 } }, text);
    expect(await usageError(long, '--data', 'ab')).toContain('--data: the value is shorter than 3.');
  });
});
