// Generated from spec/openapi.yaml (c3b7444cd7e050be) by `npm run generate`. Do not edit.

import type { Call } from '../call.ts';
import type { Input } from '../input.ts';
import type { CallOptions, ConditionalOptions } from '../options.ts';
import type { PageCall } from '../pages.ts';
import type { WireFormat } from '../request.ts';
import type { OperationId, Pet } from '@petstore/types';

/**
 * A method for each operation.
 */
export type Methods = {
    /**
     * List animals, if the result has changed. `if-none-match` is the `ETag` of an earlier response.
     *
     * @returns `undefined` if nothing has changed.
     */
    listPets(input: Input<'listPets'> | undefined, options: ConditionalOptions): Call<Array<Pet> | undefined>;
    /**
     * List animals
     *
     * Returns a page of animals in ascending order of `id`, optionally only animals with one status.
     *
     * A page ends at about 1 MiB, so it can have fewer animals than `limit` although more animals follow.
     *
     * @returns With `await`, the first page. With `for await`, every element. With `.pages()`, the pages one by one. With `.collect()`, all elements as one array.
     */
    listPets(input?: Input<'listPets'>, options?: CallOptions): PageCall<Pet>;
    /**
     * Add an animal
     *
     * Adds an animal and returns it with the identifier that the service assigned.
     *
     * The client itself sends an idempotency key, the same for all attempts of a call.
     *
     * @returns The added animal, including the assigned `id`.
     */
    createPet(input: Input<'createPet'>, options?: CallOptions): Call<Pet>;
    /**
     * Get an animal, if the result has changed. `if-none-match` is the `ETag` of an earlier response.
     *
     * @returns `undefined` if nothing has changed.
     *
     * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
     */
    getPet(input: Input<'getPet'>, options: ConditionalOptions): Call<Pet | undefined>;
    /**
     * Get an animal
     *
     * Returns one animal by its identifier.
     *
     * Use `listPets` with its filter `status` instead.
     *
     * @returns The animal.
     *
     * @deprecated since 2026-11-20. It will be removed on 2030-12-05. Use `listPets` instead.
     */
    getPet(input: Input<'getPet'>, options?: CallOptions): Call<Pet>;
};

/**
 * The path that every address of the service ends with.
 */
export const basePath = "/v1";

/**
 * How the requests of each operation are written, and its responses read.
 */
export const wireFormats: {
    readonly [Id in OperationId]: WireFormat;
} = {
    listPets: {
        method: "GET",
        path: "/pets",
        pagination: {
            limit: "limit",
            maximum: 100
        }
    },
    createPet: {
        method: "POST",
        path: "/pets",
        body: "properties",
        idempotencyKey: "idempotency-key",
        successes: [201]
    },
    getPet: {
        method: "GET",
        path: "/pets/{petId}",
        deprecated: {
            sunset: "2030-12-05",
            successor: "listPets"
        }
    }
};
