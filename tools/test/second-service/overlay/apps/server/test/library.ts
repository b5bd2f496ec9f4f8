import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NotFoundError, type Petstore, petstore, UnauthorizedError } from '@petstore/client';
import { newFolder } from '@petstore/testing';
import { apiKey, type ServerProcess, startServer } from '@petstore/testing/server';
import type { Input } from '@petstore/types';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from './server-process.ts';

const petctl = join(import.meta.dirname, '../../petctl/dist/petctl.js');

const emma = {
  title: 'Emma',
  isbn: 9780141439587,
  genre: 'novel',
  author: { name: 'Jane Austen', born: 1775 },
} satisfies Input<'createBook'>;

/** The smallest picture that is one. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** The environment of a server process with a store of its own. */
export type NewEnvironment = () => Record<string, string> | Promise<Record<string, string>>;

/** Tests of the library through server processes, by the client and by petctl. */
export function describeLibrary(what: string, newEnvironment: NewEnvironment): void {
  describe(what, () => {
    let running: ServerProcess;
    let api: Petstore;
    beforeAll(async () => {
      running = await startServer(main, await newEnvironment());
      api = clientOf(running);
    });
    afterAll(() => running.kill());

    describe('the client', () => {
      test('creates, gets, replaces, changes and removes', async () => {
        const book = await api.createBook({ ...emma, subtitle: null, state: 'lent' });
        const { id } = book;
        expect(book).toEqual({ id, ...emma, subtitle: null, state: 'lent' });
        expect(await api.getBook({ 'book-id': id })).toEqual(book);

        expect(await api.replaceBook({ 'book-id': id, ...emma })).toEqual({ id, ...emma });
        expect(await api.patchBook({ 'book-id': id, state: 'lost', author: { name: 'J. A.' } })).toEqual({
          id,
          ...emma,
          state: 'lost',
          author: { name: 'J. A.', born: 1775 },
        });
        expect(await api.removeBook({ 'book-id': id })).toBeUndefined();
        await expect(api.getBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
        await expect(api.removeBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
      });

      test('replaces and removes a book only where it has the version that If-Match names', async () => {
        const { id } = await api.createBook(emma);
        const book = { 'book-id': id };
        const tag = async () => (await api.getBook(book).withResponse()).response.headers.get('etag') ?? '';
        const first = await tag();
        await api.replaceBook({ ...book, 'If-Match': first, ...emma, state: 'lent' });
        const second = await tag();
        expect(second).not.toBe(first);
        await expect(api.replaceBook({ ...book, 'If-Match': first, ...emma })).rejects.toMatchObject({ status: 412 });
        await expect(api.removeBook({ ...book, 'If-Match': first })).rejects.toMatchObject({ status: 412 });
        expect(await api.getBook(book)).toEqual({ id, ...emma, state: 'lent' });
        await api.removeBook({ ...book, 'If-Match': `"another", ${second}` });
        await expect(api.getBook(book)).rejects.toThrow(NotFoundError);
      });

      test('concurrent changes are all stored', async () => {
        const { id } = await api.createBook(emma);
        const book = { 'book-id': id };
        const patches: Input<'patchBook'>[] = [
          { ...book, title: 'Persuasion' },
          { ...book, subtitle: 'a novel' },
          { ...book, state: 'lost' },
          { ...book, author: { name: 'J. A.' } },
        ];
        await Promise.all(patches.map((patch) => api.patchBook(patch)));
        expect(await api.getBook(book)).toEqual({
          ...{ id, ...emma, title: 'Persuasion', subtitle: 'a novel', state: 'lost' },
          author: { ...emma.author, name: 'J. A.' },
        });
      });

      test('sends an int64 and gets it back, digit by digit', async () => {
        for (const isbn of [9007199254740993n, 9223372036854775807n, -9223372036854775808n, 7]) {
          const { id } = await api.createBook({ ...emma, isbn });
          expect(await api.getBook({ 'book-id': id })).toMatchObject({ isbn });
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
        const [after = 0] = (await Promise.all(books.map((book) => api.createBook(book)))).map(({ id }) => id - 1);
        const titles = async (input: Input<'listBooks'>) => {
          const found: string[] = [];
          for await (const { title } of api.listBooks({ limit: 2, after, ...input })) found.push(title);
          return found.toSorted();
        };
        expect(await titles({})).toEqual(['a', 'b', 'c', 'd', 'e']);
        expect(await titles({ genre: ['novel', 'poetry'] })).toEqual(['a', 'b', 'd', 'e']);
        expect(await titles({ state: 'lost' })).toEqual(['a', 'b', 'c', 'e']);
        expect(await titles({ genre: ['poetry', 'science'], state: 'lost' })).toEqual(['b', 'c', 'e']);
      });

      test('calls below two identifiers, and follows the cursor in the body', async () => {
        const [{ id: bookId }, { id: otherId }] = [await api.createBook(emma), await api.createBook(emma)];
        const book = { 'book-id': bookId };
        const loans = [];
        for (const reader of ['Ada', 'Bo', 'Cy'])
          loans.push(await api.createLoan({ ...book, reader, due: '2027-01-31' }));
        await api.createLoan({ 'book-id': otherId, reader: 'Di', due: '2027-01-31' });

        const listed = [];
        for await (const loan of api.listLoans({ ...book, size: 2 })) listed.push(loan);
        expect(listed).toEqual(loans);
        const [first] = loans;
        if (!first) throw new Error('no loan was created');
        const loanId = first.id;
        await expect(api.getLoan({ 'book-id': otherId, loanId })).rejects.toThrow(NotFoundError);
        expect(await api.replaceLoan({ ...book, loanId, reader: 'Ada', due: '2027-02-28' })).toEqual({
          ...first,
          due: '2027-02-28',
        });
        const { response } = await api.remindReader({ ...book, loanId }).withResponse();
        expect(response.status).toBe(202);
        await api.removeLoan({ ...book, loanId });
        expect(await api.listLoans(book)).toEqual({ items: loans.slice(1) });
      });

      test('uploads a file, and downloads it without a key', async () => {
        const { id } = await api.createBook(emma);
        const book = { 'book-id': id };
        await expect(api.getCover(book)).rejects.toThrow(NotFoundError);
        await api.uploadCover({ ...book, picture: new Blob([picture]), caption: 'Emma, 1816' });
        const { apiKey: _, ...open } = optionsOf(running);
        const cover = await petstore(open).getCover(book);
        expect(Buffer.from(await new Response(cover).arrayBuffer())).toEqual(picture);
      });

      test('is rejected without the right key', async () => {
        const stranger = petstore({ ...optionsOf(running), apiKey: 'a-key-that-nobody-has' });
        await expect(stranger.listBooks()).rejects.toThrow(UnauthorizedError);
        expect((await fetch(`${running.baseUrl}/books`)).status).toBe(401);
        expect((await fetch(`${running.baseUrl}/books`, { headers: { 'X-API-Key': apiKey } })).status).toBe(200);
      });
    });

    test('the pages, the metrics and the greeting are about the service', async () => {
      const get = async (path: string) => (await fetch(running.origin + path)).text();
      expect(await get('/docs')).toContain('<title>Library');
      expect(JSON.parse(await get('/openapi.json')).info.title).toBe('Library');
      expect(await get('/metrics')).toContain('operation="createBook",status="201"');
      expect(running.stderr()).toMatch(
        /Library listens on .*petctl .* books list\n.*X-API-Key: .*\/library\/v2\/books\n/s,
      );
    });

    describe('petctl', () => {
      const call = (...args: string[]) => run(running, args);
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
        const listed = [
          '--after',
          `${id - 1}`,
          '--genre',
          'novel',
          '--genre',
          'poetry',
          '--state',
          'lost',
          '--limit',
          '1',
        ];
        expect(await json('books', 'list', ...listed)).toMatchObject([{ id }]);
        await call('books', 'remove', `${id}`);
        expect(await json('books', 'list', ...listed)).toEqual([]);
      });

      test('pages by the cursor in the body', async () => {
        const { id } = await api.createBook(emma);
        for (const reader of ['Ada', 'Bo', 'Cy'])
          await call('loans', 'create', `${id}`, '--reader', reader, '--due', '2027-01-31');
        const loans = await json('loans', 'list', `${id}`, '--page-size', '1', '--all');
        expect(loans).toMatchObject([{ reader: 'Ada' }, { reader: 'Bo' }, { reader: 'Cy' }]);
        await call('loans', 'remind-reader', `${id}`, `${loans[0].id}`);
      });

      test('uploads a file, and downloads it', async () => {
        const { id } = await api.createBook(emma);
        const [from, to] = [join(newFolder(), 'from.png'), join(newFolder(), 'to.png')];
        writeFileSync(from, picture);
        await call('books', 'upload-cover', `${id}`, '--picture', `@${from}`, '--caption', 'Emma, 1816');
        await call('books', 'get-cover', `${id}`, '--output-file', to);
        expect(readFileSync(to)).toEqual(picture);
      });

      test('removes only the version that --if-match names', async () => {
        const { id } = await api.createBook(emma);
        const etag = (await api.getBook({ 'book-id': id }).withResponse()).response.headers.get('etag') ?? '';
        await expect(call('books', 'remove', `${id}`, '--if-match', '"another"')).rejects.toThrow('HTTP 412');
        await call('books', 'remove', `${id}`, '--if-match', etag);
        await expect(api.getBook({ 'book-id': id })).rejects.toThrow(NotFoundError);
      });
    });
  });

  test(`${what}, nothing is lost when the server is killed`, async () => {
    const environment = await newEnvironment();
    const first = await startServer(main, environment);
    const api = clientOf(first);
    const [unchanged, changed, removed] = await Promise.all([1, 2, 3].map(() => api.createBook(emma)));
    if (!unchanged || !changed || !removed) throw new Error('a book was not created');
    await api.patchBook({ 'book-id': changed.id, state: 'lent' });
    await api.removeBook({ 'book-id': removed.id });
    const loan = await api.createLoan({ 'book-id': changed.id, reader: 'Ada', due: '2027-01-31' });
    await first.kill('SIGKILL');

    const second = await startServer(main, environment);
    try {
      const again = clientOf(second);
      expect(await again.listBooks()).toEqual([unchanged, { ...changed, state: 'lent' }]);
      expect(await again.listLoans({ 'book-id': changed.id })).toEqual({ items: [loan] });
      expect((await again.createBook(emma)).id).toBe(4);
    } finally {
      await second.kill();
    }
  });

  test(`${what}, each collection can be exported and imported`, async () => {
    const [from, to] = [await newEnvironment(), await newEnvironment()];
    const running = await startServer(main, from);
    const api = clientOf(running);
    const { id } = await api.createBook({ ...emma, isbn: 9223372036854775807n });
    await api.createLoan({ 'book-id': id, reader: 'Ada', due: '2027-01-31' });
    await running.kill('SIGTERM');
    for (const collection of ['books', 'loans']) {
      const call = (command: string, environment: Record<string, string>, input = '') =>
        execute(main, [command, collection], { ...process.env, ...environment }, input);
      const lines = await call('export', from);
      expect(lines.split('\n')).toHaveLength(2);
      await call('import', to, lines);
      expect(await call('export', to)).toBe(lines);
    }
    await expect(execute(main, ['export'], process.env)).rejects.toThrow('collection');
  });
}

function optionsOf({ baseUrl }: ServerProcess) {
  return { baseUrl, apiKey, retry: 0 };
}

function clientOf(running: ServerProcess): Petstore {
  return petstore(optionsOf(running));
}

/** The stdout of petctl. */
function run({ baseUrl }: ServerProcess, args: readonly string[]): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    HOME: newFolder('home'),
    PETCTL_BASE_URL: baseUrl,
    PETCTL_API_KEY: apiKey,
    PETCTL_KEYRING: 'false',
  };
  return execute(petctl, args, env);
}

/** The stdout of a program; rejects with its stderr if it fails. */
function execute(program: string, args: readonly string[], env: NodeJS.ProcessEnv, input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, [program, ...args], { env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${args.join(' ')}: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
    child.stdin?.end(input);
  });
}
