// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/**
 * The service as a whole: its name, the version of its interface, where it is deployed, and the status of each error code.
 */
export const service = {
    title: 'Petstore',
    version: '1.0.0',
    summary: 'A store of animals that can be listed, added and fetched by identifier.',
    deployments: {
        production: 'http://127.0.0.1:8080/v1',
        staging: 'http://127.0.0.1:8081/v1'
    },
    statuses: {
        invalid_request: 400,
        unauthorized: 401,
        not_found: 404,
        method_not_allowed: 405,
        payload_too_large: 413,
        unsupported_media_type: 415,
        rate_limited: 429,
        internal_error: 500,
        unavailable: 503
    }
} as const;
