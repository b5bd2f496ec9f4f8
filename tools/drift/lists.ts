// Lists: what was created is what they return, in order, page by page, and for each filter exactly the documents that have its value.
import { caseOf, type Inputs } from './cases.ts';
import type { Answer } from './coverage.ts';
import type { Documents } from './documents.ts';
import { expectEqual } from './expect.ts';
import type { Collection, Node, Operation } from './interface.ts';
import { asNode, follow, pathParameters, propertiesOf } from './oracle.ts';

/** Parameters of lists that name no property, as `listPets since`, each with a test of what it does. */
const otherParameters: ReadonlyMap<string, (list: List) => Promise<void>> = new Map();

/** A page with more bytes may end before its limit. */
const LARGE_PAGE = 2 ** 19;

/** So many documents are created for a list at most. */
const MOST_CREATED = 2_000;

/** A list, and what is known of it. */
interface List {
  readonly collection: Collection;
  readonly documents: Documents;
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

export async function checkList(collection: Collection, documents: Documents): Promise<void> {
  const { create } = collection;
  // Without a way to create documents, nothing is known of what a list has to return.
  if (!create || pathParameters(collection.list.path).length > 0) return;
  const list = listOf(collection, documents);
  await createDocuments(list, create);
  await checkPages(list);
  for (const filter of list.filters) await checkFilter(list, filter);
  await checkPairs(list);
  for (const { name } of collection.list.parameters)
    await otherParameters.get(`${collection.list.id} ${name}`)?.(list);
}

function listOf(collection: Collection, documents: Documents): List {
  const { pagination, parameters } = collection.list;
  const cursor = String(pagination?.cursor);
  const limit = String(pagination?.limit);
  const schema = parameters.find(({ name }) => name === limit)?.schema;
  const { maximum = 100, default: usual } = follow(documents.server.context.spec, schema);
  const defaultSize = Number(usual ?? maximum);
  const filters = filtersOf(collection, documents, [cursor, limit]);
  return { collection, documents, cursor, limit, maximum, defaultSize, filters };
}

/** The filters of a list. A parameter that is none is reported, unless it has a test. */
function filtersOf(
  { list, path }: Collection,
  { server, cases }: Documents,
  others: readonly string[],
): Filter[] {
  const { spec, report } = server.context;
  const { items } = follow(spec, list.responses.get('200')?.schema);
  const { properties } = propertiesOf(spec, items);
  const filters: Filter[] = [];
  for (const { name, in: place, schema } of list.parameters) {
    if (place !== 'query' || others.includes(name)) continue;
    const values = follow(spec, schema).enum ?? cases.values.valid(schema).slice(0, 4);
    if (name in properties) filters.push({ name, values });
    else if (!otherParameters.has(`${list.id} ${name}`))
      report(
        `GET ${path}: ${name} is no property of what is listed, so nothing says what it does`,
        '',
        'name it like the property that it filters by, or test it in tools/drift/lists.ts',
      );
  }
  return filters;
}

/** Creates more documents for each value of each filter than a page holds, in turns. */
async function createDocuments(list: List, create: Operation): Promise<void> {
  const { documents, collection, filters, maximum } = list;
  const { properties, required } = propertiesOf(documents.server.context.spec, create.body?.schema);
  const [least] = documents.cases.valid(create);
  let combinations: Node[] = [{}];
  let mostValues = 1;
  for (const { name, values } of filters.filter((filter) => filter.name in properties)) {
    const choices = required.includes(name) ? values : [...values, undefined];
    mostValues = Math.max(mostValues, choices.length);
    combinations = combinations.flatMap((each) =>
      choices.map((value) => ({ ...each, [name]: value })),
    );
  }
  const wanted = mostValues * (maximum + combinations.length);
  for (let i = 0; i < Math.min(wanted, MOST_CREATED); i++) {
    const body = { ...asNode(least.inputs.body), ...combinations[i % combinations.length] };
    await documents.create(collection, { ...least.inputs, body });
  }
}

/** The whole list, with pages of each size, and from a document on. */
async function checkPages(list: List): Promise<void> {
  const { limit, maximum } = list;
  const all = having(list, {});
  await compare(list, {}, all, list.defaultSize, 2);
  for (const size of [1, 3]) await compare(list, { [limit]: size }, all, size, 2);
  await compare(list, { [limit]: maximum }, all, maximum);
  await compareFrom(list, {}, all);
}

/** Each value of a filter, with small and with large pages, and from a document on. */
async function checkFilter(list: List, { name, values }: Filter): Promise<void> {
  const { limit, maximum } = list;
  for (const value of values) {
    const query = { [name]: value };
    const wanted = having(list, query);
    await compare(list, query, wanted, list.defaultSize, 2);
    await compare(list, { ...query, [limit]: maximum }, wanted, maximum);
    await compareFrom(list, query, wanted);
  }
}

/** Each value of each filter with each value of each other one. */
async function checkPairs(list: List): Promise<void> {
  const { filters, limit } = list;
  const pairs = filters.flatMap(({ name, values }, i) =>
    filters
      .slice(i + 1)
      .flatMap((other) =>
        values.flatMap((value) =>
          other.values.map((second) => ({ [name]: value, [other.name]: second })),
        ),
      ),
  );
  for (const pair of pairs) await compare(list, { ...pair, [limit]: 7 }, having(list, pair), 7);
}

async function compareFrom(list: List, query: Node, wanted: readonly Node[]): Promise<void> {
  const third = wanted[2];
  if (!third) return;
  const from = { ...query, [list.limit]: 7, [list.cursor]: third[list.collection.key] };
  await compare(list, from, wanted.slice(3), 7, 3);
}

/** The documents of a list that have these values. */
function having({ documents, collection }: List, values: Node): Node[] {
  const wanted = Object.entries(values);
  return documents
    .of(collection)
    .filter((document) => wanted.every(([name, value]) => document[name] === value));
}

/** Compares the pages of a list, or the first ones of them, with the documents that they have to have. */
async function compare(
  list: List,
  query: Node,
  wanted: readonly Node[],
  size: number,
  most = 100,
): Promise<void> {
  const { server } = list.documents;
  const cause = `${nameOf(list, query)}: whether there is a link to the next page`;
  let inputs: Inputs = { parameters: query };
  let read = 0;
  for (let count = 0; count < most; count++) {
    const answer = await server.attempt(caseOf(list.collection.list, inputs));
    const page = Array.isArray(answer.data) ? answer.data.map(asNode) : [];
    if (!isAsWanted(list, query, answer, page, wanted.slice(read, read + size))) return;
    read += page.length;
    const next = nextQuery(answer);
    expectEqual(server.context.report, cause, next !== undefined, read < wanted.length);
    if (!next || page.length === 0) return;
    compareLink(list, query, next);
    inputs = { parameters: Object.fromEntries(next) };
  }
}

/** Whether a page has the documents that are wanted. A large page may have fewer of them. */
function isAsWanted(
  list: List,
  query: Node,
  { text }: Answer,
  page: readonly Node[],
  wanted: readonly Node[],
): boolean {
  const { report } = list.documents.server.context;
  const isCut = text.length > LARGE_PAGE && page.length > 0 && page.length < wanted.length;
  const expected = isCut ? wanted.slice(0, page.length) : wanted;
  const cause = `${nameOf(list, query)}: the documents`;
  const keysOf = (documents: readonly Node[]) =>
    documents.map((document) => document[list.collection.key]);
  const hasOthers = String(keysOf(page)) !== String(keysOf(expected));
  if (hasOthers) expectEqual(report, cause, keysOf(page), keysOf(expected));
  else expectEqual(report, cause, page, expected);
  return !hasOthers;
}

/** The link to the next page keeps the query, but for the cursor. */
function compareLink(list: List, query: Node, next: URLSearchParams): void {
  const lost = Object.entries(query).filter(
    ([name, value]) => name !== list.cursor && next.get(name) !== String(value),
  );
  for (const [name] of lost)
    list.documents.server.context.report(
      `${nameOf(list, query)}: the link to the next page does not keep ${name}`,
    );
}

/** `GET /pets?status`: the filters of a query are what its findings are about. */
function nameOf({ collection, cursor, limit }: List, query: Node): string {
  const filters = Object.keys(query).filter((name) => name !== limit && name !== cursor);
  const suffix = filters.length === 0 ? '' : `?${filters.join('&')}`;
  return `GET ${collection.path}${suffix}`;
}

/** The query in the link to the next page: `<?limit=20&after=20>; rel="next"` (RFC 8288). */
function nextQuery({ headers }: Answer): URLSearchParams | undefined {
  for (const link of (headers.get('link') ?? '').split(', ')) {
    const [target = '', relation] = link.split('; ');
    if (relation === 'rel="next"')
      return new URL(target.slice(1, -1), 'http://localhost').searchParams;
  }
  return undefined;
}
