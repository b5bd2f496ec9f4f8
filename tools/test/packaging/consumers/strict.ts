// Accepted by every compiler that the package is for. Nothing here is run.
import {
  type Call,
  type CallError,
  type Options,
  type Pet,
  PetstoreError,
  petstore,
  ResponseError,
  stringify,
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
    return error instanceof ResponseError ? error.code : undefined;
  }
}

/** A `catch` knows every error of a call, and the compiler each of them. */
export async function advice(): Promise<string> {
  try {
    return stringify(await store.getPet({ petId: 1 }));
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error;
    switch (error.name) {
      case 'UnauthorizedError':
      case 'NotFoundError':
      case 'RateLimitedError':
      case 'InvalidRequestError':
      case 'ServerError':
      case 'UnexpectedResponseError':
        return `${error.status.toFixed()} ${error.requestId ?? ''}`;
      case 'ConnectionError':
      case 'TimeoutError':
      case 'AbortedError':
        return error.attempts.toFixed();
      default:
        return error satisfies never;
    }
  }
}

/** A class of the caller is one like any other. */
export class ShopError extends PetstoreError {
  readonly shop = 'north';
}
export const shopOf = (error: unknown) => (error instanceof ShopError ? error.shop : undefined);

export async function pages(): Promise<boolean[]> {
  const found: boolean[] = [];
  for await (const { data, response, hasMore } of store.listPets().pages({ max: 50 }))
    found.push(hasMore && response.ok && data.length > 0);
  return found;
}

/** The types say that the data is missing where the caller asks whether it has changed. */
export async function changed(etag: string): Promise<Pet[] | undefined> {
  const headers = { 'if-none-match': etag };
  const { data, response } = await store.listPets({}, { headers }).withResponse();
  const isMissing: undefined extends typeof data ? true : false = true;
  return isMissing && response.status === 304 ? undefined : data;
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
