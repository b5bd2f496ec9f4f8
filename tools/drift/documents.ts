// The documents that a check has created in a server: what was sent is what comes back, and is read again unchanged.
import { type Attempt, type Case, type Cases, caseOf, type Inputs, requestOf } from './cases.ts';
import type { Answer } from './coverage.ts';
import { parseJson, printJson } from './exact.ts';
import type { Exchange } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Collection, Node, Operation } from './interface.ts';
import { asNode, follow, parentOf, pathParameters, propertiesOf } from './oracle.ts';

export class Documents {
  readonly server: Exchange;
  readonly cases: Cases;
  /** By the path of their collection, and there by their key. */
  readonly #all = new Map<string, Map<unknown, Node>>();

  constructor(server: Exchange, cases: Cases) {
    this.server = server;
    this.cases = cases;
  }

  /** All documents of a collection in ascending order of their keys. */
  of({ path, key }: Collection): Node[] {
    const documents = [...this.#of(path).values()];
    return documents.sort((a, b) => (Number(a[key]) < Number(b[key]) ? -1 : 1));
  }

  /** Sends valid inputs, and compares what comes back with what was sent and with what is read afterwards. */
  async tryCase(tried: Case): Promise<void> {
    const { operation } = tried;
    const isRead = operation.method === 'GET';
    const inputs = await this.#withDocument(operation, tried.inputs, isRead);
    const attempt = { ...tried, request: requestOf(operation, inputs) };
    // A valid identifier need not be that of a document.
    const mayMiss = isRead && pathParameters(operation.path).length > 0;
    const statuses = mayMiss ? [...tried.statuses, 404] : tried.statuses;
    const answer = await this.server.attempt({ ...attempt, statuses });
    if (answer.status >= 300) return;
    if (isRead) this.#compareStored(operation, answer);
    else await this.#compareWritten(attempt, inputs, answer);
  }

  /** Creates a document with these inputs, and returns its key. */
  async create(collection: Collection, inputs: Inputs): Promise<unknown> {
    const { create, key } = collection;
    if (!create) return undefined;
    const answer = await this.server.attempt(caseOf(create, inputs));
    const document = asNode(answer.data);
    if (answer.status < 300) this.#of(collection.path).set(document[key], document);
    return document[key];
  }

  #of(path: string): Map<unknown, Node> {
    const documents = this.#all.get(path) ?? new Map<unknown, Node>();
    this.#all.set(path, documents);
    return documents;
  }

  /** The inputs with the key of a new document, where an operation changes one document. */
  async #withDocument(operation: Operation, inputs: Inputs, isRead: boolean): Promise<Inputs> {
    const { collections } = this.server.context.spec;
    const collection = collections.find(({ path }) => path === parentOf(operation.path));
    const name = pathParameters(operation.path).at(-1);
    if (isRead || !collection?.create || name === undefined) return inputs;
    const [least] = this.cases.valid(collection.create);
    const key = await this.create(collection, least.inputs);
    return { ...inputs, parameters: { ...inputs.parameters, [name]: key } };
  }

  /** A document that is read is the one that was written. */
  #compareStored({ method, path }: Operation, { data }: Answer): void {
    const { spec, report } = this.server.context;
    const collection = spec.collections.find((each) => each.get?.path === path);
    if (!collection) return;
    const stored = this.#of(collection.path).get(asNode(data)[collection.key]);
    expectEqual(report, `${method} ${path}: the document`, data, stored);
  }

  async #compareWritten({ operation }: Attempt, inputs: Inputs, answer: Answer) {
    const { spec, report } = this.server.context;
    const { method, path, body } = operation;
    const name = `${method} ${path}`;
    const sent = asNode(parseJson(printJson(inputs.body ?? null)));
    const returned = asNode(answer.data);
    const inAnswer = propertiesOf(spec, operation.responses.get(`${answer.status}`)?.schema);
    for (const [property, schema] of Object.entries(propertiesOf(spec, body?.schema).properties)) {
      if (!(property in inAnswer.properties) || method === 'PATCH') continue;
      const wanted = sent[property] ?? follow(spec, schema).default;
      if (wanted !== returned[property])
        expectEqual(report, `${name}: the property ${property}`, returned[property], wanted);
    }
    const collection = spec.collections.find((each) => [each.path, each.get?.path].includes(path));
    if (collection) await this.#readAgain(collection, operation, inputs, answer);
  }

  /** What was written is what `get` returns; what was removed is gone. */
  async #readAgain(
    collection: Collection,
    { method, path }: Operation,
    inputs: Inputs,
    answer: Answer,
  ) {
    const { get, key } = collection;
    const { report } = this.server.context;
    const parameter = pathParameters(get?.path ?? path)[0] ?? '';
    const id = method === 'POST' ? asNode(answer.data)[key] : inputs.parameters[parameter];
    const documents = this.#of(collection.path);
    if (method === 'DELETE') documents.delete(id);
    else documents.set(id, asNode(answer.data));
    if (!get) return;
    const reading = caseOf(get, { parameters: { [parameter]: id } });
    const statuses = method === 'DELETE' ? [404] : [200];
    const read = await this.server.attempt({ ...reading, what: `after ${method}`, statuses });
    if (method !== 'DELETE' && read.status === 200)
      expectEqual(report, `GET ${get.path} after ${method}: the document`, read.data, answer.data);
  }
}
