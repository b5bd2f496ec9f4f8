// D3: the server does what the spec says, with and without validated responses, and over PostgreSQL where there is one.
import { isDeepStrictEqual } from 'node:util';
import { openPostgresStore } from '@petstore/server';
import { type Attempt, Cases } from './cases.ts';
import { checkCircumstances } from './circumstances.ts';
import { Coverage } from './coverage.ts';
import { Documents } from './documents.ts';
import type { Context, Exchange } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Operation, Spec } from './interface.ts';
import { judgeOf } from './judge.ts';
import { checkList } from './lists.ts';
import type { Report } from './report.ts';
import { type Setting, withServer } from './running.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const judge = judgeOf(spec);
  const cases = new Cases(spec, judge);
  const context: Context = { spec, judge, report, coverage: new Coverage() };
  for (const setting of settings)
    await withServer(context, setting, (server) => checkServer(server, cases));
  await checkDatabase(context, cases);
  await checkCircumstances(context, cases);
  context.coverage.reportUnseen(spec, report);
}

/** The servers that are compared with the spec. */
const settings: readonly Setting[] = [{}, { options: { validateResponses: true } }];

/** A test gives the address of an empty database. */
async function checkDatabase(context: Context, cases: Cases): Promise<void> {
  const { DRIFT_DATABASE_URL: url } = process.env;
  if (url === undefined) return;
  const store = await openPostgresStore(url);
  await withServer(context, { store }, (server) => checkServer(server, cases));
  await store.close();
}

async function checkServer(server: Exchange, cases: Cases): Promise<void> {
  const { spec } = server.context;
  const documents = new Documents(server, cases);
  for (const operation of spec.operations) {
    await checkKeys(server, cases, operation);
    for (const each of cases.valid(operation)) await documents.tryCase(each);
    const [least] = cases.valid(operation);
    for (const each of cases.invalid(least)) await server.attempt(each);
  }
  for (const collection of spec.collections) await checkList(collection, documents);
  for (const operation of spec.operations)
    if (operation.method === 'GET') await checkRead(documents, operation);
  for (const path of new Set(spec.operations.map((operation) => operation.path)))
    await checkMethods(server, path);
  await checkOtherPaths(server);
}

/** Without a valid key, nothing else about a request matters. */
async function checkKeys(server: Exchange, cases: Cases, operation: Operation): Promise<void> {
  const [{ request }] = cases.valid(operation);
  const query = [['unknown-name', '1']] as const;
  for (const authorization of ['', 'Bearer wrong', 'Basic d3Jvbmc6']) {
    const headers = { ...request.headers, authorization };
    const keyless: Attempt = {
      operation,
      what: `Authorization: ${authorization}`,
      request: { ...request, query, headers },
      statuses: [401],
      isAboutInputs: false,
    };
    await server.attempt(keyless);
  }
}

/** HEAD is GET without a body. An ETag that the caller has gets 304 until what it reads changes. */
async function checkRead(documents: Documents, operation: Operation): Promise<void> {
  const { server, cases } = documents;
  const { report, spec } = server.context;
  const collection = spec.collections.find(({ get }) => get === operation);
  const listed = spec.collections.find(({ list }) => list === operation);
  const [first] = collection ? documents.of(collection) : [];
  const [least] = cases.valid(operation);
  const request = { ...least.request };
  if (first && collection) request.path = `${collection.path}/${first[collection.key]}`;
  const name = `GET ${operation.path}`;
  const ask = (what: string, status: number, headers: Record<string, string>, method = 'GET') =>
    server.attempt({
      operation,
      what,
      request: { ...request, method, headers },
      statuses: [status],
      isAboutInputs: false,
    });
  const plain = await server.attempt({ ...least, request, statuses: [...least.statuses, 404] });
  const status = plain.status;
  const head = await ask('HEAD', status, {}, 'HEAD');
  const etag = plain.headers.get('etag');
  expectEqual(report, `HEAD ${operation.path}: the ETag`, head.headers.get('etag'), etag);
  await ask('HEAD without a key', 401, { authorization: '' }, 'HEAD');
  if (etag === null) return;
  await ask('a request with its ETag', 304, { 'if-none-match': etag });
  await ask('a request with another ETag', status, { 'if-none-match': '"another"' });
  if (!listed?.create) return;
  const [newest] = documents.of(listed).slice(-1);
  const after = { [String(operation.pagination?.cursor)]: String(newest?.[listed.key] ?? 0) };
  const end = { ...least, request: { ...request, query: Object.entries(after) } };
  const before = await server.attempt(end);
  const [creating] = cases.valid(listed.create);
  await documents.create(listed, creating.inputs);
  const changed = await server.attempt(end);
  if (changed.headers.get('etag') === before.headers.get('etag'))
    report(`${name}: the ETag does not change with the response`);
}

/** Each method that a path lacks gets 405, with the methods that it has. */
async function checkMethods(server: Exchange, path: string): Promise<void> {
  const { spec, report } = server.context;
  const own = spec.operations.filter((operation) => operation.path === path);
  const declared = own.map(({ method }) => method);
  const allowed = declared.includes('GET') ? [...declared, 'HEAD'] : declared;
  const target = spec.basePath + withValues(path);
  const lacking = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD'].filter(
    (method) => !allowed.includes(method),
  );
  for (const method of lacking) {
    const name = `${method} ${path}, which the spec lacks`;
    const keyless = await server.send({ method, path: target, headers: { authorization: '' } });
    expectEqual(report, `${name}, without a key: the status`, keyless.status, 401);
    const answer = await server.send({ method, path: target, headers: {} });
    expectEqual(report, `${name}: the status`, answer.status, 405);
    const found = (answer.headers.get('allow') ?? '').split(', ');
    const stated = found.filter((each) => each !== 'OPTIONS').sort();
    expectEqual(report, `${name}: Allow`, stated, [...allowed].sort());
    if (method !== 'HEAD') server.compareError(answer, name);
  }
}

/** The spec as it is served, the paths beside the operations, and paths that lead nowhere. */
async function checkOtherPaths(server: Exchange): Promise<void> {
  const { spec, report } = server.context;
  const text = await server.get('/openapi.yaml');
  if (text.text !== spec.text) report('GET /openapi.yaml is not spec/openapi.yaml');
  const json = await server.get('/openapi.json');
  if (!isDeepStrictEqual(json.data, spec.document))
    report('GET /openapi.json is not spec/openapi.yaml');
  for (const path of ['/docs', '/healthz', '/readyz', '/metrics']) {
    const { status } = await server.get(path);
    expectEqual(report, `GET ${path}: the status`, status, 200);
  }
  const similar = spec.operations.flatMap(({ path }) => [path.toUpperCase(), `${path}/`]);
  for (const path of ['/no-such-path', ...similar]) {
    const target = spec.basePath + withValues(path);
    const answer = await server.get(target);
    expectEqual(report, `GET ${path}, which the spec lacks: the status`, answer.status, 404);
    server.compareError(answer, `GET ${path}`);
    const keyless = await server.get(target, { authorization: '' });
    expectEqual(report, `GET ${path}, without a key: the status`, keyless.status, 401);
  }
}

/** A path with a value for each parameter. */
function withValues(path: string): string {
  const parts = path.split('/').map((part) => (part.startsWith('{') ? '1' : part));
  return parts.join('/');
}
