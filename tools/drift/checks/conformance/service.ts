import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as open, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { mapped } from '../../../generate/document.ts';
import { readJson } from '../../../openapi/compare.ts';
import type { Operation } from '../../../openapi/document.ts';
import { type Credentials, exampleCredentials } from '../../../openapi/security.ts';
import { expectedRequest, type Inputs, type WireRequest, wireRequest } from '../../../openapi/serialize.ts';
import { isNode, node, pathNames, type Spec } from '../../openapi.ts';
import { fullInputs } from '../values.ts';

type Server = typeof import('@petstore/server/internal');

type Send = (request: WireRequest) => Promise<Response>;

/** A running server, and the abilities of its store. */
export interface Service {
  readonly spec: Spec;
  /** An API key that the server accepts. */
  readonly apiKey: string;
  readonly send: Send;
  /** Gets a page of the server, outside the base path and without a key. */
  get(path: string): Promise<Response>;
  /** Runs `work` while every call of the store fails. */
  readonly whileFailing?: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Values for the parameters of a path. */
export type PathValues = Readonly<Record<string, unknown>>;

/** A server that has not responded by then fails the check. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Starts two servers: the shipped one, with its fast path, on a data folder; and the Express app alone, on a store that can fail. */
export async function startServers(server: Server, spec: Spec) {
  const apiKey = 'a-key-that-is-for-the-check';
  const options = { keys: server.keyCheck(server.parseKeys(apiKey)) };
  const limits = { maxConnections: 100, headersTimeout: 5_000, requestTimeout: 5_000 };
  // If one server does not start, everything that was started ends here.
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'petstore-drift-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const start = async (app: RequestListener): Promise<Service> => {
    const listener = await server.listen(app, { host: '127.0.0.1', port: 0, ...limits });
    started.defer(async () => void (await listener.drain(0)));
    const agent = started.adopt(new Agent({ keepAlive: true }), (connections) => connections.destroy());
    const send = sender(listener.origin + spec.model.service.basePath, agent);
    return {
      spec,
      apiKey,
      send,
      get: (path) => fetch(listener.origin + path, { signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS) }),
    };
  };
  const stored = started.adopt(await server.openLowdbStore(folder), (store) => store.close());
  const { memory, whileFailing } = breakable(server);
  const plain = await start(await server.createApp(stored, options));
  const failing: Service = { ...(await start(await server.createExpressListener(memory, options))), whileFailing };
  const running = started.move();
  return { services: [plain, failing] as const, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Sends requests over reused connections, because fetch needs three times the CPU time. */
function sender(address: string, agent: Agent): Send {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_MS);
      const request = open(address + target, { method, headers, agent, signal }, (response) => {
        const { statusCode: status = 0, headersDistinct } = response;
        const received = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
          values.map((value): [string, string] => [name, value]),
        );
        buffer(response)
          .then((content) => ([204, 205, 304].includes(status) ? null : content))
          .then((content) => resolve(new Response(content, { status, headers: received })))
          .catch(reject);
      });
      request.on('error', reject);
      request.end(body);
    });
}

/** A store in memory whose methods fail while `whileFailing` runs. */
function breakable({ memoryStore, StoreUnavailableError }: Server) {
  let failing = false;
  const failable = <T extends object>(target: T): T =>
    new Proxy(target, {
      get: (_, name) => {
        const property = Reflect.get(target, name);
        if (typeof property !== 'function') return property;
        return (...args: unknown[]) => {
          if (failing) throw new StoreUnavailableError('for the check');
          return property.apply(target, args);
        };
      },
    });
  const store = memoryStore();
  const memory: typeof store = { ...failable(store), collection: (name) => failable(store.collection(name)) };
  const whileFailing = async <T>(work: () => Promise<T>): Promise<T> => {
    failing = true;
    return work().finally(() => {
      failing = false;
    });
  };
  return { memory, whileFailing };
}

/** The request of an operation with these inputs. Each security scheme gets the same API key. */
export function requestFor(
  { spec, apiKey: accepted }: Pick<Service, 'spec' | 'apiKey'>,
  { id }: Operation,
  inputs: Inputs,
  apiKey = accepted,
): WireRequest {
  return wireRequest(expectedRequest(spec, id, inputs, credentialsOf(spec, apiKey)));
}

/** The request for a path that need not be declared, with the credentials that operations need by default. */
export function requestForPath({ spec, apiKey }: Service, method: string, path: string): WireRequest {
  const root = { ...spec.root, paths: { [path]: { [method.toLowerCase()]: {} } } };
  return wireRequest(expectedRequest({ root }, `${method} ${path}`, {}, credentialsOf(spec, apiKey)));
}

/** The target of a link, with the credentials that belong into the query: links do not contain them. */
export function withQueryCredentials({ spec, apiKey }: Service, { security }: Operation, target: string): string {
  const schemes = security
    .flatMap((all) => Object.keys(all))
    .map((name) => spec.root.components?.securitySchemes?.[name]);
  const url = new URL(target, 'http://localhost');
  for (const scheme of schemes) if (scheme?.in === 'query') url.searchParams.set(scheme.name ?? '', apiKey);
  return url.pathname + url.search;
}

function credentialsOf(spec: Spec, apiKey: string): Credentials {
  return mapped(exampleCredentials(spec), (example) =>
    typeof example === 'string' ? apiKey : { username: 'check', password: apiKey },
  );
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
 * the resource that the parameter names; PUT (for GET and HEAD also POST) on the same path creates the resource there. Returns
 * the path parameters.
 */
export async function prepare(service: Service, { method, path }: Operation): Promise<PathValues> {
  const existing: Record<string, unknown> = {};
  const call = async (endpoint: string) => callWith(service, service.spec.operations.get(endpoint), existing);
  for (const name of pathNames(path)) {
    const collection = path.slice(0, path.indexOf(`{${name}}`)).replace(/\/$/, '');
    const created = await call(`POST ${collection}`);
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
  return /json/.test(response.headers.get('content-type') ?? '') ? readJson(text) : undefined;
}

/** The identifier of a created resource: the property that lists are paged by, the property with the parameter's name, or `id`. */
function idIn(spec: Spec, collection: string, parameter: string, created: unknown): unknown {
  if (!isNode(created)) return undefined;
  const { key } = node(node(spec.operations.get(`GET ${collection}`)?.object)['x-pagination']);
  const names = [key, parameter, 'id'].filter((name) => typeof name === 'string');
  return names.map((name) => created[name]).find((value) => ['string', 'number', 'bigint'].includes(typeof value));
}
