import { type Api, operations } from '@petstore/types';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';

export interface Implementation {
  /** The service, over an empty store. */
  api: Api;
  /** The error code of a rejection, or the rejection itself if it has no code. */
  codeOf(error: unknown): unknown;
}

const rex = { name: 'Rex', categoryId: 2, status: 'available' } as const;
const limit = operations.listPets.fields.limit.schema;

/** The tests of the contract of `Api`, for each implementation. */
export function contract(newImplementation: () => Promise<Implementation>) {
  let api: Api;
  let codeOf: Implementation['codeOf'];
  beforeEach(async () => {
    ({ api, codeOf } = await newImplementation());
  });
  const codeOfError = async (call: Promise<unknown>) =>
    codeOf(
      await call.then(
        () => 'no error',
        (error) => error,
      ),
    );

  describe('createPet', () => {
    test('returns the pet with a new identifier', async () => {
      const first = await api.createPet(rex);
      const second = await api.createPet(rex);
      expect(first).toEqual({ ...rex, id: expect.any(Number) });
      expect(second.id).toBeGreaterThan(first.id);
    });

    test('leaves a missing status absent', async () => {
      const pet = await api.createPet({ name: 'Tom', categoryId: 1 });
      expect(pet).toEqual({ id: pet.id, name: 'Tom', categoryId: 1 });
    });

    test.each(['', '\u0000', 'Ünïcødé 猫 🐈', '__proto__', 'a\nb\tc', '"quoted" \\ </script>'])(
      'stores the name %j unchanged',
      async (name) => {
        const { id } = await api.createPet({ name, categoryId: 0 });
        expect(await api.getPet({ petId: id })).toEqual({ id, name, categoryId: 0 });
      },
    );

    test.each([0, -1, 2 ** 53 - 1, 2n ** 53n, -(2n ** 53n) - 1n, 2n ** 63n - 1n, -(2n ** 63n)])(
      'stores the category %s exactly',
      async (categoryId) => {
        const { id } = await api.createPet({ name: 'x', categoryId });
        expect(await api.getPet({ petId: id })).toEqual({ id, name: 'x', categoryId });
        expect(await api.listPets({ after: id - 1 })).toEqual([{ id, name: 'x', categoryId }]);
      },
    );

    test('stores a large category exactly in a program that defines how bigints are written as JSON', async () => {
      const value = () => 'a text';
      Object.defineProperty(BigInt.prototype, 'toJSON', { value, configurable: true });
      onTestFinished(() => {
        Reflect.deleteProperty(BigInt.prototype, 'toJSON');
      });
      const { id } = await api.createPet({ name: 'x', categoryId: 2n ** 60n });
      expect(await api.getPet({ petId: id })).toEqual({ id, name: 'x', categoryId: 2n ** 60n });
    });
  });

  describe('getPet', () => {
    test.each([1, operations.getPet.fields.petId.schema.maximum])(
      'finds no pet %d in an empty store',
      async (petId) => {
        expect(await codeOfError(api.getPet({ petId }))).toBe('not_found');
      },
    );
  });

  describe('listPets', () => {
    test('returns an empty list from an empty store', async () => {
      expect(await api.listPets()).toEqual([]);
    });

    test('returns the first page in ascending order of id', async () => {
      const added = await addMany(limit.default + 1);
      expect(await api.listPets()).toEqual(added.slice(0, limit.default));
    });

    test('returns as many as the limit allows', async () => {
      const added = await addMany(3);
      expect(await api.listPets({ limit: limit.minimum })).toEqual(added.slice(0, 1));
      expect(await api.listPets({ limit: limit.maximum })).toEqual(added);
    });

    test.each(operations.listPets.fields.status.schema.enum)(
      'filters by the status %s',
      async (status) => {
        const added = await addMany(9);
        expect(await api.listPets({ status })).toEqual(
          added.filter((pet) => pet.status === status),
        );
      },
    );

    test('reaches every pet once, page by page', async () => {
      const added = await addMany(11);
      const read = [];
      for (let after = 0; ; ) {
        const page = await api.listPets({ after, limit: 3 });
        read.push(...page);
        if (page.length < 3) break;
        after = page.at(-1)?.id ?? after;
      }
      expect(read).toEqual(added);
    });
  });

  async function addMany(count: number) {
    const statuses = [...operations.createPet.fields.status.schema.enum, undefined];
    const added = [];
    for (let i = 0; i < count; i++) {
      const status = statuses[i % statuses.length];
      added.push(
        await api.createPet({ name: `pet ${i}`, categoryId: i, ...(status && { status }) }),
      );
    }
    return added;
  }
}
