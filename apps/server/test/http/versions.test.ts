import { newFolder } from '@petstore/testing';
import { describe, expect, test } from 'vitest';
import { allCollections } from '../../src/collections.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { memoryStore } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/store.ts';
import { listen, modes, withFunctions } from '../listen.ts';

/** The stores whose lists have versions. Each function creates a store, and returns a function that opens it for each run. */
const stores: [string, () => () => Promise<Store>][] = [
  ['in memory', () => async () => memoryStore()],
  [
    'on a data folder',
    (folder = newFolder()) =>
      () =>
        openLowdbStore(folder, allCollections),
  ],
];

const variants = modes.flatMap(([mode, options]) =>
  stores.map(([where, newStore]) => [`${mode}, ${where}`, options, newStore] as const),
);

describe.each(variants)('%s', (_, options, newStore) => {
  async function serving(
    open: () => Promise<Store>,
    work: (ask: (path: string, known?: string) => Promise<Response>) => Promise<void>,
  ) {
    const store = await open();
    const server = await listen(options, store);
    const headers = { authorization: `Bearer ${server.apiKey}`, 'content-type': 'application/json' };
    try {
      await work((path, known) => {
        const init = path === 'add' ? { method: 'POST', body: '{"name":"Rex","categoryId":2}' } : {};
        const conditional = { ...headers, ...(known && { 'if-none-match': known }) };
        return fetch(`${server.baseUrl}/pets${path === 'add' ? '' : path}`, { ...init, headers: conditional });
      });
    } finally {
      await server.close();
      await store.close();
    }
  }

  test.each(['', '/1', '?limit=1'])('an unchanged resource gets a 304: /pets%s', async (path) => {
    await serving(newStore(), async (ask) => {
      await ask('add');
      const first = await ask(path);
      const tag = first.headers.get('etag') ?? '';
      // The bytes of a pet depend on its version alone, so its tag is strong. Those of a page also depend on a limit of the server.
      expect([first.status, tag]).toEqual([200, expect.stringMatching(path === '/1' ? /^".+"$/ : /^W\/".+"$/)]);
      const opaque = tag.replace('W/', '');

      for (const known of [opaque, `W/${opaque}`, `"other", ${tag}`, '*']) {
        const again = await ask(path, known);
        expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag]);
        expect(again.headers.get('x-request-id')).toBeTruthy();
      }
      expect((await ask(path, 'W/"other"')).status).toBe(200);

      await ask('add');
      const changed = await ask(path, tag);
      // A pet has its own version; a list has the version of the collection.
      if (path === '/1') expect([changed.status, changed.headers.get('etag')]).toEqual([304, tag]);
      else expect([changed.status, changed.headers.get('etag')]).toEqual([200, expect.not.stringContaining(tag)]);
    });
  });

  test('an ETag of another run of the server does not match', async () => {
    const open = newStore();
    const tags: (string | null)[] = [];
    for (let run = 0; run < 2; run++) {
      await serving(open, async (ask) => void tags.push((await ask('')).headers.get('etag')));
    }
    expect(new Set(tags).size).toBe(2);
  });

  test('`*` matches a resource without a version', async () => {
    const store = memoryStore(allCollections);
    const server = await listen(options, withFunctions(store, { version: () => undefined }));
    const ask = (known: string) =>
      fetch(`${server.baseUrl}/pets`, {
        headers: { authorization: `Bearer ${server.apiKey}`, 'if-none-match': known },
      });
    expect([(await ask('"any"')).status, (await ask('*')).status]).toEqual([200, 304]);
    await server.close();
  });

  test('a missing pet is a 404 despite If-None-Match; a creation has no ETag', async () => {
    await serving(newStore(), async (ask) => {
      expect((await ask('/7', '*')).status).toBe(404);
      const added = await ask('add', '*');
      expect([added.status, added.headers.get('etag')]).toEqual([201, null]);
    });
  });
});
