// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { CreatePetData, CreatePetErrors, CreatePetResponses, GetPetData, GetPetErrors, GetPetResponses, ListPetsData, ListPetsErrors, ListPetsResponses } from './types.gen.ts';

/**
 * The types of every operation: what it takes, what it answers, and what it answers when it fails.
 */
export type Operations = {
    /**
     * List animals
     *
     * Answers a page of animals in ascending order of `id`, optionally only those with a given status. A page of large animals
     * ends before `limit`, at about 1 MiB. A page behind which there may be more carries a `Link` header with `rel="next"`.
     */
    listPets: {
        data: ListPetsData;
        body: unknown;
        response: ListPetsResponses[200];
        errors: ListPetsErrors;
    };
    /**
     * Add an animal
     *
     * Adds an animal and answers it with the identifier that the service assigned. With an `Idempotency-Key` it can be
     * repeated until it is answered, and adds one animal however often it arrives.
     */
    createPet: {
        data: CreatePetData;
        body: NonNullable<CreatePetData['body']>;
        response: CreatePetResponses[201];
        errors: CreatePetErrors;
    };
    /**
     * Get an animal
     *
     * Answers one animal by its identifier. Use `GET /pets` with the `status` filter instead.
     *
     * @deprecated since 2026-11-20. It is going to be removed on 2030-12-05. Use `listPets` instead.
     */
    getPet: {
        data: GetPetData;
        body: unknown;
        response: GetPetResponses[200];
        errors: GetPetErrors;
    };
};
