// D3: the server does what the spec says, with and without validated responses, and over PostgreSQL where there is one.
import { isDeepStrictEqual } from 'node:util';
import { openPostgresStore } from '@petstore/server';
import { type Attempt, Cases, caseOf } from './cases.ts';
import { checkCircumstances } from './circumstances.ts';
import { Coverage } from './coverage.ts';
import { Documents } from './documents.ts';
import { apiKey, type Context, type Exchange, mediaTypeOf } from './exchange.ts';
import { expectEqual } from './expect.ts';
import type { Collection, Operation, Spec } from './interface.ts';
import { judgeOf } from './judge.ts';
import { checkList } from './lists.ts';
import { pathParameters } from './oracle.ts';
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
  for (const collection of spec.collections) {
    await checkList(collection, documents);
    await checkChange(collection, documents);
  }
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
  for (const authorization of ['', 'Bearer wrong', `Basic ${apiKey}`, apiKey]) {
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

/** HEAD is GET without a body, and an ETag that the caller has gets 304. */
async function checkRead(documents: Documents, operation: Operation): Promise<void> {
  const { server } = documents;
  const reading = readingOf(documents, operation);
  const plain = await server.attempt(reading);
  const again = (what: string, status: number, headers: Record<string, string>, method = 'GET') => {
    const request = { ...reading.request, method, headers };
    return server.attempt({ ...reading, request, what, statuses: [status], isAboutInputs: false });
  };
  const etag = plain.headers.get('etag');
  const head = await again('HEAD', plain.status, {}, 'HEAD');
  const cause = `HEAD ${operation.path}: the ETag`;
  expectEqual(server.context.report, cause, head.headers.get('etag'), etag);
  await again('HEAD without a key', 401, { authorization: '' }, 'HEAD');
  if (etag === null) return;
  await again('a request with its ETag', 304, { 'if-none-match': etag });
  await again('a request with another ETag', plain.status, { 'if-none-match': '"another"' });
}

/** A request for a document that is there, if the operation gets one. */
function readingOf(documents: Documents, operation: Operation): Attempt {
  const [least] = documents.cases.valid(operation);
  const { collections } = documents.server.context.spec;
  const collection = collections.find(({ get }) => get === operation);
  const [first] = collection ? documents.of(collection) : [];
  if (!collection || !first) return { ...least, statuses: [...least.statuses, 404] };
  const [name = ''] = pathParameters(operation.path);
  return caseOf(operation, { parameters: { [name]: first[collection.key] } });
}

/** The ETag of the last page of a list changes when a document is added. */
async function checkChange(collection: Collection, documents: Documents): Promise<void> {
  const { list, create, key, path } = collection;
  const [newest] = documents.of(collection).slice(-1);
  if (!create || !newest) return;
  const { server, cases } = documents;
  const lastPage = caseOf(list, { parameters: { [String(list.pagination?.cursor)]: newest[key] } });
  const before = await server.attempt(lastPage);
  await documents.create(collection, cases.valid(create)[0].inputs);
  const after = await server.attempt(lastPage);
  if (before.headers.has('etag') && before.headers.get('etag') === after.headers.get('etag'))
    server.context.report(`GET ${path}: the ETag does not change with the response`);
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

/** The paths beside the operations, with the media types of what they serve. */
const mediaTypes: Readonly<Record<string, string>> = {
  '/docs': 'text/html',
  '/openapi.yaml': 'application/yaml',
  '/openapi.json': 'application/json',
  '/healthz': 'application/json',
  '/readyz': 'application/json',
  '/metrics': 'text/plain',
};

/** The spec as it is served, the paths beside the operations, and paths that lead nowhere. */
async function checkOtherPaths(server: Exchange): Promise<void> {
  const { spec, report } = server.context;
  const text = await server.get('/openapi.yaml');
  if (text.text !== spec.text) report('GET /openapi.yaml is not spec/openapi.yaml');
  const json = await server.get('/openapi.json');
  if (!isDeepStrictEqual(json.data, spec.document))
    report('GET /openapi.json is not spec/openapi.yaml');
  for (const [path, wanted] of Object.entries(mediaTypes)) {
    const { status, headers } = await server.get(path);
    expectEqual(report, `GET ${path}: the status`, status, 200);
    expectEqual(report, `GET ${path}: the media type`, mediaTypeOf(headers), wanted);
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
