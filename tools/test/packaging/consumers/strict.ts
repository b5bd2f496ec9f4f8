// Accepted by every compiler that the packages are for. Nothing here is run.
import {
  type CallError,
  connect,
  createPet,
  listPets,
  type Pet,
  PetstoreError,
  pages,
  petstore,
  withEnvironment,
} from '@petstore/client';
import { type Api, operations, type PetStatus } from '@petstore/types';

const api: Api = petstore({ apiKey: async () => 'a-key', timeout: 1_000, retry: { limit: 1 } });
const connection = connect(withEnvironment({ apiKey: 'a-key', deployment: 'staging' }));

export const page: Promise<Pet[]> = api.listPets({ status: 'sold' });
export const limit: 100 = operations.listPets.fields.limit.schema.maximum;
export const statuses: readonly PetStatus[] = operations.listPets.fields.status.schema.enum;

export async function names(signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  for await (const { name } of pages(listPets(connection, { limit: 10 }, { signal }))) found.push(name);
  return found;
}

export async function add(): Promise<string | undefined> {
  try {
    const { data, response } = await createPet(connection, { name: 'Rex', categoryId: 1 }).withResponse();
    return `${data.id.toFixed()} ${response.status.toFixed()}`;
  } catch (error) {
    return error instanceof PetstoreError ? error.code : undefined;
  }
}

export function isMissing(error: CallError): boolean {
  return error.name === 'NotFoundError' && error.status === 404;
}

// @ts-expect-error: there is no such status.
export const wrongStatus = () => listPets(connection, { status: 'lost' });
// @ts-expect-error: the category is missing.
export const missingInput = () => api.createPet({ name: 'Rex' });
// @ts-expect-error: no error of a call has this name.
export const noSuchError = (error: CallError) => error.name === 'LostError';
