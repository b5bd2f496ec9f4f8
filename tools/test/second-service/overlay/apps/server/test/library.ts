import { startServer } from '@petstore/testing/server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testClient } from './library-client.ts';
import { clientOf, emma, execute, type Library } from './library-fixture.ts';
import { testPetctl } from './library-petctl.ts';
import { main } from './server-process.ts';

/** The environment of a server process with a store of its own. */
export type NewEnvironment = () => Record<string, string> | Promise<Record<string, string>>;

/** Tests of the library through server processes, by the client and by petctl. */
export function describeLibrary(what: string, newEnvironment: NewEnvironment): void {
  describe(what, () => {
    const library = {} as Library;
    beforeAll(async () => {
      library.server = await startServer(main, await newEnvironment());
      library.api = clientOf(library.server);
    });
    afterAll(() => library.server.kill());

    describe('the client', () => testClient(library));
    describe('petctl', () => testPetctl(library));

    test('the pages, the metrics and the greeting are about the service', async () => {
      const get = async (path: string) => (await fetch(library.server.origin + path)).text();
      expect(await get('/docs')).toContain('<title>Library');
      expect(JSON.parse(await get('/openapi.json')).info.title).toBe('Library');
      expect(await get('/metrics')).toContain('operation="createBook",status="201"');
      expect(library.server.stderr()).toMatch(
        /Library listens on .*petctl .* books list\n.*X-API-Key: .*\/library\/v2\/books\n/s,
      );
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
