// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

import type { CreatePetData, CreatePetErrors, CreatePetResponse, GetPetData, GetPetErrors, GetPetResponse, ListPetsData, ListPetsErrors, ListPetsResponse } from './types.gen.ts';

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
        response: ListPetsResponse;
        errors: ListPetsErrors;
    };
    /**
     * Add an animal
     *
     * Adds an animal and answers it with the identifier that the service assigned.
     */
    createPet: {
        data: CreatePetData;
        response: CreatePetResponse;
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
        response: GetPetResponse;
        errors: GetPetErrors;
    };
};

/**
 * Every operation of the interface as data.
 */
export const operations = {
    listPets: {
        id: 'listPets',
        method: 'GET',
        path: '/pets',
        success: 200,
        statuses: [
            200,
            304,
            400,
            401
        ],
        summary: 'List animals',
        description: 'Answers a page of animals in ascending order of `id`, optionally only those with a given status. A page of large animals\nends before `limit`, at about 1 MiB. A page behind which there may be more carries a `Link` header with `rel="next"`.',
        tags: [
            'pets'
        ],
        deprecated: false,
        security: [
            'bearer'
        ],
        pagination: {
            cursor: 'after',
            key: 'id',
            limit: 'limit'
        },
        fields: {
            limit: {
                in: 'query',
                type: 'integer',
                required: false,
                description: 'Maximum number of animals returned.',
                minimum: 1,
                maximum: 100,
                default: 20
            },
            status: {
                in: 'query',
                type: 'string',
                required: false,
                description: 'Return only animals with this availability status. An animal without a status matches none.',
                choices: [
                    'available',
                    'pending',
                    'sold'
                ]
            },
            after: {
                in: 'query',
                type: 'integer',
                required: false,
                description: 'Return only animals whose identifier is greater than this one; `0` starts at the beginning.',
                format: 'int64',
                minimum: 0,
                maximum: 9007199254740991
            }
        },
        result: {
            list: true,
            members: {
                id: {
                    type: 'integer',
                    required: true,
                    description: 'Unique identifier assigned by the service on creation.',
                    format: 'int64',
                    minimum: 1,
                    maximum: 9007199254740991
                },
                name: {
                    type: 'string',
                    required: true,
                    description: 'The animal\'s name: any well-formed Unicode text without U+0000.',
                    pattern: '^[^\\u{0}\\u{D800}-\\u{DFFF}]*$'
                },
                categoryId: {
                    type: 'integer',
                    required: true,
                    description: 'Identifier of the category the animal belongs to. Numbers that JSON cannot carry exactly are refused.',
                    format: 'int64',
                    minimum: -9007199254740991,
                    maximum: 9007199254740991
                },
                status: {
                    type: 'string',
                    required: false,
                    description: 'Availability of the animal.',
                    choices: [
                        'available',
                        'pending',
                        'sold'
                    ]
                }
            }
        }
    },
    createPet: {
        id: 'createPet',
        method: 'POST',
        path: '/pets',
        success: 201,
        statuses: [
            201,
            400,
            401
        ],
        summary: 'Add an animal',
        description: 'Adds an animal and answers it with the identifier that the service assigned.',
        tags: [
            'pets'
        ],
        deprecated: false,
        security: [
            'bearer'
        ],
        body: {
            required: true,
            mediaType: 'application/json'
        },
        fields: {
            name: {
                in: 'body',
                type: 'string',
                required: true,
                description: 'The animal\'s name: any well-formed Unicode text without U+0000.',
                pattern: '^[^\\u{0}\\u{D800}-\\u{DFFF}]*$'
            },
            categoryId: {
                in: 'body',
                type: 'integer',
                required: true,
                description: 'Identifier of the category the animal belongs to. Numbers that JSON cannot carry exactly are refused.',
                format: 'int64',
                minimum: -9007199254740991,
                maximum: 9007199254740991
            },
            status: {
                in: 'body',
                type: 'string',
                required: false,
                description: 'Availability of the animal.',
                choices: [
                    'available',
                    'pending',
                    'sold'
                ]
            }
        },
        result: {
            list: false,
            members: {
                id: {
                    type: 'integer',
                    required: true,
                    description: 'Unique identifier assigned by the service on creation.',
                    format: 'int64',
                    minimum: 1,
                    maximum: 9007199254740991
                },
                name: {
                    type: 'string',
                    required: true,
                    description: 'The animal\'s name: any well-formed Unicode text without U+0000.',
                    pattern: '^[^\\u{0}\\u{D800}-\\u{DFFF}]*$'
                },
                categoryId: {
                    type: 'integer',
                    required: true,
                    description: 'Identifier of the category the animal belongs to. Numbers that JSON cannot carry exactly are refused.',
                    format: 'int64',
                    minimum: -9007199254740991,
                    maximum: 9007199254740991
                },
                status: {
                    type: 'string',
                    required: false,
                    description: 'Availability of the animal.',
                    choices: [
                        'available',
                        'pending',
                        'sold'
                    ]
                }
            }
        }
    },
    getPet: {
        id: 'getPet',
        method: 'GET',
        path: '/pets/{petId}',
        success: 200,
        statuses: [
            200,
            304,
            401,
            404
        ],
        summary: 'Get an animal',
        description: 'Answers one animal by its identifier. Use `GET /pets` with the `status` filter instead.',
        tags: [
            'pets'
        ],
        deprecated: true,
        deprecatedSince: '2026-11-20',
        sunset: '2030-12-05',
        successor: 'listPets',
        security: [
            'bearer'
        ],
        fields: {
            petId: {
                in: 'path',
                type: 'integer',
                required: true,
                description: 'Identifier of the animal to retrieve.',
                format: 'int64',
                minimum: 1,
                maximum: 9007199254740991
            }
        },
        result: {
            list: false,
            members: {
                id: {
                    type: 'integer',
                    required: true,
                    description: 'Unique identifier assigned by the service on creation.',
                    format: 'int64',
                    minimum: 1,
                    maximum: 9007199254740991
                },
                name: {
                    type: 'string',
                    required: true,
                    description: 'The animal\'s name: any well-formed Unicode text without U+0000.',
                    pattern: '^[^\\u{0}\\u{D800}-\\u{DFFF}]*$'
                },
                categoryId: {
                    type: 'integer',
                    required: true,
                    description: 'Identifier of the category the animal belongs to. Numbers that JSON cannot carry exactly are refused.',
                    format: 'int64',
                    minimum: -9007199254740991,
                    maximum: 9007199254740991
                },
                status: {
                    type: 'string',
                    required: false,
                    description: 'Availability of the animal.',
                    choices: [
                        'available',
                        'pending',
                        'sold'
                    ]
                }
            }
        }
    }
} as const;
