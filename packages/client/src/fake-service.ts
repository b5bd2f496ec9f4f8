import { exactJson, type Operation, type Pagination } from '@petstore/types';

/** How the fake responds to a request. Without a status, it responds with the declared success. */
export interface FakeResponse {
  readonly status?: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** The response of an operation that neither lists, creates, gets nor changes documents. */
const notImplemented: FakeResponse = { status: 501 };

/** The response to a create whose idempotency key belongs to a different create. */
const keyReused: FakeResponse = { status: 422 };

type Document = Readonly<Record<string, unknown>>;

/** A create that had an idempotency key. */
interface Created {
  /** The properties of its body in a fixed order. */
  readonly properties: string;
  readonly response: FakeResponse;
}

/**
 * The service in memory. It keeps each collection of documents by the path of the collection. A POST
 * to this path adds a document. A request to the path of a document gets, changes or removes it.
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

  handle(operation: Operation, url: URL, body: unknown, headers: Headers): FakeResponse {
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
   * Creates a document. A create that repeats an idempotency key gets the response of the first
   * create, or is refused if it has other properties.
   */
  #createOnce(
    documents: Map<string, Document>,
    { id, idempotencyKey }: Operation,
    body: unknown,
    headers: Headers,
  ): FakeResponse {
    const key = headers.get(idempotencyKey?.header ?? 'idempotency-key');
    if (key === null) return this.#create(documents, body);
    const operationAndKey = `${id} ${key}`;
    const properties = exactJson(Object.entries(bodyProperties(body)).sort());
    const earlier = this.#created.get(operationAndKey);
    if (earlier) return earlier.properties === properties ? earlier.response : keyReused;
    const response = this.#create(documents, body);
    this.#created.set(operationAndKey, { properties, response });
    return response;
  }

  #create(documents: Map<string, Document>, body: unknown): FakeResponse {
    const id = ++this.#lastId;
    const document = { id, ...bodyProperties(body) };
    documents.set(String(id), document);
    return { body: document };
  }

  #list(
    documents: ReadonlyMap<string, Document>,
    { fields }: Operation,
    { cursor, limit, key }: Pagination,
    query: URLSearchParams,
  ): FakeResponse {
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
 * The path of the collection. If the path of the operation ends in a parameter, this is the name of
 * a document in the collection.
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
): FakeResponse {
  const document = documents.get(name);
  if (!document) return { status: 404 };
  if (method === 'DELETE') documents.delete(name);
  if (method === 'PUT') documents.set(name, { id: document.id, ...bodyProperties(body) });
  if (method === 'PATCH') documents.set(name, { ...document, ...bodyProperties(body) });
  return { body: documents.get(name) };
}

function bodyProperties(body: unknown): Document {
  return typeof body === 'object' && body !== null ? { ...body } : {};
}
