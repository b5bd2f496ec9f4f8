import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotFoundError } from '@petstore/client';
import { newFolder } from '@petstore/testing';
import { expect, test } from 'vitest';
import { emma, type Library, petctl, picture } from './library-fixture.ts';

/** Tests of petctl. */
export function testPetctl(library: Library): void {
  const call = (...args: string[]) => petctl(library.server, args);
  const json = async (...args: string[]) => JSON.parse(await call(...args, '-o', 'json'));

  test('has the commands of the service', async () => {
    const help = await call('--help');
    expect(help).toContain('books');
    expect(help).toContain('loans');
    expect(help).not.toContain('pets');
  });

  test('creates, gets, replaces, changes, lists and removes', async () => {
    const isbn = '9223372036854775807';
    const fields = ['--title', 'Emma', '--genre', 'novel', '--author.name', 'Jane Austen'];
    const created = await call('books', 'create', ...fields, '--isbn', isbn, '--state', 'shelved', '-o', 'json');
    expect(created).toContain(isbn);
    const { id } = JSON.parse(created);
    expect(await json('books', 'get', `${id}`)).toMatchObject({ title: 'Emma', author: { name: 'Jane Austen' } });
    expect(await json('books', 'replace', `${id}`, ...fields, '--isbn', '7')).not.toHaveProperty('state');
    expect(await json('books', 'patch', `${id}`, '--state', 'lost')).toMatchObject({ id, isbn: 7, state: 'lost' });
    const genres = ['--genre', 'novel', '--genre', 'poetry'];
    const listed = ['--after', `${id - 1}`, ...genres, '--state', 'lost', '--limit', '1'];
    expect(await json('books', 'list', ...listed)).toMatchObject([{ id }]);
    await call('books', 'remove', `${id}`);
    expect(await json('books', 'list', ...listed)).toEqual([]);
  });

  test('pages by the cursor in the body', async () => {
    const { id } = await library.api.createBook(emma);
    for (const reader of ['Ada', 'Bo', 'Cy'])
      await call('loans', 'create', `${id}`, '--reader', reader, '--due', '2027-01-31');
    const loans = await json('loans', 'list', `${id}`, '--page-size', '1', '--all');
    expect(loans).toMatchObject([{ reader: 'Ada' }, { reader: 'Bo' }, { reader: 'Cy' }]);
    await call('loans', 'remind-reader', `${id}`, `${loans[0].id}`);
  });

  test('uploads a file, and downloads it', async () => {
    const { id } = await library.api.createBook(emma);
    const [from, to] = [join(newFolder(), 'from.png'), join(newFolder(), 'to.png')];
    writeFileSync(from, picture);
    await call('books', 'upload-cover', `${id}`, '--picture', `@${from}`, '--caption', 'Emma, 1816');
    await call('books', 'get-cover', `${id}`, '--output-file', to);
    expect(readFileSync(to)).toEqual(picture);
  });

  test('removes only the version that --if-match names', async () => {
    const { id } = await library.api.createBook(emma);
    const etag = (await library.api.getBook({ 'book-id': id }).withResponse()).response.headers.get('etag') ?? '';
    await expect(call('books', 'remove', `${id}`, '--if-match', '"another"')).rejects.toThrow('HTTP 412');
    await call('books', 'remove', `${id}`, '--if-match', etag);
    await expect(library.api.getBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
  });
}
