// D3: the server does what the spec says, on its fast path and, with validated responses, through Express.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { apiKey, startServer } from '@petstore/testing/server';
import { root } from '../repository.ts';
import { requestOf, validInputs } from './requests.ts';
import { checkOperation, checkValid, type Session, withDocuments } from './server-operations.ts';
import { Conversation } from './server-requests.ts';
import { list, methods, type Node, node, type Operation, type Spec } from './spec.ts';
import { differ, type Report, validValues, writeJson } from './values.ts';

const ways = { 'on the fast path': {}, 'with validated responses': { PETSTORE_VALIDATE_RESPONSES: 'true' } };

export async function check(spec: Spec, report: Report): Promise<void> {
  const found = new Map<string, { fix: string | undefined; of: string[] }>();
  const checked = Object.entries(ways).map(([way, env]) =>
    checkServer(spec, env, (what, fix) => found.set(what, { fix, of: [...(found.get(what)?.of ?? []), way] })),
  );
  const results = await Promise.allSettled(checked);
  for (const [what, { fix, of }] of found) report(new Set(of).size > 1 ? what : `${what} (${of[0]} only)`, fix);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

async function checkServer(spec: Spec, env: NodeJS.ProcessEnv, report: Report): Promise<void> {
  const started = await startServer(join(root, 'apps/server/src/main.js'), env);
  const server = new Conversation(spec, started.origin, apiKey, report);
  const session: Session = { spec, server, report, documents: new Map() };
  try {
    differ(report, 'the base path', new URL(started.baseUrl).pathname, spec.basePath);
    for (const operation of spec.operations) await checkOperation(session, operation);
    for (const operation of spec.operations.filter(({ pagination }) => pagination)) await checkList(session, operation);
    for (const path of new Set(spec.operations.map((each) => each.path))) await checkMethods(session, path);
    await checkOwnPaths(session);
    server.checkCoverage();
  } finally {
    server.close();
    await started.kill();
  }
}

/** Every method that the path lacks gets 405 with the methods that it has. */
async function checkMethods({ spec, server, report }: Session, path: string): Promise<void> {
  const own = spec.operations.filter((each) => each.path === path);
  const has = own.map(({ method }) => method);
  const allowed = [...has, ...(has.includes('GET') ? ['HEAD'] : [])].sort();
  for (const method of [...methods, 'HEAD', 'TRACE'].filter((each) => !allowed.includes(each))) {
    const [operation] = own;
    if (!operation) continue;
    const request = requestOf(operation, validInputs(spec, operation)[0]);
    const { status, headers, data } = await server.ask(method, `${spec.basePath}${request.path}`);
    const name = `${method} ${path}, which the spec lacks`;
    const { status: keyless } = await server.ask(method, `${spec.basePath}${request.path}`, { authorization: '' });
    differ(report, `${name}, without a key: the status`, keyless, 401);
    differ(report, `${name}: the status`, status, 405);
    const found = headers.allow?.split(/[\s,]+/).filter((each) => each !== 'OPTIONS');
    if (status === 405) differ(report, `${name}: Allow`, found?.sort(), allowed);
    if (method !== 'HEAD') server.checkError(name, status, data);
  }
}

/** The spec as it is served, the paths beside the operations, and a path that is none. */
async function checkOwnPaths({ spec, server, report }: Session): Promise<void> {
  const get = async (path: string, status = 200) => {
    const answer = await server.ask('GET', path);
    differ(report, `GET ${path}: the status`, answer.status, status);
    return answer;
  };
  if ((await get('/openapi.yaml')).text !== spec.text) report('GET /openapi.yaml is not spec/openapi.yaml');
  const { data } = await get('/openapi.json');
  if (!isDeepStrictEqual(data, spec.document)) report('GET /openapi.json is not spec/openapi.yaml');
  const { headers } = await get('/docs');
  differ(report, 'GET /docs: the media type', headers['content-type']?.split(';')[0], 'text/html');
  for (const path of ['/healthz', '/readyz', '/metrics']) await get(path);
  for (const { path } of spec.operations)
    for (const other of [path.toUpperCase(), `${path}/`])
      await get(`${spec.basePath}${other.replaceAll(/\{\w+\}/gi, '1')}`, 404);
  differ(
    report,
    'no key, no path',
    (await server.ask('GET', `${spec.basePath}/no-such-path`, { authorization: '' })).status,
    401,
  );
  const missing = await get(`${spec.basePath}/no-such-path`, 404);
  server.checkError('a path that the spec lacks', missing.status, missing.data);
}

/** The pages and the filters of a list, by the documents that were created. */
async function checkList(session: Session, operation: Operation): Promise<void> {
  const { spec, server, report, documents } = session;
  const { path, parameters, pagination } = operation;
  if (!pagination) return;
  const { cursor, key, limit } = pagination;
  const schemaOf = (name: string) => spec.follow(parameters.find((each) => each.name === name)?.schema);
  const { default: size, maximum = 20 } = schemaOf(limit);
  const post = spec.operations.find((each) => each.method === 'POST' && each.path === path && each.responses[201]);
  const missing = post ? Math.min(maximum, 200) + 2 - (documents.get(path)?.size ?? 0) : 0;
  const bodies = post ? validInputs(spec, post) : [];
  const create = (_: unknown, i: number) => {
    const body = bodies[i % bodies.length];
    return post && body && checkValid(session, post, body);
  };
  await Promise.all(Array.from({ length: Math.max(missing, 0) }, create));

  const { inputs } = await withDocuments(session, operation, { parameters: {} });
  const pagesOf = async (values: Node, most = 500): Promise<Node[][]> => {
    const pages: Node[][] = [];
    let request = requestOf(operation, { parameters: { ...inputs.parameters, ...values } });
    while (pages.length < most) {
      const { data, headers } = await server.call(operation, request, 'a page', [200]);
      pages.push(list(data).map(node));
      const [, next] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.link ?? '') ?? [];
      if (next === undefined) return pages;
      const { pathname, searchParams } = new URL(next, `http://localhost${spec.basePath}${request.path}`);
      differ(report, `GET ${path}: the path of the link`, pathname, `${spec.basePath}${request.path}`);
      const rest = (query: Iterable<readonly [string, string]>) =>
        [...query]
          .filter(([name]) => name !== cursor)
          .map(String)
          .sort();
      differ(
        report,
        `GET ${path}: the query of the link`,
        rest(searchParams).filter((each) => rest(request.query).includes(each)),
        rest(request.query),
      );
      request = { ...request, query: [...searchParams] };
    }
    if (most > 1) report(`GET ${path}: the links to the next page never end`);
    return pages;
  };
  const all = (await pagesOf({ [limit]: 7 })).flat();
  const keys = all.map((each) => each[key] as number);
  const ascending = [...new Set(keys)].sort((a, b) => (a < b ? -1 : 1));
  differ(report, `GET ${path}: the order over the pages`, keys, ascending);
  const lost = [...(documents.get(path)?.values() ?? [])].find(
    (each) => !all.some((item) => isDeepStrictEqual(item, each)),
  );
  if (lost) report(`GET ${path}: the list lacks ${writeJson(lost)}, which POST has written`);
  for (const count of [undefined, 1, 3, maximum]) {
    const [{ length } = []] = await pagesOf(count === undefined ? {} : { [limit]: count }, 1);
    const wanted = Math.min(Number(count ?? size ?? length), all.length);
    differ(report, `GET ${path} with ${limit} ${count ?? 'left out'}: the length of the page`, length, wanted);
  }
  const rest = (await pagesOf({ [cursor]: keys[2] ?? 0 })).flat();
  differ(report, `GET ${path}?${cursor}=${keys[2]}: the elements`, rest, all.slice(3));
  for (const { name } of parameters) {
    const schema = spec.follow(schemaOf(name).items ?? schemaOf(name));
    for (const value of schema.enum && all.some((each) => name in each) ? validValues(spec, schema) : []) {
      const some = (await pagesOf({ [name]: value, [limit]: 3 })).flat();
      const wanted = all.filter((each) => each[name] === value);
      differ(report, `GET ${path}?${name}=${writeJson(value)}: the elements`, some, wanted);
    }
  }
}
