// Generated from spec/openapi.yaml (1398212489671dae) by `npm run generate`. Do not edit.

import type { Input, OperationId, Pet } from '@petstore/types';
import type { Call } from '../call.ts';
import type { CallOptions } from '../options.ts';
import type { PageCall } from '../pages.ts';
import type { Wire } from '../request.ts';

/** A method for each operation. */
export interface Methods {
  /**
   * List animals
   *
   * Returns a page of pets in ascending order of `id`, optionally only those with one status. A page of large pets ends
   * before `limit`, at about 1 MiB. If more pets may follow, the page has a `Link` header with `rel="next"`.
   *
   * @returns With `await`, the first page. With `for await`, every element. With `.collect()`, all as one array.
   */
  listPets(input?: Input<'listPets'>, options?: CallOptions): PageCall<Pet>;
  /**
   * Add an animal
   *
   * Adds a pet and returns it with the identifier that the service assigned. To retry safely, send an `Idempotency-Key`:
   * repeated requests with the same key add one pet.
   *
   * The client sends an idempotency key by itself: one for all attempts of a call.
   *
   * @returns The added animal, including the assigned `id`.
   */
  createPet(input: Input<'createPet'>, options?: CallOptions): Call<Pet>;
  /**
   * Get an animal
   *
   * Returns one pet by its identifier. Use `GET /pets` with the `status` filter instead.
   *
   * @returns The pet.
   *
   * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
   */
  getPet(input: Input<'getPet'>, options?: CallOptions): Call<Pet>;
}

/** The path that every address of the service ends with. */
export const basePath = "/v1";

/** How the requests of each operation are written, and its responses read. */
export const wires: Readonly<Record<OperationId, Wire>> = {
  listPets: {
    method: "GET",
    path: "/pets",
    query: ["limit", "status", "after"],
    pagination: {
      cursor: "after",
      key: "id",
    },
  },
  createPet: {
    method: "POST",
    path: "/pets",
    body: "properties",
    idempotencyKey: "Idempotency-Key",
    successes: [201],
  },
  getPet: {
    method: "GET",
    path: "/pets/{petId}",
    deprecated: {
      sunset: "2030-12-05",
      successor: "listPets",
    },
  },
};
