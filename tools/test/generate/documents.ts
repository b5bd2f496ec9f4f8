// Small documents for the generator, from the part that a test is about. Each has the operation
// `op`.

/** A whole document. */
export const documentOf = (part: string) => `openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
servers: [{ url: https://api.example.com/v1, x-deployment: production }]
security: [{ bearer: [] }]
${part.includes('components:') ? part : `${part}\ncomponents:`}
  securitySchemes: { bearer: { type: http, scheme: bearer } }
`;

export const done = 'responses: { "204": { description: Done. } }';

export const get = (more: string) =>
  `paths:\n  /a:\n    get:\n      operationId: op\n      tags: [a]\n${more.replace(/^/gm, '      ')}`;

export const query = (schema: string, more = '') =>
  get(`parameters: [{ name: q, in: query, ${more}schema: ${schema} }]\n${done}`);

export const returns = (schema: string) =>
  get(
    `responses: { "200": { description: OK, content: { application/json: { schema: ${schema} } } } }`,
  );

export const post = (schema: string, more = 'required: true') =>
  get(
    `requestBody: { ${more}, content: { application/json: { schema: ${schema} } } }\n${done}`,
  ).replace('get:', 'post:');

export const schemas = (text: string) =>
  `\ncomponents:\n  schemas:\n${text.replace(/^/gm, '    ')}`;

/** A reference to a schema. */
export const to = (name: string) => `{ $ref: '#/components/schemas/${name}' }`;

/** An operation of a path with the parameter `id`. */
export const item = (parameters: string) =>
  `paths:\n  /a/{id}:\n    get: { operationId: op, parameters: [${parameters}], ${done} }`;
