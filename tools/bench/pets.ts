import { type NewPet, operations, type Pet } from '@petstore/types';

const [available] = operations.listPets.fields.status.schema.enum;
const statuses = [...operations.listPets.fields.status.schema.enum, undefined];

/** How many pets every server has. */
export const size = 10_000;

/** The pet that is added. */
export const added = { name: 'Rex the 1234567th', categoryId: 12, status: available } as const satisfies NewPet;

/** The pets that every server has, always the same. */
export function pets(count = size): Pet[] {
  return Array.from({ length: count }, (_, i) => ({ id: i + 1, ...newPet(i + 1) }));
}

/** The pet that has this number. */
export function newPet(number: number): NewPet {
  const status = statuses[number % statuses.length];
  return { name: `Rex the ${number}th`, categoryId: number % 50, ...(status && { status }) };
}
