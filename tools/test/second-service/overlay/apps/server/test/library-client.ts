import { NotFoundError, petstore, UnauthorizedError } from '@petstore/client';
import { apiKey } from '@petstore/testing/server';
import type { Input } from '@petstore/types';
import { expect, test } from 'vitest';
import { emma, type Library, optionsOf, picture } from './library-fixture.ts';

/** Tests of the client. */
export function testClient(library: Library): void {
  test('creates, gets, replaces, changes and removes', async () => {
    const book = await library.api.createBook({ ...emma, subtitle: null, state: 'lent' });
    const { id } = book;
    expect(book).toEqual({ id, ...emma, subtitle: null, state: 'lent' });
    expect(await library.api.getBook({ 'book-id': id })).toEqual(book);

    expect(await library.api.replaceBook({ 'book-id': id, ...emma })).toEqual({ id, ...emma });
    expect(await library.api.patchBook({ 'book-id': id, state: 'lost', author: { name: 'J. A.' } })).toEqual({
      id,
      ...emma,
      state: 'lost',
      author: { name: 'J. A.', born: 1775 },
    });
    expect(await library.api.removeBook({ 'book-id': id })).toBeUndefined();
    await expect(library.api.getBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
    await expect(library.api.removeBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
  });

  test('replaces and removes a book only where it has the version that If-Match names', async () => {
    const { id } = await library.api.createBook(emma);
    const book = { 'book-id': id };
    const tag = async () => (await library.api.getBook(book).withResponse()).response.headers.get('etag') ?? '';
    const first = await tag();
    await library.api.replaceBook({ ...book, 'If-Match': first, ...emma, state: 'lent' });
    const second = await tag();
    expect(second).not.toBe(first);
    await expect(library.api.replaceBook({ ...book, 'If-Match': first, ...emma })).rejects.toMatchObject({
      status: 412,
    });
    await expect(library.api.removeBook({ ...book, 'If-Match': first })).rejects.toMatchObject({ status: 412 });
    expect(await library.api.getBook(book)).toEqual({ id, ...emma, state: 'lent' });
    await library.api.removeBook({ ...book, 'If-Match': `"another", ${second}` });
    await expect(library.api.getBook(book)).rejects.toThrow(NotFoundError);
  });

  test('concurrent changes are all stored', async () => {
    const { id } = await library.api.createBook(emma);
    const book = { 'book-id': id };
    const patches: Input<'patchBook'>[] = [
      { ...book, title: 'Persuasion' },
      { ...book, subtitle: 'a novel' },
      { ...book, state: 'lost' },
      { ...book, author: { name: 'J. A.' } },
    ];
    await Promise.all(patches.map((patch) => library.api.patchBook(patch)));
    expect(await library.api.getBook(book)).toEqual({
      ...{ id, ...emma, title: 'Persuasion', subtitle: 'a novel', state: 'lost' },
      author: { ...emma.author, name: 'J. A.' },
    });
  });

  test('sends an int64 and gets it back, digit by digit', async () => {
    for (const isbn of [9007199254740993n, 9223372036854775807n, -9223372036854775808n, 7]) {
      const { id } = await library.api.createBook({ ...emma, isbn });
      expect(await library.api.getBook({ 'book-id': id })).toMatchObject({ isbn });
    }
  });

  test('filters by a list of values and by one of an enumeration, and follows the Link header', async () => {
    const books: Input<'createBook'>[] = [
      { ...emma, title: 'a', genre: 'novel', state: 'lost' },
      { ...emma, title: 'b', genre: 'poetry', state: 'lost' },
      { ...emma, title: 'c', genre: 'science', state: 'lost' },
      { ...emma, title: 'd', genre: 'poetry', state: 'shelved' },
      { ...emma, title: 'e', genre: 'poetry', state: 'lost' },
    ];
    const [after = 0] = (await Promise.all(books.map((book) => library.api.createBook(book)))).map(({ id }) => id - 1);
    const titles = async (input: Input<'listBooks'>) => {
      const found: string[] = [];
      for await (const { title } of library.api.listBooks({ limit: 2, after, ...input })) found.push(title);
      return found.toSorted();
    };
    expect(await titles({})).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await titles({ genre: ['novel', 'poetry'] })).toEqual(['a', 'b', 'd', 'e']);
    expect(await titles({ state: 'lost' })).toEqual(['a', 'b', 'c', 'e']);
    expect(await titles({ genre: ['poetry', 'science'], state: 'lost' })).toEqual(['b', 'c', 'e']);
  });

  test('calls operations with two path parameters, and follows the cursor in the body', async () => {
    const [{ id: bookId }, { id: otherId }] = [await library.api.createBook(emma), await library.api.createBook(emma)];
    const book = { 'book-id': bookId };
    const loans = [];
    for (const reader of ['Ada', 'Bo', 'Cy'])
      loans.push(await library.api.createLoan({ ...book, reader, due: '2027-01-31' }));
    await library.api.createLoan({ 'book-id': otherId, reader: 'Di', due: '2027-01-31' });

    const listed = [];
    for await (const loan of library.api.listLoans({ ...book, size: 2 })) listed.push(loan);
    expect(listed).toEqual(loans);
    const [first] = loans;
    if (!first) throw new Error('no loan was created');
    const loanId = first.id;
    await expect(library.api.getLoan({ 'book-id': otherId, loanId })).rejects.toThrow(NotFoundError);
    expect(await library.api.replaceLoan({ ...book, loanId, reader: 'Ada', due: '2027-02-28' })).toEqual({
      ...first,
      due: '2027-02-28',
    });
    const { response } = await library.api.remindReader({ ...book, loanId }).withResponse();
    expect(response.status).toBe(202);
    await library.api.removeLoan({ ...book, loanId });
    expect(await library.api.listLoans(book)).toEqual({ items: loans.slice(1) });
  });

  test('uploads a file, and downloads it without a key', async () => {
    const { id } = await library.api.createBook(emma);
    const book = { 'book-id': id };
    await expect(library.api.getCover(book)).rejects.toThrow(NotFoundError);
    await library.api.uploadCover({ ...book, picture: new Blob([picture]), caption: 'Emma, 1816' });
    const { apiKey: _, ...open } = optionsOf(library.server);
    const cover = await petstore(open).getCover(book);
    expect(Buffer.from(await new Response(cover).arrayBuffer())).toEqual(picture);
  });

  test('is rejected without the right key', async () => {
    const stranger = petstore({ ...optionsOf(library.server), apiKey: 'a-key-that-nobody-has' });
    await expect(stranger.listBooks()).rejects.toThrow(UnauthorizedError);
    expect((await fetch(`${library.server.baseUrl}/books`)).status).toBe(401);
    expect((await fetch(`${library.server.baseUrl}/books`, { headers: { 'X-API-Key': apiKey } })).status).toBe(200);
  });
}
