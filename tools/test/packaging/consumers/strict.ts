// Accepted by every compiler that the package is for. Nothing here is run.
import {
  type Call,
  type CallError,
  type Options,
  type Pet,
  PetstoreError,
  petstore,
} from '@petstore/client';
import { fakePetstore } from '@petstore/client/testing';
import { type Api, operations, type PetStatus } from '@petstore/types';

const options: Options = {
  apiKey: async () => 'a-key',
  timeout: 1_000,
  retry: { limit: 1 },
  deployment: 'staging',
};
export const store = petstore(options);
export const listed = (api: Api = store) => api.listPets();
export const page: Promise<Pet[]> = store.listPets({ status: 'sold' });
export const call: Call<Pet> = store.createPet({ name: 'Rex', categoryId: 2n });
export const limit: 100 = operations.listPets.fields.limit.schema.maximum;
export const statuses: readonly PetStatus[] = operations.listPets.fields.status.schema.enum;

export async function names(signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of store.listPets({ limit: 10 }, { signal })) found.push(name);
  return found.concat((await store.listPets().collect({ max: 5 })).map(({ name }) => name));
}

export async function add(): Promise<string | undefined> {
  try {
    const { data, response } = await store.createPet({ name: 'Rex', categoryId: 1 }).withResponse();
    return `${data.id.toFixed()} ${response.status.toFixed()}`;
  } catch (error) {
    return error instanceof PetstoreError ? error.code : undefined;
  }
}

export function isMissing(error: CallError): boolean {
  return error.name === 'NotFoundError' && error.status === 404;
}

fakePetstore({ pageSize: 2 }).next('listPets', { status: 503 }, { disconnect: 'before' });
// @ts-expect-error: there is no such status.
export const wrongStatus = () => store.listPets({ status: 'lost' });
// @ts-expect-error: the category is missing.
export const missingInput = () => store.createPet({ name: 'Rex' });
// @ts-expect-error: only lists have pages.
export const noPages = () => store.getPet({ petId: 1 }).collect();
// @ts-expect-error: no error of a call has this name.
export const noSuchError = (error: CallError) => error.name === 'LostError';
