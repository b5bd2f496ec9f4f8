// Generated from spec/openapi.yaml (c3b7444cd7e050be) by `npm run generate`. Do not edit.

/**
 * Availability of the animal.
 */
export type PetStatus = 'available' | 'pending' | 'sold';

/**
 * Unique identifier assigned by the service on creation.
 */
export type PetId = number;

/**
 * The animal's name.
 */
export type PetName = string;

/**
 * Identifier of the category the animal belongs to.
 */
export type CategoryId = number | bigint;

/**
 * An animal to add. The service assigns its identifier.
 */
export type NewPet = {
    /**
     * The animal's name.
     */
    name: PetName;
    /**
     * Identifier of the category the animal belongs to.
     */
    categoryId: CategoryId;
    /**
     * Availability of the animal.
     */
    status?: PetStatus;
};

/**
 * An animal of the store.
 */
export type Pet = {
    /**
     * Unique identifier assigned by the service on creation.
     */
    id: PetId;
    /**
     * The animal's name.
     */
    name: PetName;
    /**
     * Identifier of the category the animal belongs to.
     */
    categoryId: CategoryId;
    /**
     * Availability of the animal.
     */
    status?: PetStatus;
};

/**
 * Machine-readable error code. The set is closed:
 *
 * - `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)
 * - `unauthorized`: the API key is missing or invalid (401)
 * - `not_found`: there is no such animal, or no such path (404)
 * - `method_not_allowed`: the path exists, but not with this method; `Allow` lists its methods (405)
 * - `request_in_flight`: a request with the same `Idempotency-Key` is still running; retry after `Retry-After` (409)
 * - `payload_too_large`: the body exceeds the server's limit (413)
 * - `unsupported_media_type`: the body is not `application/json` (415)
 * - `idempotency_key_reused`: the `Idempotency-Key` belongs to another request (422)
 * - `rate_limited`: too many requests with this API key; retry after `Retry-After` (429)
 * - `internal_error`: the service has a bug or failed (500). With the status 503, a write may have been done: send the same
 * request with the same `Idempotency-Key` to find out
 * - `unavailable`: the service cannot handle the request now, and has done nothing; retry after `Retry-After` (503)
 *
 */
export type ErrorCode = 'invalid_request' | 'unauthorized' | 'not_found' | 'method_not_allowed' | 'request_in_flight' | 'payload_too_large' | 'unsupported_media_type' | 'idempotency_key_reused' | 'rate_limited' | 'internal_error' | 'unavailable';

/**
 * The body of every error response.
 */
export type ApiError = {
    /**
     * Machine-readable error code. The set is closed:
     *
     * - `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)
     * - `unauthorized`: the API key is missing or invalid (401)
     * - `not_found`: there is no such animal, or no such path (404)
     * - `method_not_allowed`: the path exists, but not with this method; `Allow` lists its methods (405)
     * - `request_in_flight`: a request with the same `Idempotency-Key` is still running; retry after `Retry-After` (409)
     * - `payload_too_large`: the body exceeds the server's limit (413)
     * - `unsupported_media_type`: the body is not `application/json` (415)
     * - `idempotency_key_reused`: the `Idempotency-Key` belongs to another request (422)
     * - `rate_limited`: too many requests with this API key; retry after `Retry-After` (429)
     * - `internal_error`: the service has a bug or failed (500). With the status 503, a write may have been done: send the same
     * request with the same `Idempotency-Key` to find out
     * - `unavailable`: the service cannot handle the request now, and has done nothing; retry after `Retry-After` (503)
     *
     */
    code: ErrorCode;
    /**
     * Human-readable description.
     */
    message: string;
    /**
     * The HTTP status code of the response.
     */
    status: number;
};

export type ListPetsData = {
    body?: never;
    path?: never;
    query?: {
        /**
         * Size of a page, the maximum number of animals returned. From 1 to 100. Default: 20.
         */
        limit?: number;
        /**
         * Return only animals with this availability status. An animal without a status matches none.
         */
        status?: PetStatus;
        /**
         * Return only animals whose identifier is greater than this one; `0` starts at the beginning. From 0 to 9007199254740991.
         */
        after?: number;
    };
    url: '/pets';
};

export type ListPetsErrors = {
    /**
     * A parameter or the body is malformed, missing required fields, or contains invalid values.
     */
    400: ApiError;
    /**
     * The API key is missing or invalid.
     */
    401: ApiError;
    /**
     * Any other error.
     */
    default: ApiError;
};

export type ListPetsError = ListPetsErrors[keyof ListPetsErrors];

export type ListPetsResponses = {
    /**
     * A page of animals, in ascending order of `id`.
     */
    200: Array<Pet>;
};

export type ListPetsResponse = ListPetsResponses[keyof ListPetsResponses];

export type CreatePetData = {
    /**
     * The animal to add. The service rejects any other property.
     */
    body: NewPet;
    path?: never;
    query?: never;
    url: '/pets';
};

export type CreatePetErrors = {
    /**
     * A parameter or the body is malformed, missing required fields, or contains invalid values.
     */
    400: ApiError;
    /**
     * The API key is missing or invalid.
     */
    401: ApiError;
    /**
     * A request with the same `Idempotency-Key` is still running. Retry later.
     */
    409: ApiError;
    /**
     * The `Idempotency-Key` belongs to another request of the last 24 hours. The service has done nothing.
     */
    422: ApiError;
    /**
     * Any other error.
     */
    default: ApiError;
};

export type CreatePetError = CreatePetErrors[keyof CreatePetErrors];

export type CreatePetResponses = {
    /**
     * The added animal, including the assigned `id`.
     */
    201: Pet;
};

export type CreatePetResponse = CreatePetResponses[keyof CreatePetResponses];

export type GetPetData = {
    body?: never;
    path: {
        /**
         * Identifier of the animal to retrieve. From 1 to 9007199254740991.
         */
        petId: PetId;
    };
    query?: never;
    url: '/pets/{petId}';
};

export type GetPetErrors = {
    /**
     * The API key is missing or invalid.
     */
    401: ApiError;
    /**
     * The requested animal could not be found, or no animal can have this `petId`.
     */
    404: ApiError;
    /**
     * Any other error.
     */
    default: ApiError;
};

export type GetPetError = GetPetErrors[keyof GetPetErrors];

export type GetPetResponses = {
    /**
     * The animal.
     */
    200: Pet;
};

export type GetPetResponse = GetPetResponses[keyof GetPetResponses];
