// Checks that lists return the created documents in order, page by page, and for a filter exactly
// those with its value.
import { caseOf } from './cases.ts';
import type { Contents } from './contents.ts';
import type { Inputs } from './requests.ts';
import type { Answer, RunningServer } from './running-server.ts';
import {
  asObject,
  type Collection,
  elementOf,
  follow,
  type JsonObject,
  pathParameters,
  propertiesOf,
} from './spec.ts';

/**
 * Parameters of lists that name no property, such as `listPets since`. Tests of the server try
 * them.
 */
const otherParameters: readonly string[] = [];

/** A list, and what is known of it. */
interface List {
  readonly collection: Collection;
  readonly server: RunningServer;
  readonly contents: Contents;
  /** The names of the parameters for cursor and size of a page. */
  readonly cursor: string;
  readonly limit: string;
  /** The largest size of a page, and the one without the parameter. */
  readonly maximum: number;
  readonly defaultSize: number;
  readonly filters: readonly Filter[];
}

/** A query parameter that names a property of the listed documents, and some of its values. */
interface Filter {
  readonly name: string;
  readonly values: readonly unknown[];
}

export async function checkList(collection: Collection, contents: Contents): Promise<void> {
  const { create, list: operation } = collection;
  // Without an operation that creates documents, it is unknown what a list has to return.
  if (!create || pathParameters(operation.path).length > 0) return;
  const list = listOf(collection, contents);
  await createDocuments(list);
  for (const query of queriesOf(list.filters)) await checkQuery(list, query);
}

function listOf(collection: Collection, contents: Contents): List {
  const { server } = contents;
  const { pagination, parameters } = collection.list;
  const cursor = String(pagination?.cursor);
  const limit = String(pagination?.limit);
  const schema = parameters.find(({ name }) => name === limit)?.schema;
  const { maximum = 100, default: usual } = follow(server.context.spec, schema);
  const defaultSize = Number(usual ?? maximum);
  const filters = filtersOf(collection, server, [cursor, limit]);
  return { collection, server, contents, cursor, limit, maximum, defaultSize, filters };
}

/** The filters of a list. Reports any other parameter, unless it has a test. */
function filtersOf(
  { list, path }: Collection,
  server: RunningServer,
  others: readonly string[],
): Filter[] {
  const { spec, cases, findings } = server.context;
  const { properties } = propertiesOf(spec, elementOf(spec, list));
  const filters: Filter[] = [];
  for (const { name, in: place, schema } of list.parameters) {
    if (place !== 'query' || others.includes(name)) continue;
    const values = follow(spec, schema).enum ?? cases.values.valid(schema).slice(0, 4);
    if (name in properties) filters.push({ name, values });
    else if (!otherParameters.includes(`${list.id} ${name}`))
      findings.add(
        `GET ${path}: ${name} is no property of what is listed, so nothing says what it does`,
        '',
        'name it like the property that it filters by, or test it and name it in tools/drift/lists.ts',
      );
  }
  return filters;
}

/** The least number of documents that have the same values of filters. */
const MIN_DOCUMENTS = 12;

/**
 * Creates more documents than a page holds, with each combination of the values of filters in turn.
 */
async function createDocuments({ collection, server, contents, filters, maximum }: List) {
  const { spec, cases } = server.context;
  if (!collection.create) return;
  const { inputs } = cases.least(collection.create);
  const { properties, required } = propertiesOf(spec, collection.create.body?.schema);
  let combinations: JsonObject[] = [{}];
  for (const { name, values } of filters.filter((filter) => filter.name in properties)) {
    const choices = required.includes(name) ? values : [...values, undefined];
    combinations = combinations.flatMap((each) =>
      choices.map((value) => ({ ...each, [name]: value })),
    );
  }
  const count = Math.max(maximum + 1, MIN_DOCUMENTS * combinations.length);
  for (let i = 0; i < count; i++) {
    const body = { ...asObject(inputs.body), ...combinations[i % combinations.length] };
    await contents.create(collection, { ...inputs, body });
  }
}

/**
 * The queries with no filter, with each value of a filter, and with each pair of values of two
 * filters.
 */
function queriesOf(filters: readonly Filter[]): JsonObject[] {
  const single = filters.map(({ name, values }) => values.map((value) => ({ [name]: value })));
  const pairs = single.flatMap((queries, i) =>
    single
      .slice(i + 1)
      .flatMap((others) =>
        queries.flatMap((query) => others.map((other) => ({ ...query, ...other }))),
      ),
  );
  return [{}, ...single.flat(), ...pairs];
}

/** Compares the first pages of several sizes, and all pages after the third document. */
async function checkQuery(list: List, query: JsonObject): Promise<void> {
  const { contents, collection, cursor, limit, maximum, defaultSize } = list;
  const wanted = contents.documentsIn(collection).filter((document) => hasValues(document, query));
  await comparePages(list, query, wanted, defaultSize, 2);
  for (const size of [1, 3, maximum])
    await comparePages(list, { ...query, [limit]: size }, wanted, size, 2);
  const third = wanted[2];
  if (!third) return;
  const fromThird = { ...query, [limit]: 7, [cursor]: third[collection.key] };
  await comparePages(list, fromThird, wanted.slice(3), 7);
}

function hasValues(document: JsonObject, values: JsonObject): boolean {
  return Object.entries(values).every(([name, value]) => document[name] === value);
}

/**
 * Compares the pages of a list, or the first `most` of them, with the documents that it has to
 * return.
 */
async function comparePages(
  list: List,
  query: JsonObject,
  wanted: readonly JsonObject[],
  size: number,
  most = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { server } = list;
  const expect = server.context.findings.expectOf(nameOf(list, query));
  const keysOf = (documents: readonly JsonObject[]) =>
    documents.map((document) => document[list.collection.key]);
  let inputs: Inputs = { parameters: query };
  let read = 0;
  for (let count = 0; count < most; count++) {
    const { data, headers } = await server.attempt(caseOf(list.collection.list, inputs));
    const page = Array.isArray(data) ? data.map(asObject) : [];
    const expected = wanted.slice(read, read + size);
    expect('the documents', keysOf(page), keysOf(expected));
    if (String(keysOf(page)) !== String(keysOf(expected))) return;
    expect('the documents', page, expected);
    read += page.length;
    const next = nextQuery(headers);
    expect('whether there is a link to the next page', next !== undefined, read < wanted.length);
    if (!next || page.length === 0) return;
    compareLink(list, query, next);
    inputs = { parameters: Object.fromEntries(next) };
  }
}

/** Checks that the link to the next page keeps the query, except for the cursor. */
function compareLink(list: List, query: JsonObject, next: URLSearchParams): void {
  for (const [name, value] of Object.entries(query))
    if (name !== list.cursor && next.get(name) !== String(value))
      list.server.context.findings.add(
        `${nameOf(list, query)}: the link to the next page does not keep ${name}`,
      );
}

/** `GET /pets?status`: findings name the filters of a query, but no values. */
function nameOf({ collection, cursor, limit }: List, query: JsonObject): string {
  const filters = Object.keys(query).filter((name) => name !== limit && name !== cursor);
  const suffix = filters.length === 0 ? '' : `?${filters.join('&')}`;
  return `GET ${collection.path}${suffix}`;
}

/** The query in the link to the next page: `<?limit=20&after=20>; rel="next"` (RFC 8288). */
function nextQuery(headers: Answer['headers']): URLSearchParams | undefined {
  for (const link of (headers.get('link') ?? '').split(', ')) {
    const [target = '', relation] = link.split('; ');
    if (relation === 'rel="next"')
      return new URL(target.slice(1, -1), 'http://localhost').searchParams;
  }
  return undefined;
}
