import { describe, expect, expectTypeOf, test } from 'vitest';
import { type Api, type Operation, operations, type Pet, type PetStatus, service } from '../src/index.ts';

describe('the operations table', () => {
  test('can be read without knowing the operations', () => {
    const table: Readonly<Record<string, Operation>> = operations;
    for (const [id, operation] of Object.entries(table)) {
      expect(operation.id).toBe(id);
      expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining([...operation.successes]));
      const inPath = [...operation.path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      expect(Object.keys(operation.fields).filter((name) => operation.fields[name]?.in === 'path')).toEqual(inPath);
    }
  });

  test('contains bounds, defaults, enums and dates, which types cannot express', () => {
    expect(operations.listPets.fields.limit).toMatchObject({
      in: 'query',
      schema: { minimum: 1, maximum: 100, default: 20 },
    });
    expect(operations.createPet.fields.status.schema.enum).toEqual(['available', 'pending', 'sold']);
    expect(operations.createPet.fields.categoryId).toMatchObject({
      required: true,
      schema: { format: 'int64' },
    });
    expect(operations.getPet).toMatchObject({ deprecated: true, sunset: '2030-12-05', successor: 'listPets' });
  });

  test('names the deployments, each ending in the version segment', () => {
    expect(Object.keys(service.deployments)).toEqual(['production', 'staging']);
    for (const address of Object.values(service.deployments)) expect(address).toMatch(/\/v1$/);
  });
});

describe('Api', () => {
  test('accepts parameters and members of the body side by side', () => {
    expectTypeOf<Parameters<Api['createPet']>>().toEqualTypeOf<
      [input: { name: string; categoryId: number | bigint; status?: PetStatus }]
    >();
    expectTypeOf<Parameters<Api['getPet']>>().toEqualTypeOf<[input: { petId: number }]>();
  });

  test('has an optional input if nothing in it is required', () => {
    expectTypeOf<Parameters<Api['listPets']>>().toEqualTypeOf<
      [input?: { limit?: number; status?: PetStatus; after?: number }]
    >();
  });

  test("returns the operation's success", () => {
    expectTypeOf<ReturnType<Api['listPets']>>().toEqualTypeOf<Promise<Pet[]>>();
    expectTypeOf<ReturnType<Api['createPet']>>().toEqualTypeOf<Promise<Pet>>();
  });
});
