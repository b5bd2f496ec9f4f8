// Generated from spec/openapi.yaml by `npm run generate`. Do not edit.

/**
 * The service as a whole: its name, the version of its interface, and where it is deployed.
 */
export const service = {
    title: 'Petstore',
    version: '1.0.0',
    summary: 'A store of animals that can be listed, added and fetched by identifier.',
    deployments: {
        production: 'http://127.0.0.1:8080/v1',
        staging: 'http://127.0.0.1:8081/v1'
    }
} as const;
