import { Readable } from 'node:stream';
import { newFolder } from '@petstore/testing';
import { describeOnSchema } from '@petstore/testing/postgres';
import type { Pet } from '@petstore/types';
import { expect, test } from 'vitest';
import { documentsOf, importDocuments } from '../../src/cli/import-documents.ts';
import { allCollections, collections } from '../../src/collections.ts';
import { handlers } from '../../src/handlers.ts';
import { openLowdbStore } from '../../src/store/lowdb/lowdb.ts';
import { openPostgresStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { apiOf } from '../../src/store/stored.ts';
import { runCommand } from '../server-process.ts';

/** The result of importing lines. Closes the store. */
async function importInto(store: Store, lines: string) {
  try {
    return await importDocuments(
      store,
      collections.pets,
      documentsOf(Readable.from([Buffer.from(lines)]), collections.pets),
      () => {},
    );
  } finally {
    await store.close();
  }
}

/** All pets of a store. Closes the store. */
async function all(store: Store): Promise<Pet[]> {
  const pets = await apiOf(handlers(store)).listPets({ after: 0, limit: 100_000 });
  await store.close();
  return pets;
}

async function filled(store: Store, count: number): Promise<Pet[]> {
  const pets = Array.from({ length: count }, (_, i) => ({ name: `pet ${i}`, categoryId: i }));
  await Promise.all(pets.map((pet) => handlers(store).createPet(pet)));
  await handlers(store).createPet({
    name: 'Ünïcødé 猫 \u2028 "quoted"\n\u0000',
    categoryId: -9_223_372_036_854_775_808n,
    status: 'sold',
  });
  return all(store);
}

describeOnSchema('export and import', (newSchema) => {
  test('move everything from a data folder to a database and back, with all identifiers', async () => {
    const [from, to, url] = [newFolder(), newFolder(), await newSchema()];
    const pets = await filled(await openLowdbStore(from, allCollections), 2500);
    const exported = runCommand(['export', 'pets'], { PETSTORE_DATA_DIR: from });
    expect(exported).toMatchObject({ status: 0, stderr: 'pets: 2501 written.\n' });

    const into = { DATABASE_URL: url };
    expect(runCommand(['import', 'pets'], into, exported.stdout)).toMatchObject({
      status: 0,
      stdout: '',
      stderr: 'pets: 2501 added, 0 already stored.\n',
    });
    const store = await openPostgresStore(url);
    expect(await apiOf(handlers(store)).createPet({ name: 'next', categoryId: 1 })).toMatchObject({ id: 2502 });
    expect(await all(store)).toEqual([...pets, { id: 2502, name: 'next', categoryId: 1 }]);

    const back = runCommand(['export', 'pets'], into);
    expect(back.stdout.startsWith(exported.stdout)).toBe(true);
    const imported = runCommand(['import', 'pets'], { PETSTORE_DATA_DIR: to }, back.stdout);
    expect(imported.stderr).toBe('pets: 2502 added, 0 already stored.\n');
    expect((await all(await openLowdbStore(to, allCollections))).slice(0, -1)).toEqual(pets);
  });

  test('can be repeated: existing documents are compared, missing ones added', async () => {
    const url = await newSchema();
    const folder = newFolder();
    await filled(await openLowdbStore(folder, allCollections), 1500);
    const { stdout } = runCommand(['export', 'pets'], { PETSTORE_DATA_DIR: folder });
    const some = stdout.split('\n').slice(0, 1100).join('\n');
    await importInto(await openPostgresStore(url), some);
    for (const added of [401, 0]) {
      expect(await importInto(await openPostgresStore(url), stdout)).toEqual({ added, existing: 1501 - added });
    }
    const other = stdout.replace('"pet 7"', '"another"');
    expect(runCommand(['import', 'pets'], { DATABASE_URL: url }, other)).toMatchObject({
      status: 1,
      stderr:
        'petstore-server: The document 8 of pets differs from the stored one, which an import never replaces; import into an empty store.\n',
    });
  });

  test('keep gaps, because identifiers of removed pets are never reused', async () => {
    const lines = `{"id":3,"name":"a","categoryId":1}\n{"id":9007199254740990,"name":"b","categoryId":1}\n`;
    const [url, folder] = [await newSchema(), newFolder()];
    for (const open of [() => openPostgresStore(url), () => openLowdbStore(folder, allCollections)]) {
      expect(await importInto(await open(), lines)).toEqual({ added: 2, existing: 0 });
      expect(await importInto(await open(), lines)).toEqual({ added: 0, existing: 2 });
    }
  });

  test('reject a line that is no document', async () => {
    const input = '{"id":1,"name":"a","categoryId":1}\n{"id":2,"name":"b","cat';
    expect(runCommand(['import', 'pets'], { PETSTORE_DATA_DIR: newFolder() }, input)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'petstore-server: Line 2: it is not JSON; correct it and import again.\n',
    });
  });

  test('reject a missing folder and an unreachable database', async () => {
    const missing = runCommand(['export', 'pets'], { PETSTORE_DATA_DIR: 'nowhere' });
    expect(missing).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^petstore-server: nowhere has no documents;/),
    });
    const url = 'postgres://u:SECRET@127.0.0.1:1/d';
    const gone = runCommand(['export', 'pets'], { DATABASE_URL: url, PETSTORE_DATABASE_CONNECT_TIMEOUT: '0.2' });
    expect(gone.status).toBe(1);
    expect(gone.stderr).toMatch(
      /^petstore-server: There is no connection to the database \(127\.0\.0\.1:1: .*\). Check .* DATABASE_URL\.\n$/,
    );
    expect(gone.stdout + gone.stderr).not.toContain('SECRET');
  });
});
