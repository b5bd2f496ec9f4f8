// Executes operations on documents in memory, as far as their shape in the spec determines it.
import { type Operation, propertiesOf, typeIn, typesOf } from '@petstore/types';

/** The result of an operation, with the cursor of the next page if there is one. */
export interface OperationResult {
  readonly data: unknown;
  readonly next?: unknown;
}

type Input = Readonly<Record<string, unknown>>;
type Document = Readonly<Record<string, unknown>>;
/** The documents by their identifiers, which may be numbers or texts. */
type Collection = Map<string, Document>;

/** The documents of a fake service, by the path of their collection and in ascending order of their identifiers. */
export class Resources {
  readonly #collections = new Map<string, Collection>();
  readonly #parts = new Map<string, unknown>();
  readonly #operations: readonly Operation[];
  readonly #pageSize: number;
  #lastId = 0;

  constructor(operations: readonly Operation[], pageSize: number) {
    this.#operations = operations;
    this.#pageSize = pageSize;
  }

  /** Executes an operation. Returns `undefined` if there is no such document, `unknown` if the shape does not determine what to do. */
  run(operation: Operation, path: string, input: Input): OperationResult | 'unknown' | undefined {
    const { method, fields, body } = operation;
    const properties = Object.entries(input).filter(
      ([name]) => fields[name]?.in === 'body' || (body && !Object.hasOwn(fields, name)),
    );
    const content = (body?.whole ? input.body : Object.fromEntries(properties)) as Document;
    const parent = path.slice(0, path.lastIndexOf('/'));
    const [, list = operation.path, parameter] = /^(.*)\/\{([^/]+)\}$/.exec(operation.path) ?? [];
    const key = this.#keyOf(list);
    if (parameter !== undefined) return runOnDocument(method, this.#collection(parent), key, input[parameter], content);
    if (isPart(operation)) return this.#runPart(operation, path, input, content);
    const all = this.#collection(this.#hasCollection(operation.path) ? path : parent);
    if (method === 'GET') return this.#list(operation, all, input, key);
    return method === 'POST' ? { data: this.#added(operation, all, key, content) } : 'unknown';
  }

  /** Adds a document with a new identifier, of the type that the response declares. */
  #added({ responses, successes }: Operation, all: Collection, key: string, content: Document): Document {
    const schema = propertiesOf(responses[successes[0] ?? '']?.schema ?? {})[key] ?? {};
    const number = ++this.#lastId;
    const document = { [key]: typeIn(schema) === 'string' ? String(number) : number, ...content };
    all.set(String(number), document);
    return document;
  }

  /** Executes an operation on a part of a document that is not a property, for example a photo. */
  #runPart(
    { method, path: template }: Operation,
    path: string,
    input: Input,
    content: unknown,
  ): OperationResult | undefined {
    const [, collection = '', parameter = ''] = /^(.*)\/\{([^/]+)\}\/[^/]+$/.exec(template) ?? [];
    const ofCollection = path.split('/').slice(0, collection.split('/').length).join('/');
    if (!this.#collection(ofCollection).has(String(input[parameter]))) return undefined;
    if (method === 'PUT') this.#parts.set(path, content);
    if (method === 'PATCH') this.#parts.set(path, merged(this.#parts.get(path), content));
    if (!this.#parts.has(path)) return undefined;
    const data = this.#parts.get(path);
    if (method === 'DELETE') this.#parts.delete(path);
    return { data };
  }

  /** Whether a path has a collection of its own. Other lists, for example `/items/find-by-status`, are of the collection above. */
  #hasCollection(path: string): boolean {
    const adds = (at: string) => this.#operations.some((one) => one.path === at && one.method === 'POST');
    return adds(path) || !adds(path.slice(0, path.lastIndexOf('/')));
  }

  #collection(path: string): Collection {
    const found = this.#collections.get(path) ?? new Map<string, Document>();
    this.#collections.set(path, found);
    return found;
  }

  /** The property that identifies a document: the list's cursor names it. */
  #keyOf(path: string): string {
    return this.#operations.find((one) => one.path === path && one.pagination?.key)?.pagination?.key ?? 'id';
  }

  #list(
    { fields, pagination = { by: 'link' } }: Operation,
    all: Collection,
    input: Input,
    key: string,
  ): OperationResult {
    const { cursor = 'after', limit = 'limit', by, next = 'next', more, items } = pagination;
    const filters = Object.keys(fields).filter(
      (name) => fields[name]?.in === 'query' && ![cursor, limit].includes(name),
    );
    const from = Number(input[cursor] ?? 0);
    const found = [...all.values()].filter(
      (document) =>
        Number(document[key]) > from &&
        filters.every(
          (name) => !Object.hasOwn(input, name) || ([input[name]].flat() as unknown[]).includes(document[name]),
        ),
    );
    const size = Math.min(this.#pageSize, Number(input[limit] ?? fields[limit]?.schema.default ?? 20));
    const page = found.slice(0, size);
    const following = found.length > size ? page.at(-1)?.[key] : undefined;
    const list = items === undefined ? page : { [items]: page, ...(more && { [more]: following !== undefined }) };
    if (by === 'body') return { data: { ...list, [next]: following ?? null } };
    // As the service does, a full page links to the next, which may be empty.
    return { data: list, ...(by === 'link' && page.length === size && { next: page.at(-1)?.[key] }) };
  }
}

/** Executes an operation on one document. */
function runOnDocument(
  method: Operation['method'],
  all: Collection,
  key: string,
  id: unknown,
  content: Document,
): OperationResult | 'unknown' | undefined {
  if (!/^(GET|PUT|PATCH|DELETE)$/.test(method)) return 'unknown';
  const found = all.get(String(id));
  if (!found) return undefined;
  if (method === 'DELETE') all.delete(String(id));
  if (method === 'PUT') all.set(String(id), { [key]: id, ...content });
  if (method === 'PATCH') all.set(String(id), merged(found, content) as Document);
  return { data: all.get(String(id)) };
}

/** Whether an operation concerns a part of one document, such as `/things/{thingId}/photo`, and not a list. */
function isPart({ path, method, pagination, responses, successes }: Operation): boolean {
  const { schema } = responses[successes[0] ?? ''] ?? {};
  const isList = pagination !== undefined || (schema !== undefined && typesOf(schema).includes('array'));
  return /\}\/[^/{]+$/.test(path) && (method === 'GET' ? !isList : /^(PUT|PATCH|DELETE)$/.test(method));
}

/** Applies a JSON merge patch (RFC 7396). */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result = new Map(Object.entries(isObject(target) ? target : {}));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) result.delete(name);
    else result.set(name, merged(result.get(name), value));
  }
  return Object.fromEntries(result);
}

function isObject(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
