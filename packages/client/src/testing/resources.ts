// Executes operations on documents in memory, if the shape of an operation (its method, path and schemas) shows what it does.
import { type Operation, propertiesOf, typeIn, typesOf } from '../old.ts';
import { type Inputs, isObject } from './read-body.ts';

/** The result of an operation, with the cursor of the next page if there is one. */
export interface OperationResult {
  readonly data: unknown;
  /** Only if the operation has several successes. */
  readonly status?: number;
  readonly next?: unknown;
}

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
  run(operation: Operation, path: string, input: Inputs): OperationResult | 'unknown' | undefined {
    const { method, path: template, fields, body } = operation;
    const properties = Object.entries(input).filter(
      ([name]) => fields[name]?.in === 'body' || (body && !Object.hasOwn(fields, name)),
    );
    const content = (body?.whole ? input.body : Object.fromEntries(properties)) as Document;
    // The path of a document is `/things/{thingId}`; the path of its part is `/things/{thingId}/photo`.
    const [, listPath = '', parameter = '', part] = /^(.*)\/\{([^/]+)\}(\/[^/{]+)?$/.exec(template) ?? [];
    const id = input[parameter];
    if (parameter && !part) {
      const documents = this.#collection(parentOf(path));
      if (!/^(GET|PUT|PATCH|DELETE)$/.test(method)) return 'unknown';
      if (!documents.has(String(id))) return undefined;
      const document = method === 'PUT' ? { [this.#keyOf(listPath)]: id, ...content } : content;
      return runOn(documents, String(id), method, document);
    }
    if (part && isOnPart(operation)) {
      const documents = this.#collection(parentOf(parentOf(path)));
      return documents.has(String(id)) ? runOn(this.#parts, path, method, content) : undefined;
    }
    const documents = this.#collection(this.#hasCollection(template) ? path : parentOf(path));
    const key = this.#keyOf(template);
    if (method === 'GET') return this.#list(operation, documents, input, key);
    return method === 'POST' ? this.#add(operation, documents, key, content) : 'unknown';
  }

  /** Adds a document with a new identifier of the declared type. Returns `unknown` if the declared response is not the document. */
  #add({ responses, successes }: Operation, documents: Collection, key: string, content: Document) {
    const { kind, schema = {} } = responses[successes[0] ?? ''] ?? {};
    const properties = propertiesOf(schema);
    const isOther = Object.keys(properties).length > 0 && !properties[key];
    if (isOther || (kind !== undefined && kind !== 'json')) return 'unknown' as const;
    const number = ++this.#lastId;
    const document = { [key]: typeIn(properties[key] ?? {}) === 'string' ? String(number) : number, ...content };
    documents.set(String(number), document);
    return { data: document };
  }

  /** Whether a path has a collection of its own. Other lists, for example `/items/find-by-status`, are of the collection above. */
  #hasCollection(path: string): boolean {
    const canAdd = (to: string) =>
      this.#operations.some((operation) => operation.path === to && operation.method === 'POST');
    return canAdd(path) || !canAdd(parentOf(path));
  }

  #collection(path: string): Collection {
    const collection: Collection = this.#collections.get(path) ?? new Map();
    this.#collections.set(path, collection);
    return collection;
  }

  /** What identifies a document: its list's `pagination.key`, or `id`. */
  #keyOf(listPath: string): string {
    const list = this.#operations.find(({ path, pagination }) => path === listPath && pagination?.key);
    return list?.pagination?.key ?? 'id';
  }

  #list(operation: Operation, documents: Collection, input: Inputs, key: string): OperationResult {
    const { fields, pagination = { by: 'link' } } = operation;
    const { cursor = 'after', limit = 'limit', by, next = 'next', more, items } = pagination;
    const filters = Object.keys(input).filter(
      (name) => fields[name]?.in === 'query' && ![cursor, limit].includes(name),
    );
    const from = Number(input[cursor] ?? 0);
    const matching = [...documents.values()].filter(
      (document) =>
        Number(document[key]) > from &&
        filters.every((name) => ([input[name]].flat() as unknown[]).includes(document[name])),
    );
    const size = Math.min(this.#pageSize, Number(input[limit] ?? fields[limit]?.schema.default ?? 20));
    const page = matching.slice(0, size);
    const following = matching.length > size ? page.at(-1)?.[key] : undefined;
    const list = items === undefined ? page : { [items]: page, ...(more && { [more]: following !== undefined }) };
    if (by === 'body') return { data: { ...list, [next]: following ?? null } };
    // As the service does, a full page links to the next, which may be empty.
    return { data: list, ...(by === 'link' && page.length === size && { next: page.at(-1)?.[key] }) };
  }
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

/** Executes an operation on one document, or on one part of a document. */
function runOn(
  values: Map<string, unknown>,
  name: string,
  method: string,
  content: unknown,
): OperationResult | undefined {
  if (method === 'PUT') values.set(name, content);
  if (method === 'PATCH') values.set(name, merged(values.get(name), content));
  if (!values.has(name)) return undefined;
  const data = values.get(name);
  if (method === 'DELETE') values.delete(name);
  return { data };
}

/** Whether an operation below a document, such as `/things/{thingId}/photo`, concerns a part of the document and not a list. */
function isOnPart({ method, pagination, responses, successes }: Operation): boolean {
  const { schema } = responses[successes[0] ?? ''] ?? {};
  const isList = pagination !== undefined || (schema !== undefined && typesOf(schema).includes('array'));
  return method === 'GET' ? !isList : /^(PUT|PATCH|DELETE)$/.test(method);
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
