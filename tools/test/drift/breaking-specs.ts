import { compareSpecs } from '../../drift/checks/breaking-changes/compare.ts';
import { readSpec, type Spec } from '../../drift/openapi.ts';

const text = { type: 'string' };
const response = (more: object) => ({ responses: { 204: { description: '', ...more } } });
const body = (more: object) => ({ requestBody: { content: { 'application/json': {} }, ...more } });
const form = (more: object) => ({
  requestBody: { content: { 'multipart/form-data': { schema: { properties: { a: text } }, ...more } } },
});
/** Paths with one operation, PUT /a. */
export const operation = (more: object) => ({
  paths: { '/a': { put: { operationId: 'put', ...response({}), ...more } } },
});
const server = (more: object) => ({ servers: [{ url: 'https://a.test', 'x-deployment': 'a', ...more }] });
const scheme = (more: object) => ({
  ...operation({ security: [{ s: [] }] }),
  components: { securitySchemes: { s: { type: 'http', scheme: 'bearer', ...more } } },
});

/** A document that is the same but for an object, by the kind of this object. */
const documents = {
  document: (o: object) => ({ ...operation({}), ...o }),
  server,
  'server-variable': (o: object) => server({ url: 'https://{v}.test', variables: { v: { default: 'a', ...o } } }),
  'path-item': (o: object) => ({ paths: { '/a': { put: response({}), ...o } } }),
  operation,
  parameter: (o: object) =>
    operation({ parameters: [{ name: 'q', in: 'query', schema: { type: 'array', items: text }, ...o }] }),
  'request-body': (o: object) => operation(body(o)),
  'media-type': (o: object) => operation(form(o)),
  encoding: (o: object) => operation(form({ encoding: { a: o } })),
  'request schema': (schema: object) => operation(body({ content: { 'application/json': { schema } } })),
  'response schema': (schema: object) => operation(response({ content: { 'application/json': { schema } } })),
  responses: (responses: object) => operation({ responses: { 204: { description: '' }, ...responses } }),
  response: (o: object) => operation(response(o)),
  header: (o: object) => operation(response({ headers: { 'X-A': { schema: text, ...o } } })),
  link: (o: object) => operation(response({ links: { next: { operationId: 'put', ...o } } })),
  'security-scheme': scheme,
  'oauth-flows': (flows: object) => scheme({ type: 'oauth2', flows }),
  'oauth-flow': (implicit: object) => scheme({ type: 'oauth2', flows: { implicit } }),
};

export type Part = keyof typeof documents;

/** A small spec, with this object in the part of it. */
export function specWith(part: Part, object: object, version = '1.0.0'): Spec {
  const { components = {}, ...document }: { [name: string]: unknown } = documents[part](object);
  const whole = {
    openapi: '3.1.0',
    info: { title: '', version },
    ...document,
    components: { schemas: { A: text }, pathItems: { P: { get: response({}) } }, ...Object(components) },
  };
  return readSpec(() => JSON.stringify(whole));
}

/** The changes between two specs, each as a line. */
export function changes(before: Spec, after: Spec, today = '2026-11-20'): string[] {
  return compareSpecs(before, after, today).map(({ level, rule, where }) => `${level}: ${rule}: ${where}`);
}

/** The most serious change between two specs. */
export function levelOf(before: Spec, after: Spec): 'major' | 'minor' | '-' {
  const found = changes(before, after).map((line) => line.split(':')[0]);
  return found.includes('major') ? 'major' : found.includes('minor') ? 'minor' : '-';
}
