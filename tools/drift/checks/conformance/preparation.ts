import type { Operation } from '../../../openapi/document.ts';
import { exampleInputs } from '../../../openapi/examples.ts';
import { expectedRequest } from '../../../openapi/serialize.ts';
import { wireRequest } from '../../../openapi/wire.ts';
import { isNode, node, type Spec } from '../../openapi.ts';
import { credentialsFor, type PathValues } from './attempts.ts';

/** Sends a request to the server. */
export type Send = (request: ReturnType<typeof wireRequest>) => Promise<Response>;

/**
 * Makes what an operation is about, by the operations of the spec: what its path names is created by POST on the path before,
 * and what it reads by PUT or POST on the same path. Returns the identifiers that were given.
 */
export async function prepare(spec: Spec, operation: Operation, key: string, send: Send): Promise<PathValues> {
  const { method, path } = operation;
  const existing: Record<string, unknown> = {};
  const call = (endpoint: string) => callWith(spec, spec.operations.get(endpoint), key, existing, send);
  for (const { index, 0: braces } of path.matchAll(/\{[^}]+\}/g)) {
    const name = braces.slice(1, -1);
    const collection = path.slice(0, index).replace(/\/$/, '');
    const made = method === 'POST' && collection === path ? undefined : await call(`POST ${collection}`);
    const id = idIn(spec, collection, name, made);
    if (id !== undefined) existing[name] = id;
  }
  if (method !== 'PUT' && method !== 'POST')
    await (spec.operations.has(`PUT ${path}`) ? call(`PUT ${path}`) : undefined);
  if (method === 'GET' || method === 'HEAD') await call(`POST ${path}`);
  return existing;
}

/** Sends the valid request with all inputs, and returns the JSON of its answer. */
async function callWith(
  spec: Spec,
  operation: Operation | undefined,
  key: string,
  path: PathValues,
  send: Send,
): Promise<unknown> {
  const inputs = operation && exampleInputs(spec, operation).find(({ label }) => label === 'all')?.inputs;
  if (!operation || !inputs) return undefined;
  const all = { ...inputs, ...(inputs.path && { path: { ...inputs.path, ...path } }) };
  const response = await send(wireRequest(expectedRequest(spec, operation.id, all, credentialsFor(spec, key))));
  const text = await response.text();
  return /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
}

/** The identifier in what was created: the property that lists are paged by, that of the parameter's name, or `id`. */
function idIn(spec: Spec, collection: string, parameter: string, made: unknown): unknown {
  if (!isNode(made)) return undefined;
  const { key } = node(node(spec.operations.get(`GET ${collection}`)?.object)['x-pagination']);
  const names = [key, parameter, 'id'].filter((name) => typeof name === 'string');
  return names.map((name) => made[name]).find((value) => ['string', 'number'].includes(typeof value));
}
