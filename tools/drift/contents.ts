// What a server has to contain. It returns what was sent to it, and later reads give the same.
import { type Case, caseOf } from './cases.ts';
import { parseJson, printJson } from './exact-json.ts';
import { type Inputs, requestOf } from './requests.ts';
import type { Answer, RunningServer } from './running-server.ts';
import {
  asObject,
  type Collection,
  collectionOf,
  follow,
  type JsonObject,
  type Operation,
  pathParameters,
  propertiesOf,
} from './spec.ts';

export class Contents {
  readonly server: RunningServer;
  /** By the path of their collection, and then by their key. */
  readonly #documents = new Map<string, Map<unknown, JsonObject>>();

  constructor(server: RunningServer) {
    this.server = server;
  }

  /** All documents of a collection in ascending order of their keys. */
  documentsIn({ path, key }: Collection): JsonObject[] {
    const documents = [...this.#collection(path).values()];
    return documents.sort((a, b) => (Number(a[key]) < Number(b[key]) ? -1 : 1));
  }

  /**
   * Sends valid inputs, and compares what comes back with what was sent and with what is read
   * afterwards.
   */
  async tryCase(tried: Case): Promise<void> {
    const { operation, statuses } = tried;
    const collection = collectionOf(this.server.context.spec, operation);
    if (operation.method === 'GET') {
      // There may be no document with a valid identifier.
      const mayMiss = pathParameters(operation.path).length > 0;
      const allowed = mayMiss ? [...statuses, 404] : statuses;
      const answer = await this.server.attempt({ ...tried, statuses: allowed });
      if (answer.status < 300 && collection?.get === operation)
        this.#compareRead(collection, operation, answer);
      return;
    }
    const inputs = await this.#withDocument(collection, operation, tried.inputs);
    const request = requestOf(operation, inputs);
    const answer = await this.server.attempt({ ...tried, request });
    if (answer.status >= 300) return;
    this.#compareReturned(operation, inputs, answer);
    if (collection) await this.#readAgain(collection, operation, inputs, answer);
  }

  /** Creates a document with these inputs, and returns its key. */
  async create({ path, create, key }: Collection, inputs: Inputs): Promise<unknown> {
    if (!create) return undefined;
    const answer = await this.server.attempt(caseOf(create, inputs));
    const document = asObject(answer.data);
    if (answer.status < 300) this.#collection(path).set(document[key], document);
    return document[key];
  }

  #collection(path: string): Map<unknown, JsonObject> {
    const documents = this.#documents.get(path) ?? new Map<unknown, JsonObject>();
    this.#documents.set(path, documents);
    return documents;
  }

  /** The inputs with the key of a new document, where an operation changes one document. */
  async #withDocument(
    collection: Collection | undefined,
    { path }: Operation,
    inputs: Inputs,
  ): Promise<Inputs> {
    if (!collection?.create || path === collection.path) return inputs;
    const { cases } = this.server.context;
    const key = await this.create(collection, cases.least(collection.create).inputs);
    const name = pathParameters(path).at(-1) ?? '';
    return { ...inputs, parameters: { ...inputs.parameters, [name]: key } };
  }

  /** Compares a document that is read with the one that was written. */
  #compareRead({ path, key }: Collection, get: Operation, { data }: Answer): void {
    const stored = this.#collection(path).get(asObject(data)[key]);
    this.server.context.findings.expect(`${get.method} ${get.path}: the document`, data, stored);
  }

  /** Compares the properties of a document that was written with those that were sent. */
  #compareReturned(operation: Operation, { body }: Inputs, answer: Answer): void {
    const { spec, findings } = this.server.context;
    const { method, path, responses } = operation;
    // A patch sends what changes, and null for what is removed.
    if (method === 'PATCH') return;
    const sent = asObject(parseJson(printJson(body ?? null)));
    const returned = asObject(answer.data);
    const inAnswer = propertiesOf(spec, responses.get(`${answer.status}`)?.schema).properties;
    const inBody = propertiesOf(spec, operation.body?.schema).properties;
    for (const [name, schema] of Object.entries(inBody)) {
      if (!(name in inAnswer)) continue;
      const wanted = sent[name] ?? follow(spec, schema).default;
      findings.expect(`${method} ${path}: the property ${name}`, returned[name], wanted);
    }
  }

  /** Checks that `get` returns what was written, and no longer returns what was removed. */
  async #readAgain(
    { path, get, key }: Collection,
    { method }: Operation,
    inputs: Inputs,
    { data }: Answer,
  ): Promise<void> {
    const isRemoved = method === 'DELETE';
    const name = pathParameters(get?.path ?? '').at(-1) ?? '';
    const id = method === 'POST' ? asObject(data)[key] : inputs.parameters[name];
    if (isRemoved) this.#collection(path).delete(id);
    else this.#collection(path).set(id, asObject(data));
    if (!get) return;
    const reading = caseOf(get, { parameters: { [name]: id } });
    const statuses = isRemoved ? [404] : [200];
    const read = await this.server.attempt({ ...reading, what: `after ${method}`, statuses });
    if (!isRemoved && read.status === 200)
      this.server.context.findings.expect(
        `GET ${get.path} after ${method}: the document`,
        read.data,
        data,
      );
  }
}
