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
  const size = Number(schemaOf(limit).default ?? 0);
  const post = spec.operations.find((each) => each.method === 'POST' && each.path === path && each.responses[201]);
  for (let count = documents.get(path)?.size ?? 0; post && count < Math.min(size + 5, 300); count++)
    await checkValid(session, post, validInputs(spec, post)[0]);

  const { inputs } = await withDocuments(session, operation, { parameters: {} });
  const pagesOf = async (values: Node): Promise<Node[][]> => {
    const pages: Node[][] = [];
    let request = requestOf(operation, { parameters: { ...inputs.parameters, ...values } });
    while (pages.length < 500) {
      const { data, headers } = await server.call(operation, request, 'a page', [200]);
      pages.push(list(data).map(node));
      const [, next] = /<([^>]*)>\s*;\s*rel="?next"?/.exec(headers.link ?? '') ?? [];
      if (next === undefined) return pages;
      request = { ...request, query: [...new URL(next, `http://localhost${path}`).searchParams] };
    }
    report(`GET ${path}: the links to the next page never end`);
    return pages;
  };
  const all = (await pagesOf({ [limit]: 7 })).flat();
  const keys = all.map((each) => each[key]);
  differ(
    report,
    `GET ${path}: the order over the pages`,
    keys,
    [...new Set(keys as number[])].sort((a, b) => a - b),
  );
  for (const [each, document] of documents.get(path) ?? [])
    differ(
      report,
      `GET ${path}: what POST has written`,
      all.find((item) => item[key] === each),
      document,
    );
  const [first = []] = await pagesOf({});
  if (size > 0)
    differ(report, `GET ${path}: the length of a page without ${limit}`, first.length, Math.min(size, all.length));
  for (const count of [1, 3]) {
    const pages = await pagesOf({ [limit]: count, [cursor]: keys.at(-5) ?? 0 });
    differ(
      report,
      `GET ${path}?${limit}=${count}: the longest page`,
      Math.max(...pages.map(({ length }) => length)),
      count,
    );
  }
  const rest = (await pagesOf({ [cursor]: keys[2] ?? 0 })).flat();
  differ(report, `GET ${path}?${cursor}=${keys[2]}: the elements`, rest, all.slice(3));
  for (const { name } of parameters) {
    const schema = spec.follow(schemaOf(name).items ?? schemaOf(name));
    for (const value of schema.enum && all.some((each) => name in each) ? validValues(spec, schema) : []) {
      const some = (await pagesOf({ [name]: value })).flat();
      const wanted = all.filter((each) => each[name] === value);
      differ(report, `GET ${path}?${name}=${writeJson(value)}: the elements`, some, wanted);
    }
  }
}
