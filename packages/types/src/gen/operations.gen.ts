// Generated from spec/openapi.yaml (c3b7444cd7e050be) by `npm run generate`. Do not edit.

import type { CreatePetData, CreatePetResponses, GetPetData, GetPetResponses, ListPetsData, ListPetsResponses } from './types.gen.ts';

/**
 * The types of each operation: its parameters and body, and what it returns.
 */
export type Operations = {
    listPets: {
        data: ListPetsData;
        body: unknown;
        response: ListPetsResponses[200];
    };
    createPet: {
        data: CreatePetData;
        body: Exclude<CreatePetData['body'], undefined>;
        response: CreatePetResponses[201];
    };
    getPet: {
        data: GetPetData;
        body: unknown;
        response: GetPetResponses[200];
    };
};

const PetStatusSchema = {
    type: "string",
    description: "Availability of the animal.",
    enum: ["available", "pending", "sold"]
} as const;

const PetIdSchema = {
    type: "integer",
    format: "int64",
    minimum: 1,
    maximum: 9007199254740991,
    description: "Unique identifier assigned by the service on creation."
} as const;

const PetNameSchema = {
    type: "string",
    description: "The animal's name."
} as const;

const CategoryIdSchema = {
    type: "integer",
    format: "int64",
    description: "Identifier of the category the animal belongs to."
} as const;

const PetSchema = {
    type: "object",
    description: "An animal of the store.",
    additionalProperties: false,
    required: ["id", "name", "categoryId"],
    properties: {
        id: PetIdSchema,
        name: PetNameSchema,
        categoryId: CategoryIdSchema,
        status: PetStatusSchema
    }
} as const;

const ErrorCodeSchema = {
    type: "string",
    description: "Machine-readable error code. The set is closed:\n\n- `invalid_request`: a parameter, a header or the body is malformed or breaks a rule (400, or a 4xx without a code of its own)\n- `unauthorized`: the API key is missing or invalid (401)\n- `not_found`: there is no such animal, or no such path (404)\n- `method_not_allowed`: the path exists, but not with this method; `Allow` lists its methods (405)\n- `request_in_flight`: a request with the same `Idempotency-Key` is still running; retry after `Retry-After` (409)\n- `payload_too_large`: the body exceeds the server's limit (413)\n- `unsupported_media_type`: the body is not `application/json` (415)\n- `idempotency_key_reused`: the `Idempotency-Key` belongs to another request (422)\n- `rate_limited`: too many requests with this API key; retry after `Retry-After` (429)\n- `internal_error`: the service has a bug or failed (500). With the status 503, a write may have been done: send the same\n  request with the same `Idempotency-Key` to find out\n- `unavailable`: the service cannot handle the request now, and has done nothing; retry after `Retry-After` (503)\n",
    enum: ["invalid_request", "unauthorized", "not_found", "method_not_allowed", "request_in_flight", "payload_too_large", "unsupported_media_type", "idempotency_key_reused", "rate_limited", "internal_error", "unavailable"]
} as const;

const ErrorSchema = {
    type: "object",
    description: "The body of every error response.",
    additionalProperties: false,
    required: ["code", "message", "status"],
    properties: {
        code: ErrorCodeSchema,
        message: {
            type: "string",
            description: "Human-readable description."
        },
        status: {
            type: "integer",
            minimum: 400,
            maximum: 599,
            description: "The HTTP status code of the response."
        }
    }
} as const;

/**
 * The schemas that contain themselves, by name.
 */
export const schemas = {} as const;

/**
 * All operations as data, by operationId.
 */
export const operations = {
    listPets: {
        id: "listPets",
        method: "GET",
        path: "/pets",
        command: ["pets", "list"],
        summary: "List animals",
        description: "Returns a page of animals in ascending order of `id`, optionally only animals with one status.\n\nA page ends at about 1 MiB, so it can have fewer animals than `limit` although more animals follow.",
        tags: ["pets"],
        deprecated: false,
        pagination: {
            cursor: "after",
            key: "id",
            limit: "limit"
        },
        fields: {
            limit: {
                in: "query",
                required: false,
                description: "Size of a page, the maximum number of animals returned.",
                schema: {
                    type: "integer",
                    minimum: 1,
                    maximum: 100,
                    default: 20
                }
            },
            status: {
                in: "query",
                required: false,
                description: "Return only animals with this availability status. An animal without a status matches none.",
                schema: PetStatusSchema
            },
            after: {
                in: "query",
                required: false,
                description: "Return only animals whose identifier is greater than this one; `0` starts at the beginning.",
                schema: {
                    type: "integer",
                    format: "int64",
                    minimum: 0,
                    maximum: 9007199254740991
                }
            }
        },
        responses: {
            "200": {
                description: "A page of animals, in ascending order of `id`.",
                schema: {
                    type: "array",
                    items: PetSchema
                }
            },
            "304": {
                description: "The version in `If-None-Match` is still current."
            },
            "400": {
                description: "A parameter or the body is malformed, missing required fields, or contains invalid values.",
                schema: ErrorSchema
            },
            "401": {
                description: "The API key is missing or invalid.",
                schema: ErrorSchema
            },
            default: {
                description: "Any other error.",
                schema: ErrorSchema
            }
        },
        successes: ["200"],
        success: 200
    },
    createPet: {
        id: "createPet",
        method: "POST",
        path: "/pets",
        command: ["pets", "create"],
        summary: "Add an animal",
        description: "Adds an animal and returns it with the identifier that the service assigned.",
        tags: ["pets"],
        deprecated: false,
        body: {
            required: true
        },
        idempotencyKey: {
            header: "Idempotency-Key",
            description: "Makes the request safe to repeat for 24 hours (draft-ietf-httpapi-idempotency-key-header). The service executes the same\nrequest with the same key once, and answers each repetition with the first response. Use 1 to 255 visible ASCII characters\nthat are unique to this request, for example a UUID. A key in double quotes, with `\"` and `\\` escaped by `\\`, equals the\nkey without quotes. While the first request is running, a repetition gets 409.",
            schema: {
                type: "string",
                pattern: "^(?:[!#-~][!-~]{0,254}|\"(?:[!#-\\[\\]-~]|\\\\[\"\\\\]){1,255}\")$"
            }
        },
        fields: {
            name: {
                in: "body",
                required: true,
                description: "The animal's name.",
                schema: PetNameSchema
            },
            categoryId: {
                in: "body",
                required: true,
                description: "Identifier of the category the animal belongs to.",
                schema: CategoryIdSchema
            },
            status: {
                in: "body",
                required: false,
                description: "Availability of the animal.",
                schema: PetStatusSchema
            }
        },
        responses: {
            "201": {
                description: "The added animal, including the assigned `id`.",
                schema: PetSchema
            },
            "400": {
                description: "A parameter or the body is malformed, missing required fields, or contains invalid values.",
                schema: ErrorSchema
            },
            "401": {
                description: "The API key is missing or invalid.",
                schema: ErrorSchema
            },
            "409": {
                description: "A request with the same `Idempotency-Key` is still running. Retry later.",
                schema: ErrorSchema
            },
            "422": {
                description: "The `Idempotency-Key` belongs to another request of the last 24 hours. The service has done nothing.",
                schema: ErrorSchema
            },
            default: {
                description: "Any other error.",
                schema: ErrorSchema
            }
        },
        successes: ["201"],
        success: 201
    },
    getPet: {
        id: "getPet",
        method: "GET",
        path: "/pets/{petId}",
        command: ["pets", "get"],
        summary: "Get an animal",
        description: "Returns one animal by its identifier.\n\nUse `listPets` with its filter `status` instead.",
        tags: ["pets"],
        deprecated: true,
        deprecatedSince: "2026-11-20",
        sunset: "2030-12-05",
        successor: "listPets",
        fields: {
            petId: {
                in: "path",
                required: true,
                description: "Identifier of the animal to retrieve.",
                schema: PetIdSchema
            }
        },
        responses: {
            "200": {
                description: "The animal.",
                schema: PetSchema
            },
            "304": {
                description: "The version in `If-None-Match` is still current."
            },
            "401": {
                description: "The API key is missing or invalid.",
                schema: ErrorSchema
            },
            "404": {
                description: "The requested animal could not be found, or no animal can have this `petId`.",
                schema: ErrorSchema
            },
            default: {
                description: "Any other error.",
                schema: ErrorSchema
            }
        },
        successes: ["200"],
        success: 200
    }
} as const;

/**
 * The version of the interface.
 */
export const version = "1.0.0" as const;

/**
 * The addresses of the deployments.
 */
export const deployments = {
    production: "http://127.0.0.1:8080/v1",
    staging: "http://127.0.0.1:8081/v1"
} as const;

/**
 * The service as a whole.
 */
export const service = {
    title: "Petstore",
    summary: "A store of animals that can be listed, added and fetched by identifier.",
    statuses: {
        invalid_request: 400,
        unauthorized: 401,
        not_found: 404,
        method_not_allowed: 405,
        request_in_flight: 409,
        payload_too_large: 413,
        unsupported_media_type: 415,
        idempotency_key_reused: 422,
        rate_limited: 429,
        internal_error: 500,
        unavailable: 503
    },
    basePath: "/v1"
} as const;
