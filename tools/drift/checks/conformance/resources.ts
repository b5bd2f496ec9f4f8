import { isDeepStrictEqual } from 'node:util';
import type { Pagination } from '@petstore/types';
import { isJson } from '../../../openapi/body.ts';
import { type Operation, resolve, type Schema } from '../../../openapi/document.ts';
import { exampleInputs } from '../../../openapi/examples.ts';
import { expectedRequest, type Inputs } from '../../../openapi/serialize.ts';
import { wireRequest } from '../../../openapi/wire.ts';
import { type Node, node, type Spec } from '../../openapi.ts';
import { bodiesFor } from '../values.ts';
import { credentialsFor } from './attempts.ts';
import { parseExact, shown } from './exact-json.ts';
import { type Page, pageOf, targetBehind } from './paging.ts';
import type { Send } from './preparation.ts';

/** A list that is paged, and the operation that adds to it. */
interface Resource {
  readonly spec: Spec;
  readonly list: Operation;
  readonly create: Operation;
  readonly pagination: Pagination & { readonly limit: string };
  readonly key: string;
  readonly send: Send;
}

/** A list with more elements than this is not filled, so that a page of the largest size is full. */
const MAX_FILLED = 300;

/** Fewer requests than the server takes connections. */
const AT_ONCE = 50;

/**
 * What is wrong with how elements are added, listed, filtered, paged and read, one sentence each: the properties that follow
 * from the spec of a list with `x-pagination` and of the POST on the same path. Other operations have none.
 */
export async function resourceErrors(spec: Spec, list: Operation, key: string, send: Send): Promise<string[]> {
  const resource = resourceOf(spec, list, key, send);
  if (!resource) return [];
  const { limit } = resource.pagination;
  const before = await walk(resource, {}, 50);
  const { created, wrong } = await createMany(resource);
  const all = [...before, ...created];
  const errors = [...wrong];
  const differs = (what: string, actual: readonly unknown[], expected: readonly unknown[]) => {
    const at = expected.findIndex((one, i) => !isDeepStrictEqual(one, actual[i]));
    const place = at < 0 ? expected.length : at;
    if (at >= 0 || actual.length !== expected.length)
      errors.push(
        `${what} has ${actual.length} elements of ${expected.length}; ${place + 1} is ${shown(actual[place])}, not ${shown(expected[place])}`,
      );
  };
  const inOrder = resource.pagination.key === undefined ? all : ordered(all, resource.pagination.key);
  if (inOrder.length !== all.length) errors.push('two elements have the same key');
  differs('the list of all, page by page,', await walk(resource, {}, 7), inOrder);
  for (const [size, text] of pageSizes(resource)) {
    const page = await first(resource, size === undefined ? {} : { [limit]: size });
    const expected = Math.min(text, inOrder.length);
    if (page.elements.length !== expected)
      errors.push(`a page with ${limit} ${size ?? 'by default'} has ${page.elements.length} elements, not ${expected}`);
  }
  for (const { name, schema = {} } of filtersOf(resource))
    for (const value of new Set([
      ...(resolve(spec, schema).enum ?? []),
      ...inOrder.slice(0, 3).map((one) => node(one)[name]),
    ])) {
      if (value === undefined || value === null || typeof value === 'object') continue;
      const expected = inOrder.filter((one) => node(one)[name] === value);
      differs(`the list with ${name} ${value}`, await walk(resource, { [name]: value }, 20), expected);
    }
  errors.push(
    ...(await readErrors(resource, inOrder)),
    ...(await versionErrors(resource)),
    ...(await staleErrors(resource, inOrder)),
    ...(await replayErrors(resource)),
  );
  return errors;
}

function resourceOf(spec: Spec, list: Operation, key: string, send: Send): Resource | undefined {
  const row = spec.model.rows.find(({ operation: { method, path } }) => list.method === method && list.path === path);
  const { limit, ...pagination } = row?.operation.pagination ?? {};
  const create = spec.operations.get(`POST ${list.path}`);
  const type = Object.keys(create?.body?.content ?? {}).find(isJson);
  if (list.method !== 'GET' || list.path.includes('{') || !row || !limit || !create || !type) return undefined;
  return { spec, list, create, pagination: { ...(pagination as Pagination), limit }, key, send };
}

/** The request of an operation, with what it requires beside these inputs. */
function request({ spec, key }: Resource, operation: Operation, inputs: Inputs) {
  const needed = exampleInputs(spec, operation)[0]?.inputs ?? {};
  const all = {
    ...needed,
    ...inputs,
    ...((needed.query || inputs.query) && { query: { ...needed.query, ...inputs.query } }),
  };
  return wireRequest(expectedRequest(spec, operation.id, all, credentialsFor(spec, key)));
}

async function first(resource: Resource, query: Node): Promise<Page> {
  return pageOf(await resource.send(request(resource, resource.list, { query })), resource.pagination);
}

/** All elements that a query leads to, over pages of this size. */
async function walk(resource: Resource, query: Node, size: number): Promise<unknown[]> {
  const { spec, list, pagination, send } = resource;
  const sized = { ...query, [pagination.limit]: size };
  const one = request(resource, list, { query: sized });
  const found: unknown[] = [];
  let isCut = false;
  for (let target: string | undefined = one.target, pages = 0; target !== undefined; pages++) {
    const page: Page = await pageOf(await send({ ...one, target }), pagination);
    if (isCut && pagination.by !== 'last' && page.elements.length === 0) return [...found, 'a page leads to nothing'];
    isCut = page.elements.length < size;
    found.push(...page.elements);
    if (pages > (2 * MAX_FILLED) / size) return [...found, 'the pages do not end'];
    target = targetBehind(spec, target, page, pagination, (cursor) =>
      request(resource, list, { query: { ...sized, [pagination.cursor ?? '']: cursor } }),
    );
    if (page.elements.length === 0) return found;
  }
  return found;
}

/**
 * Adds an element for each value that a property may have, and so many more that the largest page is full: the same again, so
 * that no page has only elements of one kind.
 */
async function createMany(resource: Resource): Promise<{ created: unknown[]; wrong: string[] }> {
  const { spec, create, send } = resource;
  const [type = '', media] = Object.entries(create.body?.content ?? {}).find(([name]) => isJson(name)) ?? [];
  const schema = media?.schema ?? {};
  const bodies = bodiesFor(spec, schema);
  const largest = Math.max(...pageSizes(resource).map(([, size]) => size));
  const more = largest <= MAX_FILLED ? Math.max(0, largest + 1 - bodies.length) : 0;
  const add = async (body: unknown) => send(request(resource, create, { body, contentType: type }));
  const created: unknown[] = [];
  const wrong: string[] = [];
  for (const body of bodies) {
    const response = await add(body);
    const text = await response.text();
    if (!response.ok) {
      wrong.push(`the response to the valid body ${shown(body)} is ${response.status}`);
      continue;
    }
    const made = parseExact(text);
    created.push(made);
    wrong.push(...echoErrors(spec, schema, node(body), node(made)));
  }
  const rest: string[] = [];
  while (rest.length < more) {
    const count = Math.min(AT_ONCE, more - rest.length);
    const bodiesAt = (i: number) => bodies[(rest.length + i) % bodies.length];
    const adding = Array.from({ length: count }, (_, i) => add(bodiesAt(i)).then((one) => one.text()));
    rest.push(...(await Promise.all(adding)));
  }
  created.push(...rest.map(parseExact));
  return { created, wrong };
}

/** What an answer makes of the properties that were sent, and of those that were not. */
function echoErrors(spec: Spec, schema: Schema, sent: Node, made: Node): string[] {
  const properties = Object.entries(node(resolve(spec, schema).properties));
  return properties.flatMap(([name, one]) => {
    const described = resolve(spec, node(one) as Schema);
    if (described.writeOnly) return [];
    if (name in sent)
      return isDeepStrictEqual(made[name], sent[name])
        ? []
        : [`${name} is sent as ${shown(sent[name])} and answered as ${shown(made[name])}`];
    return name in made && described.default === undefined
      ? [`${name} is not sent, and answered as ${shown(made[name])}`]
      : [];
  });
}

const ordered = (elements: readonly unknown[], key: string) => {
  const byKey = new Map(elements.map((one) => [Number(node(one)[key]), one]));
  return [...byKey].sort(([a], [b]) => a - b).map(([, one]) => one);
};

/** The sizes to ask for, the default as nothing, with what they mean. */
function pageSizes({ spec, list, pagination }: Resource): [asked: number | undefined, size: number][] {
  const parameter = list.parameters.find(({ name }) => name === pagination.limit);
  const { minimum, maximum, default: usual } = resolve(spec, parameter?.schema ?? {});
  const asked = [minimum, maximum].filter((size) => size !== undefined && size > 0 && size <= MAX_FILLED) as number[];
  return [
    ...asked.map((size): [number, number] => [size, size]),
    ...(typeof usual === 'number' ? [[undefined, usual] as [undefined, number]] : []),
  ];
}

/** The parameters that choose elements by a property of the same name. */
function filtersOf({ spec, list, create, pagination }: Resource) {
  const [, media] = Object.entries(create.body?.content ?? {}).find(([name]) => isJson(name)) ?? [];
  const properties = node(resolve(spec, media?.schema ?? {}).properties);
  const others: unknown[] = [pagination.limit, pagination.cursor];
  const isScalar = (schema: Schema = {}) => !['array', 'object'].includes(String(resolve(spec, schema).type));
  return list.parameters.filter(
    ({ in: place, name, schema }) =>
      place === 'query' && name in properties && !others.includes(name) && isScalar(schema),
  );
}

/** What is wrong with elements that are read by their key. */
async function readErrors(resource: Resource, elements: readonly unknown[]): Promise<string[]> {
  const { spec, list, pagination, send } = resource;
  const inside = new RegExp(`^GET ${list.path}/\\{([^}/]+)\\}$`);
  const [endpoint, get] = [...spec.operations].find(([one]) => inside.test(one)) ?? [];
  const [, parameter = ''] = inside.exec(endpoint ?? '') ?? [];
  if (!get || pagination.key === undefined) return [];
  const { key: property } = pagination;
  const some = [...elements.slice(0, 20), ...elements.slice(-2)].filter((one) => node(one)[property] !== undefined);
  const errors: string[] = [];
  for (const [i, element] of some.entries()) {
    const response = await send(request(resource, get, { path: { [parameter]: node(element)[property] } }));
    const read = parseExact(await response.text());
    if (!isDeepStrictEqual(read, element))
      errors.push(`GET ${get.path} answers ${shown(read)}, and the list has ${shown(element)}`);
    const tag = response.headers.get('etag');
    if (tag && i < 2)
      errors.push(
        ...(await tagErrors(resource, request(resource, get, { path: { [parameter]: node(element)[property] } }), tag)),
      );
  }
  return errors;
}

/** A tag is known for as long as nothing has changed, and no other is. */
async function tagErrors({ send }: Resource, sent: ReturnType<typeof wireRequest>, tag: string): Promise<string[]> {
  const statusWith = async (value: string) =>
    (await send({ ...sent, headers: { ...sent.headers, 'if-none-match': value } })).status;
  const [same, other] = [await statusWith(tag), await statusWith('"no-such-version"')];
  return [
    ...(same === 304 ? [] : [`If-None-Match with the current ETag is answered ${same}, not 304`]),
    ...(other === 304 ? ['If-None-Match with an unknown ETag is answered 304'] : []),
  ];
}

/** What is wrong with the version of a list, where it has one. */
async function versionErrors(resource: Resource): Promise<string[]> {
  const { list, create, send } = resource;
  const sent = request(resource, list, {});
  const tag = (await send(sent)).headers.get('etag');
  if (!tag) return [];
  const errors = await tagErrors(resource, sent, tag);
  await send(request(resource, create, {}));
  const { status } = await send({ ...sent, headers: { ...sent.headers, 'if-none-match': tag } });
  return status === 304 ? [...errors, 'the ETag of a list stays the same when an element is added'] : errors;
}

/** A response that was the same several times is another one after a write. */
async function staleErrors(resource: Resource, elements: readonly unknown[]): Promise<string[]> {
  const { list, create, pagination, send } = resource;
  const { cursor, key = '' } = pagination;
  if (cursor === undefined || elements.length === 0) return [];
  const last = request(resource, list, { query: { [cursor]: node(elements.at(-1))[key] } });
  const pages: Page[] = [];
  for (let i = 0; i < 4; i++) {
    if (i === 3) await send(request(resource, create, {}));
    pages.push(await pageOf(await send(last), pagination));
  }
  const [first = 0, , , after = 0] = pages.map(({ elements: { length } }) => length);
  const ids = pages.map(({ response }) => response.headers.get('x-request-id')).filter((id) => id !== null);
  return [
    ...(after > first ? [] : ['the same request is answered as before, after an element was added']),
    ...(new Set(ids).size === ids.length ? [] : ['two responses have the same X-Request-Id']),
  ];
}

/** What is wrong with a request that is repeated with its idempotency key: it is answered as the first time, and done once. */
async function replayErrors(resource: Resource): Promise<string[]> {
  const { create, send } = resource;
  if (!create.idempotencyKey) return [];
  const sent = request(resource, create, {});
  const keyed = {
    ...sent,
    headers: { ...sent.headers, [create.idempotencyKey.name.toLowerCase()]: `a-key-for-repeating-${create.id}` },
  };
  const count = async () => (await walk(resource, {}, 50)).length;
  const [before, one, other, after] = [await count(), await send(keyed), await send(keyed), await count()];
  const [text, again] = [await one.text(), await other.text()];
  return [
    ...(text === again && one.status === other.status
      ? []
      : [`a repeated request is answered ${other.status} ${again}, not ${one.status} ${text}`]),
    ...(after === before + 1 ? [] : [`a request that is sent twice adds ${after - before} elements`]),
    ...(other.headers.get('idempotency-replayed') === 'true' && !one.headers.has('idempotency-replayed')
      ? []
      : ['Idempotency-Replayed does not tell a repetition']),
  ];
}
