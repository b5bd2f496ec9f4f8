import { isDeepStrictEqual } from 'node:util';
import { isJson } from '../../../openapi/body.ts';
import { readJson } from '../../../openapi/compare.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { type Node, node, type Spec } from '../../openapi.ts';
import { bodiesFor, excerpt, requiredInputs } from '../values.ts';
import { fetchAll, fetchPage, MAX_ELEMENTS, pagedList, requestWith } from './paging.ts';
import {
  createRequest,
  creationReplayErrors,
  type Resource,
  staleErrors,
  tagErrors,
  versionErrors,
} from './repetition.ts';
import { requestFor, type Service } from './service.ts';
import { isRejection } from './test-requests.ts';

/** Elements are added to a list until its largest page is full, unless this page is larger than this number. */
const MAX_ADDED = MAX_ELEMENTS / 2;

/** The number of concurrent requests. It is below the maximum number of connections of the server. */
const CONCURRENT_REQUESTS = 50;

/**
 * Errors in a list with `x-pagination`, one sentence each: how elements are paged, and, if a POST on the same path adds elements,
 * how they are created, listed, filtered and read.
 */
export async function* listErrors(service: Service, operation: Operation): AsyncGenerator<string> {
  const paged = await pagedList(service, operation);
  if (!paged) return;
  const create = service.spec.operations.get(`POST ${operation.path}`);
  const body = create && jsonBodyOf(create);
  if (!body) {
    const [small, large] = [await fetchAll(paged, {}, 1), await fetchAll(paged, {}, 50)];
    return yield* differences('the list, read in small pages,', small, large);
  }
  const resource: Resource = { ...paged, create, body };
  const { key } = resource.pagination;
  const before = await fetchAll(resource, {}, 50);
  const all = [...before, ...(yield* fill(resource))];
  const elements = key === undefined ? all : sortedBy(all, key);
  if (elements.length < all.length) yield 'two elements have the same pagination key';
  yield* differences('the list, read page by page,', await fetchAll(resource, {}, 7), elements);
  yield* sizeErrors(resource, elements.length);
  yield* filterErrors(resource, elements);
  yield* readErrors(resource, elements);
  yield* versionErrors(resource);
  yield* staleErrors(resource, elements);
  yield* creationReplayErrors(resource);
}

function differences(name: string, actual: readonly unknown[], expected: readonly unknown[]): string[] {
  const first = expected.findIndex((element, i) => !isDeepStrictEqual(element, actual[i]));
  if (first < 0 && actual.length === expected.length) return [];
  const at = first < 0 ? expected.length : first;
  const [is, should] = [excerpt(actual[at]), excerpt(expected[at])];
  return [
    `${name} has ${actual.length} elements, and ${expected.length} were expected; element ${at + 1} is ${is}, not ${should}`,
  ];
}

/** The elements sorted by a key, one for each value of the key. */
function sortedBy(elements: readonly unknown[], key: string): unknown[] {
  const byKey = new Map(elements.map((element) => [node(element)[key] as string | number | bigint, element]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

/** The media type and the schema of an operation's JSON body. */
function jsonBodyOf({ body }: Operation): Resource['body'] | undefined {
  const [type, media] = Object.entries(body?.content ?? {}).find(([name]) => isJson(name)) ?? [];
  return type === undefined ? undefined : { type, schema: media?.schema ?? {} };
}

/**
 * Adds an element for each example of the body. Then adds the same elements in turn until the largest page is full, so each page
 * has elements of several kinds. Returns the created elements. A body may refer to a resource that does not exist, if the
 * operation declares 404.
 */
async function* fill(resource: Resource): AsyncGenerator<string, unknown[]> {
  const { service } = resource;
  const { type, schema } = resource.body;
  const bodies = bodiesFor(service.spec, schema);
  const add = (body: unknown) => service.send(createRequest(resource, { body, contentType: type }));
  const created: unknown[] = [];
  const accepted: unknown[] = [];
  for (const body of bodies) {
    const response = await add(body);
    const text = await response.text();
    if (response.ok) {
      const element = readJson(text);
      created.push(element);
      accepted.push(body);
      yield* echoErrors(service.spec, schema, node(body), node(element));
    } else if (response.status !== 404 || !isRejection(resource.create, 404))
      yield `the response to the valid body ${excerpt(body)} is ${response.status}`;
  }
  if (accepted.length === 0) {
    yield 'no valid body is accepted';
    return created;
  }
  const largest = Math.max(...pageSizes(resource).map(([, size]) => size));
  const more = largest <= MAX_ADDED ? Math.max(0, largest + 1 - accepted.length) : 0;
  for (let added = 0; added < more; added += CONCURRENT_REQUESTS) {
    const count = Math.min(CONCURRENT_REQUESTS, more - added);
    const adding = Array.from({ length: count }, (_, i) => add(accepted[(added + i) % accepted.length]));
    const texts = await Promise.all(adding.map(async (response) => (await response).text()));
    created.push(...texts.map(readJson));
  }
  return created;
}

/** Differences between the properties of a created element and the properties that were sent. */
function* echoErrors(spec: Spec, schema: Schema, sent: Node, received: Node): Generator<string> {
  for (const [name, property] of Object.entries(node(resolve(spec, schema).properties))) {
    const described = resolve(spec, node(property) as Schema);
    const value = excerpt(received[name]);
    if (described.writeOnly) continue;
    if (name in sent && !isDeepStrictEqual(received[name], sent[name]))
      yield `${name} is sent as ${excerpt(sent[name])}, and is ${value} in the response`;
    if (!(name in sent) && name in received && described.default === undefined && !described.readOnly)
      yield `${name} is not sent, and is ${value} in the response`;
  }
}

async function* sizeErrors(resource: Resource, total: number): AsyncGenerator<string> {
  const { limit } = resource.pagination;
  for (const [requested, size] of pageSizes(resource)) {
    const query = requested === undefined ? {} : { [limit]: requested };
    const { length } = (await fetchPage(resource, requestWith(resource, query))).elements;
    const expected = Math.min(size, total);
    if (length !== expected)
      yield `a page with ${limit} ${requested ?? 'by default'} has ${length} elements, not ${expected}`;
  }
}

/** The page sizes to request, and the number of elements in such a page. The requested size undefined stands for the default. */
function pageSizes({ limitSchema }: Resource): (readonly [requested: number | undefined, size: number])[] {
  const { minimum, maximum, default: standard } = limitSchema;
  const bounds = [minimum, maximum].filter((size) => size !== undefined);
  return [
    ...bounds.filter((size) => size > 0 && size <= MAX_ADDED).map((size) => [size, size] as const),
    ...(typeof standard === 'number' ? [[undefined, standard] as const] : []),
  ];
}

/** Errors in lists that are filtered by the value of a property. */
async function* filterErrors(resource: Resource, elements: readonly unknown[]): AsyncGenerator<string> {
  for (const { name, schema = {} } of filtersOf(resource)) {
    const values = resolve(resource.service.spec, schema).enum ?? [];
    for (const value of new Set([...values, ...elements.slice(0, 3).map((element) => node(element)[name])])) {
      if (value === undefined || value === null || typeof value === 'object') continue;
      const expected = elements.filter((element) => node(element)[name] === value);
      const actual = await fetchAll(resource, { [name]: value }, 20);
      yield* differences(`the list with ${name} ${value}`, actual, expected);
    }
  }
}

/** The query parameters that select elements by a property with the same name. */
function filtersOf({ service: { spec }, operation, body, pagination }: Resource) {
  const properties = node(resolve(spec, body.schema).properties);
  const pagingParameters: unknown[] = [pagination.limit, pagination.cursor];
  const isScalar = (schema: Schema = {}) => !['array', 'object'].includes(String(resolve(spec, schema).type));
  return operation.parameters.filter(
    ({ in: location, name, schema }) =>
      location === 'query' && name in properties && !pagingParameters.includes(name) && isScalar(schema),
  );
}

/** Errors in elements that are read by their pagination key. */
async function* readErrors(resource: Resource, elements: readonly unknown[]): AsyncGenerator<string> {
  const { service, operation, pagination, existing } = resource;
  const { key } = pagination;
  const elementEndpoint = new RegExp(`^GET ${RegExp.escape(operation.path)}/\\{([^}/]+)\\}$`);
  const [endpoint, get] = [...service.spec.operations].find(([name]) => elementEndpoint.test(name)) ?? [];
  const [, parameter = ''] = elementEndpoint.exec(endpoint ?? '') ?? [];
  if (!get || key === undefined) return;
  const samples = [...elements.slice(0, 20), ...elements.slice(-2)].filter(
    (element) => node(element)[key] !== undefined,
  );
  for (const [i, element] of samples.entries()) {
    const path = { ...existing, [parameter]: node(element)[key] };
    const request = requestFor(service, get, { ...requiredInputs(service.spec, get), path });
    const response = await service.send(request);
    const read = readJson(await response.text());
    if (!isDeepStrictEqual(read, element))
      yield `GET ${get.path} returns ${excerpt(read)}, and the list has ${excerpt(element)}`;
    const tag = response.headers.get('etag');
    if (tag && i < 2) yield* tagErrors(service, request, tag);
  }
}
