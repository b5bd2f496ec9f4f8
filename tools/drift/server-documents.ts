// What a server stores: documents that are written are read, listed in pages, and written once for an idempotency key.
import { isDeepStrictEqual } from 'node:util';
import { exactJson, parseExact } from '@petstore/types';
import { listOf as list, type Node, recordOf as node } from '../generate/document.ts';
import type { Answer, Exchange } from './exchange.ts';
import { type Inputs, membersOf, requestOf, validInputs, validValues } from './requests.ts';
import { differ, type Operation, type Report, type Spec } from './spec.ts';

/** What the checks of one server share. */
export interface Session {
  readonly spec: Spec;
  readonly server: Exchange;
  readonly report: Report;
  /** What was created, by the path of its collection, and there by its key. */
  readonly documents: Map<string, Map<unknown, unknown>>;
}

/** Sends valid inputs, and compares what was written with what is read. */
export async function checkValid(
  session: Session,
  operation: Operation,
  tried: Inputs,
): Promise<void> {
  const { spec, server, report, documents } = session;
  const { method, path, responses } = operation;
  const { inputs, isStored } = await withDocuments(session, operation, tried);
  const request = requestOf(operation, inputs);
  const why = `a valid request (${request.query.join(' ')}${request.body?.slice(0, 100) ?? ''})`;
  const answer = await server.call(operation, request, why, isStored ? [200] : [200, 404]);
  checkDeprecation(session, operation, answer);
  if (answer.status >= 300) return;
  // What another method has replaced or removed is no longer what POST has written.
  const [, collection = '', last = ''] = /^(.*)\/\{(\w+)\}$/.exec(path) ?? [];
  if (method !== 'GET') documents.get(collection)?.delete(inputs.parameters[last]);

  // What was not sent is not invented.
  const sent = membersOf(spec, method === 'PATCH' ? {} : operation.bodySchema).properties;
  const returned = membersOf(spec, responses[answer.status]?.schema).properties;
  for (const [name, schema] of Object.entries(sent).filter((each) => each[0] in returned)) {
    const value = node(inputs.body)[name] ?? spec.follow(schema).default;
    const wanted = value === undefined ? undefined : parseExact(exactJson(value));
    differ(report, `${method} ${path}: ${name} in the answer`, node(answer.data)[name], wanted);
  }
  const item = new RegExp(`^${RegExp.escape(path)}${method === 'POST' ? '/\\{(\\w+)\\}' : ''}$`);
  const get = spec.operations.find(
    (each) => each.method === 'GET' && !each.pagination && item.test(each.path),
  );
  const [, parameter = ''] = item.exec(get?.path ?? '') ?? [];
  const key = keyOf(spec, path, parameter, answer.data);
  if (answer.status === 201 && key !== undefined)
    documents.set(path, (documents.get(path) ?? new Map()).set(key, answer.data));
  if (!get || method === 'GET' || (method === 'POST' && key === undefined)) return;
  const parameters = { ...inputs.parameters, ...(parameter && { [parameter]: key }) };
  const wanted = method === 'DELETE' ? [404] : [200];
  const read = await server.call(
    get,
    requestOf(get, { parameters }),
    `the document after ${method}`,
    wanted,
  );
  if (answer.data !== undefined)
    differ(report, `GET ${get.path}: what ${method} has written`, read.data, answer.data);
}

/** The member of a document by which it is found. */
function keyOf(spec: Spec, path: string, parameter: string, document: unknown): unknown {
  const key = spec.operations.find((each) => each.path === path && each.pagination)?.pagination
    ?.key;
  const name = [key, parameter, 'id'].find((each) => each !== undefined && each in node(document));
  return name && node(document)[name];
}

/** The inputs with the keys of documents that were created for them, where their path names documents. */
export async function withDocuments(
  { spec, server, documents }: Session,
  operation: Operation,
  inputs: Inputs,
) {
  const parameters: Record<string, unknown> = { ...inputs.parameters };
  let isStored = true;
  for (const [, before = '', name = ''] of operation.path.matchAll(/(?<=^(.*))\/\{(\w+)\}/g)) {
    if (inputs.tried === name) isStored = false;
    if (inputs.tried === name) continue;
    const post = spec.operations.find(
      (each) => each.method === 'POST' && each.path === before && each.responses[201],
    );
    let key =
      operation.method === 'GET' ? [...(documents.get(before)?.keys() ?? [])].at(-1) : undefined;
    if (post && key === undefined) {
      const [least] = validInputs(spec, post);
      const request = requestOf(post, {
        ...least,
        parameters: { ...least.parameters, ...parameters },
      });
      key = keyOf(
        spec,
        before,
        name,
        (await server.call(post, request, 'a document to work on', [200])).data,
      );
    }
    if (key === undefined) isStored = false;
    else parameters[name] = key;
  }
  return { inputs: { ...inputs, parameters }, isStored };
}

function checkDeprecation(
  { spec, report }: Session,
  operation: Operation,
  { headers }: Answer,
): void {
  const { method, path, deprecatedSince: since, sunset, successor } = operation;
  const target = spec.operations.find(({ id }) => id === successor);
  const name = `${method} ${path}: the header`;
  if (since)
    differ(
      report,
      `${name} Deprecation`,
      headers.get('deprecation'),
      `@${Date.parse(since) / 1000}`,
    );
  if (sunset)
    differ(report, `${name} Sunset`, headers.get('sunset'), new Date(sunset).toUTCString());
  const link = `<${spec.basePath}${target?.path}>; rel="successor-version"`;
  if (target && !headers.get('link')?.includes(link)) report(`${name} Link lacks ${link}`);
}

/** The same key gives the first answer again; with another body, it gives 422. */
export async function checkIdempotency(
  session: Session,
  operation: Operation,
  valid: Inputs[],
): Promise<void> {
  const [least, ...more] = valid;
  const { spec, server, report } = session;
  const { method, path, idempotencyKey, responses } = operation;
  if (!idempotencyKey || !least) return;
  const name = `${method} ${path} with a repeated ${idempotencyKey.header}`;
  // A key belongs to one request, whatever its operation.
  const [first] = spec.operations.filter((each) => each.idempotencyKey);
  const others = operation === first ? validValues(spec, idempotencyKey.schema) : [];
  for (const key of [crypto.randomUUID(), ...others].map(String)) {
    const { inputs } = await withDocuments(session, operation, least);
    const ask = (body: unknown, wanted: number) => {
      const request = requestOf(operation, { ...inputs, body });
      const headers = { ...request.headers, [idempotencyKey.header.toLowerCase()]: key };
      return server.call(operation, { ...request, headers }, name, [wanted]);
    };
    const answers = [await ask(inputs.body, 200), await ask(inputs.body, 200)] as const;
    differ(report, `${name}: the second answer`, answers[1].data, answers[0].data);
    const marks = answers.map(({ headers }) => headers.get('idempotency-replayed'));
    differ(report, `${name}: Idempotency-Replayed`, marks, [null, 'true']);
    const other = more.find(
      ({ body }) => body !== undefined && !isDeepStrictEqual(body, inputs.body),
    );
    if (other && responses[422]) await ask(other.body, 422);
  }
}

/** The pages and the filters of a list, by the documents that were created. */
export async function checkList(session: Session, operation: Operation): Promise<void> {
  const { spec, server, report, documents } = session;
  const { path, parameters, pagination } = operation;
  if (!pagination) return;
  const { cursor, key, limit } = pagination;
  const schemaOf = (name: string) =>
    spec.follow(parameters.find((each) => each.name === name)?.schema);
  const { default: size, maximum = 20 } = schemaOf(limit);
  const post = spec.operations.find(
    (each) => each.method === 'POST' && each.path === path && each.responses[201],
  );
  const bodies = post ? validInputs(spec, post) : [];
  const missing = post ? Math.min(maximum, 200) + 2 - (documents.get(path)?.size ?? 0) : 0;
  const creating = Array.from(
    { length: Math.max(missing, 0) },
    (_, i) => bodies[i % bodies.length],
  );
  await Promise.all(creating.map((inputs) => post && inputs && checkValid(session, post, inputs)));

  const { inputs } = await withDocuments(session, operation, { parameters: {} });
  const pagesOf = async (values: Node, most = 500): Promise<Node[][]> => {
    const pages: Node[][] = [];
    let request = requestOf(operation, { parameters: { ...inputs.parameters, ...values } });
    while (pages.length < most) {
      const { data, headers } = await server.call(operation, request, 'a page', [200]);
      pages.push(list(data).map(node));
      const [, next] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.get('link') ?? '') ?? [];
      if (next === undefined) return pages;
      const { pathname, searchParams } = new URL(
        next,
        `http://localhost${spec.basePath}${request.path}`,
      );
      differ(
        report,
        `GET ${path}: the path of the link`,
        pathname,
        `${spec.basePath}${request.path}`,
      );
      const asked = request.query.filter(([name]) => name !== cursor);
      const kept = asked.filter(([name, value]) => searchParams.get(name) === value);
      differ(report, `GET ${path}: what the link keeps of the query`, kept, asked);
      request = { ...request, query: [...searchParams] };
    }
    if (most > 1) report(`GET ${path}: the links to the next page never end`);
    return pages;
  };
  const all = (await pagesOf({ [limit]: 7 })).flat();
  const keys = all.map((each) => each[key] as number);
  const ordered = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1));
  differ(report, `GET ${path}: the order over the pages`, keys, ordered);
  const stored = [...(documents.get(path)?.values() ?? [])];
  const lost = stored.find((each) => !all.some((listed) => isDeepStrictEqual(listed, each)));
  if (lost) report(`GET ${path}: the list lacks ${exactJson(lost)}, which POST has written`);
  for (const count of [undefined, 1, 3, maximum]) {
    const [{ length } = []] = await pagesOf(count === undefined ? {} : { [limit]: count }, 1);
    const wanted = Math.min(count ?? Number(size ?? length), all.length);
    differ(
      report,
      `GET ${path} with ${limit} ${count ?? 'left out'}: the length of the page`,
      length,
      wanted,
    );
  }
  const rest = (await pagesOf({ [cursor]: keys[2] ?? 0 })).flat();
  differ(report, `GET ${path}?${cursor}=${keys[2]}: the elements`, rest, all.slice(3));
  for (const { name } of parameters)
    for (const value of schemaOf(name).enum ?? []) {
      const some = (await pagesOf({ [name]: value, [limit]: 3 })).flat();
      const wanted = all.filter((each) => each[name] === value);
      differ(report, `GET ${path}?${name}=${value}: the elements`, some, wanted);
    }
}
