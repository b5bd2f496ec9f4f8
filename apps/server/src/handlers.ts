import { HttpError } from './http/http-error.ts';
import { type Input, operations } from './old.ts';
import type { ListQuery, Store } from './store/store.ts';
import { type Handlers, stored } from './store/stored.ts';

const { limit: limitField, after: afterField } = operations.listPets.fields;

/** The operations of the interface. They receive valid input. */
export function handlers(store: Store): Handlers {
  const pets = () => store.collection('pets');
  const noPet = (id: number) => () => new HttpError('not_found', `There is no pet with the identifier ${id}.`);
  return {
    listPets: (input) => stored(pets(), (pets) => pets.list(queryOf(input))),

    createPet: (pet) => stored(pets(), (pets) => pets.create({ ...pet })),

    getPet: ({ petId }) => stored(pets(), (pets) => pets.get(petId), noPet(petId)),
  };
}

/** `after` has no default in the spec. Its minimum, 0, starts at the first pet. */
function queryOf({
  limit = limitField.schema.default,
  after = afterField.schema.minimum,
  status,
}: Input<'listPets'> = {}): ListQuery {
  return { limit, after, ...(status && { filter: { property: 'status', value: status } }) };
}
