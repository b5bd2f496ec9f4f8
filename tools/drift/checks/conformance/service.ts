import type { Operation } from '../../../openapi/document.ts';
import { type Credentials, exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs, type WireRequest, wireRequest } from '../../../openapi/serialize.ts';
import { isNode, node, pathNames, type Spec } from '../../openapi.ts';
import { fullInputs } from '../values.ts';

export type Send = (request: WireRequest) => Promise<Response>;

/** A running server, and the abilities of its store. */
export interface Service {
  readonly spec: Spec;
  /** An API key that the server accepts. */
  readonly apiKey: string;
  readonly send: Send;
  get(path: string): Promise<Response>;
  /** Whether stored elements have versions, so that conditional requests work. */
  readonly hasVersions?: true;
  /** Runs `work` while every call of the store fails. */
  readonly whileFailing?: (work: () => Promise<void>) => Promise<void>;
}

/** Values for the parameters of a path. */
export type PathValues = Readonly<Record<string, unknown>>;

/** A credential for each security scheme. All credentials contain the same API key. */
export function credentialsFor(spec: Spec, apiKey: string): Credentials {
  const examples = Object.entries(exampleCredentials(spec));
  return Object.fromEntries(
    examples.map(([name, example]) => [
      name,
      typeof example === 'string' ? apiKey : { username: 'check', password: apiKey },
    ]),
  );
}

/** The request of an operation with these inputs. */
export function requestFor(
  { spec, apiKey: accepted }: Pick<Service, 'spec' | 'apiKey'>,
  { id }: Operation,
  inputs: Inputs,
  apiKey = accepted,
): WireRequest {
  return wireRequest(expectedRequest(spec, id, inputs, credentialsFor(spec, apiKey)));
}

export function withHeader(request: WireRequest, name: string, value: string): WireRequest {
  return { ...request, headers: { ...request.headers, [name.toLowerCase()]: value } };
}

/** The same inputs with these path parameters, if the inputs have path parameters. */
export function withPath(inputs: Inputs, values: PathValues): Inputs {
  return inputs.path ? { ...inputs, path: { ...inputs.path, ...values } } : inputs;
}

/**
 * Creates the resources that an operation needs, by other operations of the spec: POST on the path before a parameter creates
 * the resource that the parameter names, and PUT or POST on the same path creates the resource that the operation reads.
 * Returns the path parameters.
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

/** Sends the valid request with all inputs. Returns the parsed JSON of the response. */
async function callWith(service: Service, operation: Operation | undefined, path: PathValues): Promise<unknown> {
  if (!operation) return undefined;
  const inputs = withPath(fullInputs(service.spec, operation), path);
  const response = await service.send(requestFor(service, operation, inputs));
  const text = await response.text();
  return /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
}

/** The identifier of a created resource: the property that lists are paged by, the property with the parameter's name, or `id`. */
function idIn(spec: Spec, collection: string, parameter: string, created: unknown): unknown {
  if (!isNode(created)) return undefined;
  const { key } = node(node(spec.operations.get(`GET ${collection}`)?.object)['x-pagination']);
  const names = [key, parameter, 'id'].filter((name) => typeof name === 'string');
  return names.map((name) => created[name]).find((value) => ['string', 'number'].includes(typeof value));
}
