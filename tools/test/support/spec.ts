import { stringify } from 'yaml';

export const done = { '204': { description: 'Done.' } };
export const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const withJson = (schema: object) => ({ content: { 'application/json': { schema } } });
export const parameter = { name: 'id', in: 'query', schema: { type: 'integer' } };
export const header = (name: string) => ({ name, in: 'header', schema: {} });

/** Paths with one operation, `getA`. */
export const get = (more: object) => ({ '/a': { get: { operationId: 'getA', responses: done, ...more } } });

/** The text of a spec with these paths. */
export function specOf(paths: object, more: object = {}): string {
  const info = { title: 'x', version: '1' };
  return stringify({ openapi: '3.1.0', info, servers: [{ url: 'https://a.test/v1' }], paths, ...more });
}
