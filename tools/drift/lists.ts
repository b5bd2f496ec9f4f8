// Lists: what was created is what they return, in order, page by page, and for each filter exactly the documents that have its value.

import { caseOf, type Inputs } from './cases.ts';
import type { Answer } from './coverage.ts';
import type { Documents } from './documents.ts';
import { expectEqual, shown } from './expect.ts';
import {
  asNode,
  type Collection,
  follow,
  type Node,
  type Parameter,
  pathParameters,
  propertiesOf,
} from './oracle.ts';

/** Parameters of lists that name no property, by operation and name, each with a test of what it does. */
const otherParameters: ReadonlyMap<string, (lists: ListCheck) => Promise<void>> = new Map();

/** A page that is longer than this ends before its limit. */
const LARGE_PAGE = 2 ** 19;

/** So many documents may be created for a list. */
const MOST_CREATED = 2_000;

export async function checkList(collection: Collection, documents: Documents): Promise<void> {
  const { create, list } = collection;
  // Without a way to create documents, nothing is known of what a list has to return.
  if (!create || pathParameters(list.path).length > 0) return;
  const check = new ListCheck(collection, documents);
  await check.createDocuments();
  await check.pages();
  await check.filters();
}

class ListCheck {
  readonly #collection: Collection;
  readonly #documents: Documents;
  readonly #filters: readonly Filter[];
  readonly #maximum: number;
  readonly #defaultSize: number;

  constructor(collection: Collection, documents: Documents) {
    this.#collection = collection;
    this.#documents = documents;
    const { spec } = documents.server.context;
    const limit = this.#parameter(this.#pagination.limit);
    const { maximum = 100, default: usual } = follow(spec, limit?.schema);
    this.#maximum = maximum;
    this.#defaultSize = Number(usual ?? maximum);
    this.#filters = this.#findFilters();
  }

  /** Creates more documents for each value of each filter than a page holds, in turns. */
  async createDocuments(): Promise<void> {
    const { create } = this.#collection;
    if (!create) return;
    const [least] = this.#documents.cases.valid(create);
    let combinations: Node[] = [{}];
    for (const { name, values, isOptional } of this.#filters) {
      const choices = isOptional ? [...values, undefined] : values;
      combinations = combinations.flatMap((each) =>
        choices.map((value) => ({ ...each, [name]: value })),
      );
    }
    const fewest = Math.min(
      ...this.#filters.map(({ values }) => combinations.length / (values.length + 1)),
      combinations.length,
    );
    const rounds = Math.ceil((this.#maximum + 1) / fewest);
    const total = Math.min(rounds * combinations.length, MOST_CREATED);
    for (let i = 0; i < total; i++) {
      const combination = combinations[i % combinations.length];
      const body = { ...asNode(least.inputs.body), ...combination };
      await this.#documents.create(this.#collection, { ...least.inputs, body });
    }
  }

  /** The whole list, with pages of each size, and from a document on. */
  async pages(): Promise<void> {
    const { limit, cursor } = this.#pagination;
    const all = this.#documents.of(this.#collection);
    await this.#compare({}, all, this.#defaultSize, 2);
    for (const size of [1, 3]) await this.#compare({ [limit]: size }, all, size, 2);
    await this.#compare({ [limit]: this.#maximum }, all, this.#maximum);
    const fourth = all[3];
    if (!fourth) return;
    const after = { [cursor]: fourth[this.#collection.key], [limit]: this.#maximum };
    await this.#compare(after, all.slice(4), this.#maximum);
  }

  /** Each filter alone and with each other one. */
  async filters(): Promise<void> {
    for (const [i, filter] of this.#filters.entries()) {
      for (const value of filter.values) await this.#compareFilter({ [filter.name]: value });
      for (const other of this.#filters.slice(i + 1)) await this.#comparePair(filter, other);
    }
    const { id, parameters } = this.#collection.list;
    for (const { name } of parameters) await otherParameters.get(`${id} ${name}`)?.(this);
  }

  /** With small and with large pages, and from a document on. */
  async #compareFilter(filter: Node): Promise<void> {
    const { limit, cursor } = this.#pagination;
    const wanted = this.#having(filter);
    await this.#compare(filter, wanted, this.#defaultSize, 2);
    await this.#compare({ ...filter, [limit]: this.#maximum }, wanted, this.#maximum);
    const third = wanted[2];
    if (!third) return;
    const after = { ...filter, [limit]: 7, [cursor]: third[this.#collection.key] };
    await this.#compare(after, wanted.slice(3), 7, 3);
  }

  async #comparePair(first: Filter, second: Filter): Promise<void> {
    const { limit } = this.#pagination;
    for (const value of first.values)
      for (const other of second.values) {
        const both = { [first.name]: value, [second.name]: other };
        await this.#compare({ ...both, [limit]: 7 }, this.#having(both), 7);
      }
  }

  get #pagination() {
    const { pagination } = this.#collection.list;
    if (!pagination) throw new Error(`${this.#collection.path} is no list`);
    return pagination;
  }

  #parameter(name: string): Parameter | undefined {
    return this.#collection.list.parameters.find((each) => each.name === name);
  }

  /** The query parameters that name a property of the listed documents. Any other one that is not known is reported. */
  #findFilters(): Filter[] {
    const { spec, report } = this.#documents.server.context;
    const { list, create, path } = this.#collection;
    const { properties, required } = propertiesOf(spec, create?.body?.schema);
    const found: Filter[] = [];
    for (const { name, in: place, schema } of list.parameters) {
      if (place !== 'query' || name === this.#pagination.cursor || name === this.#pagination.limit)
        continue;
      if (name in properties) {
        const listed = follow(spec, schema).enum;
        const values = listed ?? this.#documents.cases.values.valid(schema).slice(0, 3);
        found.push({ name, values, isOptional: !required.includes(name) });
      } else if (!otherParameters.has(`${list.id} ${name}`))
        report(
          `GET ${path}: ${name} is no property of what is listed, so nothing says what it does`,
          '',
          'name it like the property that it filters by, or test it in tools/drift/lists.ts',
        );
    }
    return found;
  }

  #having(values: Node): Node[] {
    const wanted = Object.entries(values);
    return this.#documents
      .of(this.#collection)
      .filter((document) => wanted.every(([name, value]) => document[name] === value));
  }

  /** Compares the pages of a list, or the first ones of them, with the documents that they have to have. */
  async #compare(query: Node, wanted: readonly Node[], size: number, most = 100): Promise<void> {
    const { report } = this.#documents.server.context;
    const { list, path, key } = this.#collection;
    const name = `GET ${path}?${Object.keys(query).join('&')}`;
    let inputs: Inputs = { parameters: query };
    let read = 0;
    for (let count = 0; count < most; count++) {
      const answer = await this.#documents.server.attempt(caseOf(list, inputs));
      const page = Array.isArray(answer.data) ? answer.data.map(asNode) : [];
      const expected = wanted.slice(read, read + page.length);
      const keysOf = (documents: readonly Node[]) => documents.map((document) => document[key]);
      expectEqual(report, `${name}: the documents by their ${key}`, keysOf(page), keysOf(expected));
      expectEqual(report, `${name}: the documents`, page, expected);
      read += page.length;
      const isCut = answer.text.length > LARGE_PAGE && page.length < size;
      const length = Math.min(size, wanted.length - read + page.length);
      if (page.length !== length && !isCut)
        report(
          `${name}: the length of a page`,
          `${page.length}, not ${length} for ${shown(query)}`,
        );
      const next = nextQuery(answer);
      expectEqual(
        report,
        `${name}: whether a link to the next page comes`,
        next !== undefined,
        read < wanted.length,
      );
      if (!next || page.length === 0) return;
      inputs = this.#follow(name, query, next);
    }
  }

  /** The inputs of the next page. Its link keeps the query, but for the cursor. */
  #follow(name: string, query: Node, next: URLSearchParams): Inputs {
    const { report } = this.#documents.server.context;
    const { cursor } = this.#pagination;
    const parameters = Object.fromEntries(next);
    const kept = { ...parameters, [cursor]: undefined };
    const asked = Object.entries({ ...query, [cursor]: undefined });
    for (const [parameter, value] of asked)
      if (value !== undefined && kept[parameter] !== String(value))
        report(`${name}: the link to the next page does not keep ${parameter}`);
    return { parameters };
  }
}

interface Filter {
  readonly name: string;
  readonly values: readonly unknown[];
  readonly isOptional: boolean;
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
