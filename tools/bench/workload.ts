/** The part of the bench that is specific to this service: its documents, and the measured operations. */
import { type Input, type NewPet, operations, type Pet, service } from '@petstore/types';

export type Document = Pet;
export type NewDocument = NewPet;

/** The collection of the documents, and its operations. */
export const collection = 'pets';
export const { listPets: list, createPet: create, getPet: get } = operations;

/** The path of the collection. */
export const collectionPath = `${service.basePath}${list.path}`;

const [common, ...others] = list.fields.status.schema.enum;
/** The filter of lists; a quarter of the documents has its value. */
export const filter = { property: 'status', value: common } as const;

/** How many documents every server has. */
export const size = 10_000;

/** The document that is created. */
export const added = {
  name: 'Rex the 1234567th',
  categoryId: 12,
  [filter.property]: filter.value,
} as const satisfies NewDocument;

/** The documents that every server has, always the same. */
export function documents(count = size): Document[] {
  return Array.from({ length: count }, (_, i) => ({ id: i + 1, ...newDocument(i + 1) }));
}

/** The document of this number. */
export function newDocument(number: number): NewDocument {
  const value = [common, ...others, undefined][number % (others.length + 2)];
  return { name: `Rex the ${number}th`, categoryId: number % 50, ...(value && { [filter.property]: value }) };
}

/** The input of the operation that gets a document. */
export const idInput = (petId: number) => ({ petId }) satisfies Input<typeof get.id>;

/** The operations over an array, which is scanned: the storage of the servers that ours is compared with. */
export function inArray(pets: Pet[]) {
  return {
    getPet: ({ petId }: Input<'getPet'>) => pets[petId - 1],
    createPet: (pet: NewPet) => {
      const created = { id: pets.length + 1, ...pet };
      pets.push(created);
      return created;
    },
    listPets: ({ after = 0, limit = list.fields.limit.schema.default, status }: Input<'listPets'>) => {
      const found: Pet[] = [];
      for (let at = after; at < pets.length && found.length < limit; at++) {
        const pet = pets[at];
        if (pet && (status === undefined || pet.status === status)) found.push(pet);
      }
      return found;
    },
  };
}
