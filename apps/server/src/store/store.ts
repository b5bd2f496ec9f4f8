import type { Input, NewPet, Pet } from '@petstore/types';

/** Where the animals are kept. Every adapter keeps these promises, and one test suite holds them to it. */
export interface Store {
  /** Keeps a new animal under the next identifier. When this resolves, it is kept for good. */
  create(pet: NewPet): Promise<Pet>;
  get(id: number): Promise<Pet | undefined>;
  /**
   * Up to `limit` animals behind the identifier `after`, in ascending order, only those with `status` if one is given. A store
   * may end the page with the animal that brings it to `maxBytes`, never before it.
   */
  list(page: Page): Promise<Pet[]>;
  /** Whether requests can be served now. */
  ready(): Promise<boolean>;
  /**
   * Keeps animals under the identifiers that they have, ascending. False, and nothing is kept, where there is one as high
   * already. A store that nobody else can write has no need of it.
   */
  restore?(pets: readonly Pet[]): Promise<boolean>;
  /** The animals as the JSON that they are kept as; only stores that have it at hand. */
  readonly kept?: Kept;
  /** The connections by what they are for; only stores that are reached by connections have any. */
  connections?(): Readonly<Record<string, Connections>>;
  close(): Promise<void>;
}

/** The part of a list that is asked for; the bounds and defaults of the spec are applied by then. */
export type Page = Required<Pick<Input<'listPets'>, 'limit' | 'after'>> &
  Pick<Input<'listPets'>, 'status'> & {
    /** The size in bytes of JSON that ends a page early. */
    maxBytes?: number;
  };

/** What a store keeps as JSON, for those who pass it on unread. */
export interface Kept {
  /** Another one after every change, and in every run. */
  version(): string;
  get(id: number): KeptAnimals | undefined;
  list(page: Page): KeptAnimals;
}

export interface KeptAnimals {
  /** One animal, or a list of them: each character stands for one byte (latin1). */
  text: string;
  count: number;
  /** The identifier of the last one, 0 without any. */
  last: number;
}

/** How a store that is reached by connections fares. */
export interface Connections {
  idle: number;
  busy: number;
  opening: number;
  /** Requests that wait for one. */
  waiting: number;
}
