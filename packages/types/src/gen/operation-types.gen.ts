// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { CreatePetData, CreatePetResponses, GetPetData, GetPetResponses, ListPetsData, ListPetsResponses } from './types.gen.ts';

/**
 * The types of each operation: its input, its body and its success.
 */
export type Operations = {
    /**
     * List animals
     *
     * Returns a page of pets in ascending order of `id`, optionally only those with one status. A page of large pets ends
     * before `limit`, at about 1 MiB. If more pets may follow, the page has a `Link` header with `rel="next"`.
     */
    listPets: {
        data: ListPetsData;
        body: unknown;
        response: ListPetsResponses[200];
    };
    /**
     * Add an animal
     *
     * Adds a pet and returns it with the identifier that the service assigned. To retry safely, send an `Idempotency-Key`:
     * repeated requests with the same key add one pet.
     */
    createPet: {
        data: CreatePetData;
        body: NonNullable<CreatePetData['body']>;
        response: CreatePetResponses[201];
    };
    /**
     * Get an animal
     *
     * Returns one pet by its identifier. Use `GET /pets` with the `status` filter instead.
     *
     * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
     */
    getPet: {
        data: GetPetData;
        body: unknown;
        response: GetPetResponses[200];
    };
};
