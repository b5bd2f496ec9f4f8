// Generated from spec/openapi.yaml (86843959e4c88ba0) by `npm run generate`. Do not edit.

import type { Input, OperationId } from '@petstore/types';
import type { Call, PageCall } from '../call.ts';
import type { CallOptions } from '../options.ts';
import type { Wire } from '../request.ts';

export interface Methods {
  /**
   * List animals
   *
   * Returns a page of pets in ascending order of `id`, optionally only those with one status. A page of large pets ends
   * before `limit`, at about 1 MiB. If more pets may follow, the page has a `Link` header with `rel="next"`.
   *
   * `await` gives the first page. `for await` gives every element, and `.collect()` all of them as one array.
   */
  listPets(input?: Input<'listPets'>, options?: CallOptions): PageCall<'listPets'>;
  /**
   * Add an animal
   *
   * Adds a pet and returns it with the identifier that the service assigned. To retry safely, send an `Idempotency-Key`:
   * repeated requests with the same key add one pet.
   */
  createPet(input: Input<'createPet'>, options?: CallOptions): Call<'createPet'>;
  /**
   * Get an animal
   *
   * Returns one pet by its identifier. Use `GET /pets` with the `status` filter instead.
   *
   * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
   */
  getPet(input: Input<'getPet'>, options?: CallOptions): Call<'getPet'>;
}

/** How the requests of each operation are written. */
export const wires: Readonly<Record<OperationId, Wire>> = {
  listPets: {
    method: "GET",
    path: "/pets",
    query: ["limit", "status", "after"],
    cursor: "after",
    limit: "limit",
    successes: [200],
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
    deprecated: "2030-12-05",
    successes: [200],
  },
};
