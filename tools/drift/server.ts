// D3: the server does what the spec says, with and without validated responses, and over PostgreSQL
// if a test gives it a database. `running-server.ts` compares each response, `contents.ts` and
// `lists.ts` compare what is stored, `circumstances.ts` provokes what is rare, and `coverage.ts`
// reports what is in no response.
import { isDeepStrictEqual } from 'node:util';
import { openPostgresStore } from '@petstore/server';
import { type Attempt, type Cases, caseOf } from './cases.ts';
import { checkCircumstances } from './circumstances.ts';
import { Contents } from './contents.ts';
import { Coverage } from './coverage.ts';
import type { Findings } from './findings.ts';
import { checkList } from './lists.ts';
import { apiKey } from './requests.ts';
import { type Context, type RunningServer, withServer } from './running-server.ts';
import {
  type Collection,
  collectionOf,
  type Operation,
  otherPaths,
  pathParameters,
  type Spec,
} from './spec.ts';

export async function check(spec: Spec, findings: Findings, cases: Cases): Promise<void> {
  const context: Context = { spec, cases, findings, coverage: new Coverage() };
  await withServer(context, {}, checkServer);
  await withServer(context, { options: { validateResponses: true } }, checkOperations);
  await checkDatabase(context);
  await checkCircumstances(context);
  context.coverage.addUnseen(spec, findings);
}

/** Checks a server over PostgreSQL, if a test gives the address of an empty database. */
async function checkDatabase(context: Context): Promise<void> {
  const { DRIFT_DATABASE_URL: url } = process.env;
  if (url === undefined) return;
  const store = await openPostgresStore(url);
  await withServer(context, { store }, checkServer);
  await store.close();
}

async function checkServer(server: RunningServer): Promise<void> {
  const { spec } = server.context;
  const contents = await checkOperations(server);
  for (const collection of spec.collections) {
    await checkList(collection, contents);
    await checkChange(collection, contents);
  }
  for (const path of new Set(spec.operations.map((operation) => operation.path)))
    await checkMethods(server, path);
  await checkOtherPaths(server);
}

/** Tries all cases, and returns what the server has to contain after them. */
async function checkOperations(server: RunningServer): Promise<Contents> {
  const { spec, cases } = server.context;
  const contents = new Contents(server);
  for (const operation of spec.operations) {
    await checkKeys(server, operation);
    for (const each of cases.valid(operation)) await contents.tryCase(each);
    for (const each of cases.invalid(operation)) await server.attempt(each);
  }
  for (const operation of spec.operations)
    if (operation.method === 'GET') await checkRead(contents, operation);
  return contents;
}

/** Checks that a request without a valid key gets 401, even if something else is wrong, too. */
async function checkKeys(server: RunningServer, operation: Operation): Promise<void> {
  const { request } = server.context.cases.least(operation);
  const query = [['unknown-name', '1']] as const;
  for (const authorization of ['', 'Bearer wrong', `Basic ${apiKey}`, apiKey]) {
    const headers = { ...request.headers, authorization };
    await server.attempt({
      operation,
      what: `Authorization: ${authorization}`,
      request: { ...request, query, headers },
      statuses: [401],
      isAboutInputs: false,
    });
  }
}

/** Checks that HEAD responds like GET without a body, and that a current ETag gets 304. */
async function checkRead(contents: Contents, operation: Operation): Promise<void> {
  const { server } = contents;
  const reading = readingOf(contents, operation);
  const plain = await server.attempt(reading);
  const again = (what: string, status: number, headers: Record<string, string>, method = 'GET') => {
    const request = { ...reading.request, method, headers };
    return server.attempt({ ...reading, request, what, statuses: [status], isAboutInputs: false });
  };
  const etag = plain.headers.get('etag');
  const head = await again('HEAD', plain.status, {}, 'HEAD');
  const cause = `HEAD ${operation.path}: the ETag`;
  server.context.findings.expect(cause, head.headers.get('etag'), etag);
  await again('HEAD without a key', 401, { authorization: '' }, 'HEAD');
  if (etag === undefined) return;
  await again('a request with its ETag', 304, { 'if-none-match': etag });
  await again('a request with another ETag', plain.status, { 'if-none-match': '"another"' });
}

/** The least request, or one for an existing document if the operation gets one. */
function readingOf(contents: Contents, operation: Operation): Attempt {
  const { spec, cases } = contents.server.context;
  const collection = collectionOf(spec, operation);
  const [first] = collection?.get === operation ? contents.documentsIn(collection) : [];
  const least = cases.least(operation);
  if (!collection || !first) return { ...least, statuses: [...least.statuses, 404] };
  const [name = ''] = pathParameters(operation.path);
  return caseOf(operation, { parameters: { [name]: first[collection.key] } });
}

/** Checks that the ETag of the last page of a list changes when a document is added. */
async function checkChange(collection: Collection, contents: Contents): Promise<void> {
  const { list, create, key, path } = collection;
  const [newest] = contents.documentsIn(collection).slice(-1);
  if (!create || !newest) return;
  const { server } = contents;
  const lastPage = caseOf(list, { parameters: { [String(list.pagination?.cursor)]: newest[key] } });
  const before = await server.attempt(lastPage);
  await contents.create(collection, server.context.cases.least(create).inputs);
  const after = await server.attempt(lastPage);
  if (before.headers.has('etag') && before.headers.get('etag') === after.headers.get('etag'))
    server.context.findings.add(`GET ${path}: the ETag does not change with the response`);
}

/** Checks that each method that a path lacks gets 405 with the methods that it has. */
async function checkMethods(server: RunningServer, path: string): Promise<void> {
  const { spec, findings } = server.context;
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
    findings.expect(`${name}, without a key: the status`, keyless.status, 401);
    const answer = await server.send({ method, path: target, headers: {} });
    findings.expect(`${name}: the status`, answer.status, 405);
    const found = (answer.headers.get('allow') ?? '').split(', ');
    const stated = found.filter((each) => each !== 'OPTIONS').sort();
    findings.expect(`${name}: Allow`, stated, [...allowed].sort());
    if (method !== 'HEAD') server.compareError(answer, name);
  }
}

/** Checks the served spec, the other paths of the server, and paths that do not exist. */
async function checkOtherPaths(server: RunningServer): Promise<void> {
  const { spec, findings } = server.context;
  const text = await server.get('/openapi.yaml');
  if (text.text !== spec.text) findings.add('GET /openapi.yaml is not spec/openapi.yaml');
  const json = await server.get('/openapi.json');
  if (!isDeepStrictEqual(json.data, spec.document))
    findings.add('GET /openapi.json is not spec/openapi.yaml');
  for (const path of otherPaths) {
    const { status } = await server.get(path);
    findings.expect(`GET ${path}: the status`, status, 200);
  }
  const similar = spec.operations.flatMap(({ path }) => [path.toUpperCase(), `${path}/`]);
  for (const path of ['/no-such-path', ...similar]) {
    const target = spec.basePath + withValues(path);
    const answer = await server.get(target);
    findings.expect(`GET ${path}, which the spec lacks: the status`, answer.status, 404);
    server.compareError(answer, `GET ${path}`);
    const keyless = await server.get(target, { authorization: '' });
    findings.expect(`GET ${path}, without a key: the status`, keyless.status, 401);
  }
}

/** A path with a value for each parameter. */
function withValues(path: string): string {
  const parts = path.split('/').map((part) => (part.startsWith('{') ? '1' : part));
  return parts.join('/');
}
