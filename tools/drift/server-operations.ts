// One operation on a running server: what it accepts, refuses, stores and repeats.
import { isDeepStrictEqual } from 'node:util';
import { badRequests, type Inputs, requestOf, validInputs } from './requests.ts';
import type { Answer, Conversation, Wanted } from './server-requests.ts';
import { node, type Operation, type Spec } from './spec.ts';
import { differ, membersOf, type Report, readJson, validValues, writeJson } from './values.ts';

/** What the checks of one server share. */
export interface Session {
  readonly spec: Spec;
  readonly server: Conversation;
  readonly report: Report;
  /** What was created, by the path of its collection, and there by its key. */
  readonly documents: Map<string, Map<unknown, unknown>>;
}

/** Valid and invalid requests of an operation. */
export async function checkOperation(session: Session, operation: Operation): Promise<void> {
  const { spec, server, report } = session;
  const { method, path, responses } = operation;
  const all = validInputs(spec, operation);
  const good = requestOf(operation, all[0]);
  const query = [['unknown-parameter', '1']] as const;
  for (const authorization of ['', 'Bearer wrong', 'Basic d3Jvbmc6']) {
    const request = { ...good, query, headers: { ...good.headers, authorization } };
    const { headers } = await server.call(operation, request, 'no valid key', [401]);
    differ(
      report,
      `${method} ${path} without a key: the challenge`,
      headers['www-authenticate']?.slice(0, 6),
      'Bearer',
    );
  }
  if (operation.method === 'GET')
    await server.call(
      operation,
      { ...good, method: 'HEAD', headers: { authorization: '' } },
      'HEAD without a key',
      [401],
    );
  for (const inputs of all) await checkValid(session, operation, inputs);

  const { inputs, isStored } = await withDocuments(session, operation, all[0]);
  for (const bad of badRequests(spec, operation, inputs)) {
    const status = { path: 404, type: 415, size: 413 }[bad.place] ?? 400;
    await server.call(operation, bad, bad.why, bad.place === 'path' && !responses[404] ? [400, 404] : [status]);
  }
  if (operation.idempotencyKey) await checkIdempotency(session, operation, all);
  if (method !== 'GET') return;
  const request = requestOf(operation, inputs);
  const { status, headers } = await server.call(operation, request, 'a valid request', isStored ? [200] : [200, 404]);
  if (headers.etag)
    await server.call(operation, { ...request, headers: { 'if-none-match': headers.etag } }, 'its ETag', [304]);
  if (headers.etag)
    await server.call(operation, { ...request, headers: { 'if-none-match': '"other"' } }, 'another ETag', [200]);
  const head = await server.call(operation, { ...request, method: 'HEAD' }, 'HEAD', [status]);
  differ(report, `HEAD ${path}: the body`, head.text, '');
  differ(report, `HEAD ${path}: the ETag`, head.headers.etag, headers.etag);
}

/** Sends valid inputs, and compares what was written with what is read. */
export async function checkValid(session: Session, operation: Operation, tried: Inputs): Promise<void> {
  const { spec, server, report, documents } = session;
  const { method, path, responses } = operation;
  const { inputs, isStored } = await withDocuments(session, operation, tried);
  const request = requestOf(operation, inputs);
  // A valid request can still meet a document in the wrong state, or none.
  const others = [403, 409, 410, 412].filter((status) => responses[status]);
  const why = `a valid request (${request.query.join(' ')}${request.body?.slice(0, 100) ?? ''})`;
  const answer = await server.call(operation, request, why, [200, ...others, ...(isStored ? [] : [404])]);
  checkDeprecation(session, operation, answer);
  if (answer.status >= 300) return;

  // What was not sent is not invented.
  const { properties } = membersOf(spec, method === 'PATCH' ? {} : operation.body?.schema);
  const returned = membersOf(spec, responses[answer.status]?.body?.schema).properties;
  for (const [name, schema] of Object.entries(properties).filter((each) => each[0] in returned)) {
    const sent = node(inputs.body)[name] ?? spec.follow(schema).default;
    differ(
      report,
      `${method} ${path}: ${name} in the answer`,
      node(answer.data)[name],
      sent && readJson(writeJson(sent)),
    );
  }
  const item =
    method === 'POST' ? new RegExp(`^${RegExp.escape(path)}/\\{(\\w+)\\}$`) : new RegExp(`^${RegExp.escape(path)}$`);
  const get = spec.operations.find((each) => each.method === 'GET' && item.test(each.path));
  const [, parameter = ''] = item.exec(get?.path ?? '') ?? [];
  const key = keyOf(spec, path, parameter, answer.data);
  if (method === 'POST' && answer.status === 201) {
    const stored = documents.get(path) ?? new Map();
    if (key !== undefined) documents.set(path, stored.set(key, answer.data));
  }
  const parameters = { ...inputs.parameters, ...(parameter && { [parameter]: key }) };
  const isWritten = answer.data !== undefined && (method !== 'POST' || (answer.status === 201 && key !== undefined));
  if (!get || get.pagination || method === 'GET' || !(isWritten || method === 'DELETE')) return;
  const wanted: Wanted = method === 'DELETE' ? [404] : [200];
  const read = await server.call(get, requestOf(get, { parameters }), `the document after ${method}`, wanted);
  if (method !== 'DELETE') differ(report, `GET ${get.path}: what ${method} has written`, read.data, answer.data);
}

/** The member of a document by which it is found. */
function keyOf(spec: Spec, path: string, parameter: string, document: unknown): unknown {
  const key = spec.operations.find((each) => each.path === path && each.pagination)?.pagination?.key;
  const name = [key, parameter, 'id'].find((each) => each !== undefined && each in node(document));
  return name && node(document)[name];
}

/** The inputs with the keys of documents that were created for them, where their path names documents. */
export async function withDocuments({ spec, server, documents }: Session, operation: Operation, inputs: Inputs) {
  const parameters: Record<string, unknown> = { ...inputs.parameters };
  let isStored = true;
  for (const [, before = '', name = ''] of operation.path.matchAll(/(?<=^(.*))\/\{(\w+)\}/g)) {
    const post = spec.operations.find((each) => each.method === 'POST' && each.path === before && each.responses[201]);
    const kept = operation.method === 'GET' ? [...(documents.get(before)?.keys() ?? [])].at(-1) : undefined;
    let key = inputs.tried === name ? undefined : kept;
    if (post && key === undefined && inputs.tried !== name) {
      const [least] = validInputs(spec, post);
      const request = requestOf(post, { ...least, parameters: { ...least.parameters, ...parameters } });
      key = keyOf(spec, before, name, (await server.call(post, request, 'a document to work on', [200])).data);
    }
    if (key === undefined) isStored = false;
    else parameters[name] = key;
    // A write may change what POST has written.
    if (operation.method !== 'GET') documents.get(before)?.delete(parameters[name]);
  }
  return { inputs: { ...inputs, parameters }, isStored };
}

function checkDeprecation({ spec, report }: Session, { method, path, declared }: Operation, { headers }: Answer): void {
  const { 'x-deprecated-since': since, 'x-sunset': sunset, 'x-successor': successor } = declared;
  const target = spec.operations.find(({ id }) => id === successor);
  const name = `${method} ${path}: the header`;
  if (since) differ(report, `${name} Deprecation`, headers.deprecation, `@${Date.parse(String(since)) / 1000}`);
  if (sunset) differ(report, `${name} Sunset`, headers.sunset, new Date(String(sunset)).toUTCString());
  const link = `<${spec.basePath}${target?.path}>; rel="successor-version"`;
  if (target && !headers.link?.includes(link)) report(`${name} Link is ${headers.link}, without ${link}`);
}

/** The same key gives the first answer again; with another body, it gives 422. */
async function checkIdempotency(session: Session, operation: Operation, [least, ...more]: Inputs[]): Promise<void> {
  const { spec, server, report } = session;
  const { method, path, idempotencyKey, responses } = operation;
  if (!idempotencyKey || !least) return;
  const name = `${method} ${path} with a repeated ${idempotencyKey.name}`;
  // A key belongs to one request, whatever its operation.
  const [first] = spec.operations.filter((each) => each.idempotencyKey);
  const others = operation === first ? validValues(spec, idempotencyKey.schema) : [];
  for (const key of [crypto.randomUUID(), ...others].map(String)) {
    const { inputs } = await withDocuments(session, operation, least);
    const ask = (body: unknown, wanted: Wanted) => {
      const request = requestOf(operation, { ...inputs, body });
      const headers = { ...request.headers, [idempotencyKey.name.toLowerCase()]: key };
      return server.call(operation, { ...request, headers }, name, wanted);
    };
    const answers = [await ask(inputs.body, [200]), await ask(inputs.body, [200])] as const;
    differ(report, `${name}: the second answer`, answers[1].data, answers[0].data);
    const marks = answers.map(({ headers }) => headers['idempotency-replayed']);
    if (responses[answers[0].status]?.headers['idempotency-replayed'])
      differ(report, `${name}: Idempotency-Replayed`, marks, [undefined, 'true']);
    const other = more.find(({ body }) => body !== undefined && !isDeepStrictEqual(body, inputs.body));
    if (other && responses[422]) await ask(other.body, [422]);
  }
}
