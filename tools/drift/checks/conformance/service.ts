import type { Operation } from '../../../openapi/document.ts';
import { type Credentials, exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { type WireRequest, wireRequest } from '../../../openapi/wire.ts';
import { isNode, node, pathNames, type Spec } from '../../openapi.ts';
import { fullInputs } from '../values.ts';

export type Send = (request: WireRequest) => Promise<Response>;

/** A running server, and what its store can do. */
export interface Service {
  readonly spec: Spec;
  /** A key that it accepts. */
  readonly key: string;
  readonly send: Send;
  get(path: string): Promise<Response>;
  readonly hasVersions?: true;
  /** Runs `work` while every call of the store fails. */
  readonly whileFailing?: (work: () => Promise<void>) => Promise<void>;
}

/** Values for the parameters of a path. */
export type PathValues = Readonly<Record<string, unknown>>;

/** A credential for each security scheme, all made from the same key. */
export function credentialsFor(spec: Spec, key: string): Credentials {
  const examples = Object.entries(exampleCredentials(spec));
  return Object.fromEntries(
    examples.map(([name, one]) => [name, typeof one === 'string' ? key : { username: 'check', password: key }]),
  );
}

/** The request of an operation with these inputs. */
export function requestFor(
  { spec, key: accepted }: Pick<Service, 'spec' | 'key'>,
  { id }: Operation,
  inputs: Inputs,
  key = accepted,
): WireRequest {
  return wireRequest(expectedRequest(spec, id, inputs, credentialsFor(spec, key)));
}

export function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: { ...request.headers, [name.toLowerCase()]: value } };
}

/** The same inputs, with these values in the path where there are any. */
export function withPath(inputs: Inputs, values: PathValues): Inputs {
  return inputs.path ? { ...inputs, path: { ...inputs.path, ...values } } : inputs;
}

/**
 * Creates what an operation needs, by the operations of the spec: what its path names is created by POST on the path before,
 * and what it reads by PUT or POST on the same path. Returns the identifiers.
 */
export async function prepare(service: Service, { method, path }: Operation): Promise<PathValues> {
  const existing: Record<string, unknown> = {};
  const call = async (endpoint: string) => callWith(service, service.spec.operations.get(endpoint), existing);
  for (const name of pathNames(path)) {
    const collection = path.slice(0, path.indexOf(`{${name}}`)).replace(/\/$/, '');
    const created = method === 'POST' && collection === path ? undefined : await call(`POST ${collection}`);
    const id = idIn(service.spec, collection, name, created);
    if (id !== undefined) existing[name] = id;
  }
  if (method !== 'PUT' && method !== 'POST') await call(`PUT ${path}`);
  if (method === 'GET' || method === 'HEAD') await call(`POST ${path}`);
  return existing;
}

/** Sends the valid request with all inputs, and returns the JSON of the response. */
async function callWith(service: Service, operation: Operation | undefined, path: PathValues): Promise<unknown> {
  if (!operation) return undefined;
  const inputs = withPath(fullInputs(service.spec, operation), path);
  const response = await service.send(requestFor(service, operation, inputs));
  const text = await response.text();
  return /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
}

/** The identifier in what was created: the property that lists are paged by, that of the parameter's name, or `id`. */
function idIn(spec: Spec, collection: string, parameter: string, created: unknown): unknown {
  if (!isNode(created)) return undefined;
  const { key } = node(node(spec.operations.get(`GET ${collection}`)?.object)['x-pagination']);
  const names = [key, parameter, 'id'].filter((name) => typeof name === 'string');
  return names.map((name) => created[name]).find((value) => ['string', 'number'].includes(typeof value));
}
