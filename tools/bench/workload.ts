// The pets that every measured server and store holds, the rate of creates, and the requests of
// each row of the bench.
import { openLowdbStore, type Store } from '@petstore/server';
import { type NewPet, operations, type Pet, service } from '@petstore/types';

export const apiKey = 'a-key-that-is-for-the-bench';
export const collection = 'pets';

/** Every measured server has this number of pets at the start. */
export const PET_COUNT = 10_000;

/** The number of concurrent connections to a server, or of concurrent callers of a store. */
export const CONCURRENCY = 64;

export const statuses = operations.listPets.fields.status.schema.enum;

/** The pet of this number without its identifier. One in four has no status. */
export function newPet(number: number): NewPet {
  const pet: NewPet = { name: `Rex the ${number}th`, categoryId: number % 50 };
  const status = statuses[number % (statuses.length + 1)];
  if (status !== undefined) pet.status = status;
  return pet;
}

/** The pets that every measured server has at the start. */
export function firstPets(): Pet[] {
  return Array.from({ length: PET_COUNT }, (_, index) => ({ id: index + 1, ...newPet(index + 1) }));
}

/** Adds pets to an empty store. */
export async function fill(store: Store, count: number): Promise<void> {
  const pets = store.collection(collection);
  for (let done = 0; done < count; done += 1000) {
    const numbers = Array.from({ length: Math.min(1000, count - done) }, (_, i) => done + i + 1);
    await Promise.all(numbers.map((number) => pets.create(newPet(number))));
  }
}

/** Makes a data folder with this number of pets. */
export async function fillFolder(folder: string, count: number): Promise<void> {
  const store = await openLowdbStore(folder);
  await fill(store, count);
  await store.close();
}

/** Measures the number of pets that callers create in a second. */
export function measureCreateRate(store: Store, callers: number, count: number): Promise<number> {
  const pets = store.collection(collection);
  return measureRate((number) => pets.create(newPet(number)), callers, count);
}

/** Runs concurrent callers until they have made `count` calls. Returns the calls per second. */
export async function measureRate(
  call: (number: number) => unknown,
  callers: number,
  count: number,
): Promise<number> {
  const started = performance.now();
  let calls = 0;
  const caller = async () => {
    while (calls < count) {
      calls++;
      await call(calls);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return (count * 1000) / (performance.now() - started);
}

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: string;
}

const { listPets, createPet, getPet } = operations;

/** A row repeats this number of different requests in turn. */
const VARIETY = 300;

/** The requests of each row, which are sent in turn. */
export const rows = {
  'list 20': [list('limit=20')],
  'list 100 filtered': [list(`limit=100&status=${statuses[0]}`)],
  get: repeated(get),
  mixed: repeated(mixed),
  create: repeated(create),
} satisfies Record<string, readonly BenchRequest[]>;

export type Row = keyof typeof rows;

function repeated(request: (number: number) => BenchRequest): BenchRequest[] {
  return Array.from({ length: VARIETY }, (_, number) => request(number));
}

function list(query: string): BenchRequest {
  return { method: 'GET', target: `${service.basePath}${listPets.path}?${query}` };
}

function get(number: number): BenchRequest {
  const path = getPet.path.replace('{petId}', `${anyId(number)}`);
  return { method: 'GET', target: service.basePath + path };
}

function create(number: number): BenchRequest {
  const body = JSON.stringify(newPet(number));
  return { method: 'POST', target: service.basePath + createPet.path, body };
}

/**
 * Of ten requests, one creates, three ask for first pages with a filter, two for later pages, and
 * four for a pet.
 */
function mixed(number: number): BenchRequest {
  const kind = number % 10;
  if (kind === 0) return create(number);
  if (kind <= 3) return list(`limit=20&status=${statuses[number % statuses.length]}`);
  if (kind <= 5) return list(`limit=20&after=${anyId(number)}`);
  return get(number);
}

/**
 * Identifiers that are spread over all pets. At least 100 pets follow each: later pages are full.
 */
function anyId(number: number): number {
  return ((number * 7919 + 4711) % (PET_COUNT - 100)) + 1;
}
