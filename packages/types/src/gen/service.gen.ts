// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/**
 * The version of the interface.
 */
export const version = '1.0.0' as const;

/**
 * The addresses of the deployments.
 */
export const deployments = {
    production: 'http://127.0.0.1:8080/v1',
    staging: 'http://127.0.0.1:8081/v1'
} as const;

/**
 * The service: its title, the status of each error code, the headers of its responses, its security.
 */
export const service = {
    title: 'Petstore',
    summary: 'A store of animals that can be listed, added and fetched by identifier.',
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
    responseHeaders: [
        'Allow',
        'Deprecation',
        'ETag',
        'Idempotency-Replayed',
        'Link',
        'Retry-After',
        'Sunset',
        'WWW-Authenticate'
    ],
    basePath: '/v1',
    securitySchemes: {
        bearer: {
            type: 'bearer'
        }
    },
    keyScheme: 'bearer',
    security: [['bearer']],
    version: version,
    deployments: deployments
} as const;
