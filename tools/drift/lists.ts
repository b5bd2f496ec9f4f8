// Lists: what was created is what they return, in order, page by page, and for each filter exactly the documents that have its value.
import { caseOf, type Inputs } from './cases.ts';
import type { Answer } from './coverage.ts';
import type { Documents } from './documents.ts';
import { expectEqual } from './expect.ts';
import type { Collection, Node, Operation } from './interface.ts';
import { asNode, follow, pathParameters, propertiesOf } from './oracle.ts';

/** Parameters of lists that name no property, as `listPets since`, each with a test of what it does. */
const otherParameters: ReadonlyMap<string, (list: ListCheck) => Promise<void>> = new Map();

/** A page with more bytes may end before its limit. */
const LARGE_PAGE = 2 ** 19;

/** So many documents are created for a list at most. */
const MOST_CREATED = 2_000;

export async function checkList(collection: Collection, documents: Documents): Promise<void> {
  const { create, list } = collection;
  // Without a way to create documents, nothing is known of what a list has to return.
  if (!create || pathParameters(list.path).length > 0) return;
  const check = new ListCheck(collection, documents);
  await check.createDocuments(create);
  await check.pages();
  await check.filters();
}

interface Filter {
  readonly name: string;
  readonly values: readonly unknown[];
}

class ListCheck {
  readonly #collection: Collection;
  readonly #documents: Documents;
  readonly #filters: readonly Filter[];
  /** The names of the parameters for cursor and size of a page. */
  readonly #cursor: string;
  readonly #limit: string;
  readonly #maximum: number;
  readonly #defaultSize: number;

  constructor(collection: Collection, documents: Documents) {
    const { pagination, parameters } = collection.list;
    this.#collection = collection;
    this.#documents = documents;
    this.#cursor = String(pagination?.cursor);
    this.#limit = String(pagination?.limit);
    const limit = parameters.find(({ name }) => name === this.#limit);
    const { maximum = 100, default: usual } = follow(documents.server.context.spec, limit?.schema);
    this.#maximum = maximum;
    this.#defaultSize = Number(usual ?? maximum);
    this.#filters = this.#findFilters();
  }

  /** Creates more documents for each value of each filter than a page holds, in turns. */
  async createDocuments(create: Operation): Promise<void> {
    const { spec } = this.#documents.server.context;
    const { properties, required } = propertiesOf(spec, create.body?.schema);
    const [least] = this.#documents.cases.valid(create);
    let combinations: Node[] = [{}];
    let mostValues = 1;
    for (const { name, values } of this.#filters.filter((filter) => filter.name in properties)) {
      const choices = required.includes(name) ? values : [...values, undefined];
      mostValues = Math.max(mostValues, choices.length);
      combinations = combinations.flatMap((each) =>
        choices.map((value) => ({ ...each, [name]: value })),
      );
    }
    const wanted = mostValues * (this.#maximum + combinations.length);
    for (let i = 0; i < Math.min(wanted, MOST_CREATED); i++) {
      const body = { ...asNode(least.inputs.body), ...combinations[i % combinations.length] };
      await this.#documents.create(this.#collection, { ...least.inputs, body });
    }
  }

  /** The whole list, with pages of each size, and from a document on. */
  async pages(): Promise<void> {
    const all = this.#documents.of(this.#collection);
    await this.#compare({}, all, this.#defaultSize, 2);
    for (const size of [1, 3]) await this.#compare({ [this.#limit]: size }, all, size, 2);
    await this.#compare({ [this.#limit]: this.#maximum }, all, this.#maximum);
    await this.#compareFrom({}, all);
  }

  /** Each filter alone and with each other one, with small and with large pages, and from a document on. */
  async filters(): Promise<void> {
    for (const [i, first] of this.#filters.entries()) {
      for (const value of first.values) {
        const query = { [first.name]: value };
        const wanted = this.#having(query);
        await this.#compare(query, wanted, this.#defaultSize, 2);
        await this.#compare({ ...query, [this.#limit]: this.#maximum }, wanted, this.#maximum);
        await this.#compareFrom(query, wanted);
      }
      for (const second of this.#filters.slice(i + 1)) await this.#comparePair(first, second);
    }
    const { id, parameters } = this.#collection.list;
    for (const { name } of parameters) await otherParameters.get(`${id} ${name}`)?.(this);
  }

  async #comparePair(first: Filter, second: Filter): Promise<void> {
    for (const value of first.values)
      for (const other of second.values) {
        const both = { [first.name]: value, [second.name]: other };
        await this.#compare({ ...both, [this.#limit]: 7 }, this.#having(both), 7);
      }
  }

  async #compareFrom(query: Node, wanted: readonly Node[]): Promise<void> {
    const third = wanted[2];
    if (!third) return;
    const from = { ...query, [this.#limit]: 7, [this.#cursor]: third[this.#collection.key] };
    await this.#compare(from, wanted.slice(3), 7, 3);
  }

  /** The query parameters that name a property of the listed documents. Any other one is reported, unless it has a test. */
  #findFilters(): Filter[] {
    const { spec, report } = this.#documents.server.context;
    const { list, path } = this.#collection;
    const { items } = follow(spec, list.responses.get('200')?.schema);
    const { properties } = propertiesOf(spec, items);
    const found: Filter[] = [];
    for (const { name, in: place, schema } of list.parameters) {
      if (place !== 'query' || [this.#cursor, this.#limit].includes(name)) continue;
      const valid = follow(spec, schema).enum ?? this.#documents.cases.values.valid(schema);
      if (name in properties) found.push({ name, values: valid.slice(0, 4) });
      else if (!otherParameters.has(`${list.id} ${name}`))
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
    let inputs: Inputs = { parameters: query };
    let read = 0;
    for (let count = 0; count < most && read <= wanted.length; count++) {
      const answer = await this.#documents.server.attempt(caseOf(this.#collection.list, inputs));
      const page = Array.isArray(answer.data) ? answer.data.map(asNode) : [];
      if (!this.#comparePage(query, answer, page, wanted.slice(read, read + size))) return;
      read += page.length;
      const next = nextQuery(answer);
      const { report } = this.#documents.server.context;
      const cause = `${this.#nameOf(query)}: whether there is a link to the next page`;
      expectEqual(report, cause, next !== undefined, read < wanted.length);
      if (!next || page.length === 0) return;
      this.#compareLink(query, next);
      inputs = { parameters: Object.fromEntries(next) };
    }
  }

  /** Whether a page has the documents that are wanted. A large page may have fewer of them. */
  #comparePage(query: Node, { text }: Answer, page: Node[], wanted: readonly Node[]): boolean {
    const { report } = this.#documents.server.context;
    const isCut = text.length > LARGE_PAGE && page.length > 0 && page.length < wanted.length;
    const expected = isCut ? wanted.slice(0, page.length) : wanted;
    const keysOf = (documents: readonly Node[]) =>
      documents.map((document) => document[this.#collection.key]);
    const differs = String(keysOf(page)) !== String(keysOf(expected));
    expectEqual(
      report,
      `${this.#nameOf(query)}: the documents`,
      differs ? keysOf(page) : page,
      differs ? keysOf(expected) : expected,
    );
    return !differs;
  }

  /** The link to the next page keeps the query, but for the cursor. */
  #compareLink(query: Node, next: URLSearchParams): void {
    for (const [name, value] of Object.entries(query))
      if (name !== this.#cursor && next.get(name) !== String(value))
        this.#documents.server.context.report(
          `${this.#nameOf(query)}: the link to the next page does not keep ${name}`,
        );
  }

  /** `GET /pets?status`: the filters of a query are what its findings are about. */
  #nameOf(query: Node): string {
    const filters = Object.keys(query).filter(
      (name) => name !== this.#limit && name !== this.#cursor,
    );
    return `GET ${this.#collection.path}${filters.length > 0 ? '?' : ''}${filters.join('&')}`;
  }
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
