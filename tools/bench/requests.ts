// The requests of each row of the bench.
import { operations, service } from '@petstore/types';
import { newPet, PET_COUNT, statuses } from './pets.ts';

export interface BenchRequest {
  readonly method: 'GET' | 'POST';
  readonly target: string;
  readonly body?: string;
}

const { listPets, createPet, getPet } = operations;

/** How many different requests a row repeats in turn. */
const VARIETY = 300;

/** The requests of each row, which are sent in turn. Those that add many pets are last. */
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

/** Identifiers that are spread over all pets. At least 100 pets follow each: later pages are full. */
function anyId(number: number): number {
  return ((number * 7919 + 4711) % (PET_COUNT - 100)) + 1;
}
