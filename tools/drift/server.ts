// D3: the server does what the spec says, on its fast path and, with validated responses, through Express.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { apiKey, startServer } from '@petstore/testing/server';
import { recordOf as node } from '../generate/document.ts';
import { root } from '../repository.ts';
import { exchangeWith } from './exchange.ts';
import { badRequests, type Inputs, requestOf, validInputs } from './requests.ts';
import {
  checkIdempotency,
  checkList,
  checkValid,
  type Session,
  withDocuments,
} from './server-documents.ts';
import { differ, type Operation, type Report, type Spec } from './spec.ts';

const ways = {
  'on the fast path': {},
  'with validated responses': { PETSTORE_VALIDATE_RESPONSES: 'true' },
};

export async function check(spec: Spec, report: Report): Promise<void> {
  const found = new Map<string, { fix: string | undefined; of: Set<string> }>();
  const checked = Object.entries(ways).map(([way, env]) =>
    checkServer(spec, env, (what, fix) =>
      found.set(what, { fix, of: (found.get(what)?.of ?? new Set()).add(way) }),
    ),
  );
  const results = await Promise.allSettled(checked);
  for (const [what, { fix, of }] of found)
    report(of.size > 1 ? what : `${what} (${[...of][0]} only)`, fix);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function checkServer(spec: Spec, env: NodeJS.ProcessEnv, report: Report): Promise<void> {
  const started = await startServer(join(root, 'apps/server/src/main.js'), env);
  const server = exchangeWith(spec, started.origin, apiKey, report);
  const session: Session = { spec, server, report, documents: new Map() };
  try {
    differ(report, 'the base path', new URL(started.baseUrl).pathname, spec.basePath);
    for (const operation of spec.operations) await checkOperation(session, operation);
    for (const operation of spec.operations) await checkList(session, operation);
    for (const path of new Set(spec.operations.map((each) => each.path)))
      await checkMethods(session, path);
    await checkOwnPaths(session);
    server.checkCoverage();
  } finally {
    await started.kill();
  }
}

/** Valid and invalid requests of an operation. */
async function checkOperation(session: Session, operation: Operation): Promise<void> {
  const { spec, server } = session;
  const { method, path, responses } = operation;
  const [least, ...others] = validInputs(spec, operation);
  const good = requestOf(operation, least);
  const query = [['unknown-parameter', '1']] as const;
  for (const authorization of ['', 'Bearer wrong', 'Basic d3Jvbmc6']) {
    const keyless = { ...good, query, headers: { ...good.headers, authorization } };
    const { headers } = await server.call(operation, keyless, 'no valid key', [401]);
    const challenge = headers.get('www-authenticate')?.slice(0, 6);
    differ(session.report, `${method} ${path} without a key: the challenge`, challenge, 'Bearer');
  }
  for (const inputs of [least, ...others]) await checkValid(session, operation, inputs);
  const { inputs, isStored } = await withDocuments(session, operation, least);
  for (const bad of badRequests(spec, operation, inputs)) {
    const status = { path: 404, type: 415, size: 413 }[bad.place] ?? 400;
    await server.call(
      operation,
      bad,
      bad.why,
      bad.place === 'path' && !responses[404] ? [400, 404] : [status],
    );
  }
  await checkIdempotency(session, operation, [least, ...others]);
  if (method === 'GET') await checkRead(session, operation, inputs, isStored);
}

/** HEAD is GET without a body, and an ETag that the caller has gets 304. */
async function checkRead(
  { server, report }: Session,
  operation: Operation,
  inputs: Inputs,
  isStored: boolean,
) {
  const request = requestOf(operation, inputs);
  const { status, headers } = await server.call(
    operation,
    request,
    'a valid request',
    isStored ? [200] : [200, 404],
  );
  const etag = headers.get('etag');
  if (etag)
    await server.call(
      operation,
      { ...request, headers: { 'if-none-match': etag } },
      'its ETag',
      [304],
    );
  if (etag)
    await server.call(
      operation,
      { ...request, headers: { 'if-none-match': '"x"' } },
      'another ETag',
      [200],
    );
  const head = await server.call(operation, { ...request, method: 'HEAD' }, 'HEAD', [
    status < 300 ? 200 : status,
  ]);
  differ(report, `HEAD ${operation.path}: the body`, head.text, '');
  differ(report, `HEAD ${operation.path}: the ETag`, head.headers.get('etag'), etag);
  await server.call(
    operation,
    { ...request, method: 'HEAD', headers: { authorization: '' } },
    'HEAD, no key',
    [401],
  );
}

/** Every method that the path lacks gets 405 with the methods that it has. */
async function checkMethods({ spec, server, report }: Session, path: string): Promise<void> {
  const own = spec.operations.filter((each) => each.path === path);
  const allowed = own
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .sort();
  const target = spec.basePath + path.replaceAll(/\{\w+\}/g, '1');
  for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD'].filter(
    (each) => !allowed.includes(each),
  )) {
    const name = `${method} ${path}, which the spec lacks`;
    const keyless = await server.ask(method, target, { authorization: '' });
    differ(report, `${name}, without a key: the status`, keyless.status, 401);
    const { status, headers, data } = await server.ask(method, target);
    differ(report, `${name}: the status`, status, 405);
    const found = headers.get('allow')?.split(/[\s,]+/) ?? [];
    differ(report, `${name}: Allow`, found.filter((each) => each !== 'OPTIONS').sort(), allowed);
    if (method !== 'HEAD') server.checkError(name, status, data);
  }
}

/** The spec as it is served, the paths beside the operations, and paths that are none. */
async function checkOwnPaths({ spec, server, report }: Session): Promise<void> {
  const get = async (path: string, status = 200) => {
    const answer = await server.ask('GET', path);
    differ(report, `GET ${path}: the status`, answer.status, status);
    return answer;
  };
  if ((await get('/openapi.yaml')).text !== spec.text)
    report('GET /openapi.yaml is not spec/openapi.yaml');
  const { data } = await get('/openapi.json');
  if (!isDeepStrictEqual(node(data), spec.document))
    report('GET /openapi.json is not spec/openapi.yaml');
  const { headers } = await get('/docs');
  differ(
    report,
    'GET /docs: the media type',
    headers.get('content-type')?.split(';')[0],
    'text/html',
  );
  for (const path of ['/healthz', '/readyz', '/metrics']) await get(path);
  const others = spec.operations.flatMap(({ path }) => [path.toUpperCase(), `${path}/`]);
  for (const other of ['/no-such-path', ...others]) {
    const missing = await get(spec.basePath + other.replaceAll(/\{\w+\}/gi, '1'), 404);
    server.checkError(`${other}, which the spec lacks`, missing.status, missing.data);
  }
  const keyless = await server.ask('GET', `${spec.basePath}/no-such-path`, { authorization: '' });
  differ(report, 'no path, without a key: the status', keyless.status, 401);
}
