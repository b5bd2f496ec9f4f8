import { exactJson, type Operation, type Pagination } from '@petstore/types';

/** What the fake does for a request. Without a status it is the usual success. */
export interface Result {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The result of an operation that neither lists, creates, gets nor changes documents. */
const notImplemented: Result = { status: 501 };

/** The result of a create whose idempotency key belongs to another one. */
const keyReused: Result = { status: 422 };

type Document = Readonly<Record<string, unknown>>;

/** A create that had an idempotency key. */
interface Created {
  /** The properties of its body in a fixed order. */
  readonly properties: string;
  readonly result: Result;
}

/**
 * The service in memory: documents by the path of their collection. A POST to the path adds one,
 * and the methods of a document's own path are about that one.
 */
export class FakeService {
  readonly #pageSize: number;
  readonly #collections = new Map<string, Map<string, Document>>();
  /** The creates by operation and idempotency key. */
  readonly #created = new Map<string, Created>();
  #lastId = 0;

  constructor(pageSize: number) {
    this.#pageSize = pageSize;
  }

  handle(operation: Operation, url: URL, body: unknown, headers: Headers): Result {
    const { path, name } = placeOf(operation, url);
    const documents = this.#collections.get(path) ?? new Map<string, Document>();
    this.#collections.set(path, documents);
    const { pagination, method } = operation;
    if (pagination) return this.#list(documents, operation, pagination, url.searchParams);
    const isCreate = method === 'POST';
    const isCollection = name === undefined;
    if (isCreate && isCollection) return this.#createOnce(documents, operation, body, headers);
    if (isCreate || isCollection) return notImplemented;
    return changeOrGet(documents, operation, name, body);
  }

  /**
   * Creates a document, or returns the result of an earlier create with the same idempotency key.
   * Refuses a key that an earlier create with other properties had.
   */
  #createOnce(
    documents: Map<string, Document>,
    { id, idempotencyKey }: Operation,
    body: unknown,
    headers: Headers,
  ): Result {
    const key = headers.get(idempotencyKey?.header ?? 'idempotency-key');
    if (key === null) return this.#create(documents, body);
    const operationAndKey = `${id} ${key}`;
    const properties = exactJson(Object.entries(propertiesOf(body)).sort());
    const earlier = this.#created.get(operationAndKey);
    if (earlier) return earlier.properties === properties ? earlier.result : keyReused;
    const result = this.#create(documents, body);
    this.#created.set(operationAndKey, { properties, result });
    return result;
  }

  #create(documents: Map<string, Document>, body: unknown): Result {
    const id = ++this.#lastId;
    const document = { id, ...propertiesOf(body) };
    documents.set(String(id), document);
    return { body: document };
  }

  #list(
    documents: ReadonlyMap<string, Document>,
    { fields }: Operation,
    { cursor, limit, key }: Pagination,
    query: URLSearchParams,
  ): Result {
    const after = Number(query.get(cursor) ?? 0);
    const size = Number(query.get(limit) ?? fields[limit]?.schema.default);
    const filters = [...query].filter(([name]) => name !== cursor && name !== limit);
    const matching = [...documents.values()].filter(
      (document) =>
        Number(document[key]) > after &&
        filters.every(([name, value]) => String(document[name]) === value),
    );
    const body = matching.slice(0, Math.min(this.#pageSize, size));
    if (body.length === matching.length) return { body };
    query.set(cursor, String(body.at(-1)?.[key]));
    return { body, headers: { link: `<?${query}>; rel="next"` } };
  }
}

/**
 * The path of the collection, and the name of the document in it, if the path of the operation ends
 * in one.
 */
function placeOf(operation: Operation, { pathname }: URL): { path: string; name?: string } {
  if (!operation.path.endsWith('}')) return { path: pathname };
  const end = pathname.lastIndexOf('/');
  return { path: pathname.slice(0, end), name: pathname.slice(end + 1) };
}

function changeOrGet(
  documents: Map<string, Document>,
  { method }: Operation,
  name: string,
  body: unknown,
): Result {
  const document = documents.get(name);
  if (!document) return { status: 404 };
  if (method === 'DELETE') documents.delete(name);
  if (method === 'PUT') documents.set(name, { id: document.id, ...propertiesOf(body) });
  if (method === 'PATCH') documents.set(name, { ...document, ...propertiesOf(body) });
  return { body: documents.get(name) };
}

function propertiesOf(body: unknown): Document {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
